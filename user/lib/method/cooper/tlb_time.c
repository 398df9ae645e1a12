// SPDX-License-Identifier: GPL-2.0
/* tlb_time.c - T(n,k), timed and analysed (section IV-C). */
#include "method/cooper/tlb.h"
#include "method/curve/curve.h"
#include "sequence/page_reference_string.h"

const char *cooper_kind_name(size_t kind)
{
	static const char *const names[COOPER_KINDS] = { "T(1,k)", "T(2,k)",
							 "T(4,k)", "T(8,k)" };

	return names[kind];
}

static int make(void *context, size_t which, unsigned int trial,
		struct sequence *q, struct failure *f)
{
	const struct cooper_survey *s = context;
	const struct page_string w = {
		.count = s->timed[which],
		.lines = COOPER_LINES(s->kind),
		.page_bytes = s->pages.page_bytes,
		.line_bytes = s->c->line_bytes,
	};

	(void)trial;
	if (page_string_place(q, &w, &s->c->p->rng))
		return prober_out_of_memory(f);
	return 0;
}

int cooper_sweep_pages(struct cooper_survey *s, size_t kind,
		       const size_t *timed, size_t count,
		       struct cooper_string *strings,
		       struct cooper_sweep *sweep, struct failure *f)
{
	*sweep = (struct cooper_sweep){ .strings = strings,
					.count = count,
					.make = make,
					.context = s,
					.what = cooper_kind_name(kind) };
	s->timed = timed;
	s->kind = kind;
	for (size_t i = 0; i < count; i++)
		strings[i] = (struct cooper_string){
			.x = (double)(timed[i] * s->pages.page_bytes),
			.view = s->pages.view,
		};
	return cooper_sweep(s->c, sweep, f);
}

int cooper_time_pages(struct cooper_survey *s, size_t kind, size_t most,
		      struct failure *f)
{
	struct cooper_string strings[COOPER_MOST_STRINGS];
	struct cooper_sweep sweep;
	struct side_curve *curve;
	size_t count = 0;
	int error;

	while (count < s->grid_count && s->grid[count] <= most)
		count++;
	error = cooper_sweep_pages(s, kind, s->grid, count, strings, &sweep, f);
	curve = cooper_keep(s->c, &sweep, SIDE_REACH_BYTES,
			    cooper_kind_name(kind));
	if (error)
		return error;
	if (!curve || curve_analyse(curve->points, curve->count, &curve->found))
		return prober_out_of_memory(f);
	curve->analysed = true;
	s->curves[kind] = curve;
	return 0;
}
