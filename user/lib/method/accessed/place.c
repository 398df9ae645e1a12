// SPDX-License-Identifier: GPL-2.0
/* place.c - pages of a shape, and touches of them. */
#include <errno.h>
#include <stdlib.h>

#include "method/accessed/trials.h"

/*
 * Elements of neighbouring pages lie in different lines, and none in the last one: fetches
 * go on behind their code, and may bring in the next page.
 */
#define LINE 64

struct kept_shape kept_row(uint64_t pages)
{
	return (struct kept_shape){ .rows = 1,
				    .columns = pages,
				    .stride = pages };
}

static uint64_t row_of(const struct kept_view *v, const struct kept_shape *w,
		       uint64_t row)
{
	/* Distinct: each row has a band of the view to itself. */
	uint64_t band = v->pages / w->stride / w->rows;

	if (!w->random)
		return row * w->stride;
	return (row * band + rng_below(&v->prober->rng, band)) * w->stride;
}

uint64_t kept_offset(const struct kept_view *v, uint64_t page, uint64_t row)
{
	const uint64_t page_bytes = v->view->request.page_bytes;

	return page * page_bytes +
	       (page + row) % (page_bytes / LINE - 1) * LINE;
}

uint64_t kept_other(const struct kept_view *v, const struct kept_shape *w,
		    uint64_t column, uint64_t i)
{
	const uint64_t others = w->columns > 1 ? w->columns - 1 : 1;
	const uint64_t row = (i % others + 2 * (i / others)) % w->rows;
	const uint64_t other = (column + 1 + i % others) % w->columns;

	return kept_offset(v, row * w->stride + other, row);
}

int kept_place(const struct kept_view *v, const struct kept_shape *w,
	       struct sequence *s, struct failure *f)
{
	uint64_t count = w->rows * w->columns;
	uint64_t page_bytes = v->view->request.page_bytes;
	uint64_t spacing = w->spacing ? w->spacing : 1;

	if (count > v->most ||
	    (w->rows - 1) * w->stride + w->columns * spacing > v->pages)
		return -ERANGE;
	s->offsets = calloc(count, sizeof(*s->offsets));
	s->length = count;
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t first =
			i % w->columns ?
				s->offsets[i - 1] / page_bytes + spacing :
				row_of(v, w, i / w->columns);

		s->offsets[i] = kept_offset(v, first, i / w->columns);
	}
	return 0;
}

int kept_touch(const struct kept_view *v, const struct touch_plan *plan,
	       struct touch_answer *t, struct failure *f)
{
	const struct prober *p = v->prober;

	if (prober_stopped(p))
		return -EINTR;
	return p->m->ops->view_touch(v->view, plan, t, f);
}
