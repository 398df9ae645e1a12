// SPDX-License-Identifier: GPL-2.0
#include "machine/hugepage/hugepage.h"
#include "machine/realkit.h"

#include <string.h>

#include "suites.h"

#define MOST_PAGES 700

static struct machine *machine;

struct machine *realkit_open(void)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = REALKIT_BYTES };
	struct failure f = { .text = "" };
	struct machine *m = machine_open_hugepage(&request, &f);

	if (m)
		return m;
	ck_assert_int_eq(f.status, STATUS_UNAVAILABLE);
	cannot_do("machine", "kernel cannot: %s", f.text);
	return NULL;
}

void realkit_setup(void)
{
	machine = realkit_open();
}

void realkit_teardown(void)
{
	machine_close(machine);
	machine = NULL;
}

struct machine *realkit_machine(void)
{
	return machine;
}

int realkit_open_view(struct machine *m, const struct view_request *request,
		      struct view **view, struct failure *f)
{
	*f = (struct failure){ .text = "" };
	return m->ops->view_open(m, request, view, f);
}

struct view *realkit_view(struct machine *m, uint64_t page_bytes,
			  uint64_t pages, uint64_t frames, bool executable)
{
	const struct view_request request = { page_bytes, pages, frames,
					      executable, false, false,
					      VIEW_JUMPS };
	struct view *view = NULL;
	struct failure f;

	ck_assert_msg(!realkit_open_view(m, &request, &view, &f), "%s", f.text);
	ck_assert_ptr_nonnull(view);
	ck_assert_ptr_eq(view->m, m);
	ck_assert_mem_eq(&view->request, &request, sizeof(request));
	return view;
}

/* One element a page, in a place of its own, in an order that jumps about. */
void realkit_scatter(const struct view_request *r, uint64_t *offsets)
{
	uint64_t room = r->executable ? VIEW_SLOT_BYTES : 8;

	/* The test has no such number of pages, so all are visited. */
	ck_assert(r->pages == 1 || r->pages % 13);
	for (uint64_t i = 0; i < r->pages; i++) {
		uint64_t page = i * 13 % r->pages;

		offsets[i] = page * r->page_bytes + page / r->frames * room;
	}
}

int realkit_walk_view(struct view *view, uint64_t *offsets, size_t length,
		      unsigned int flags, struct sample *samples)
{
	const struct sequence s = { offsets, length };
	const struct walk_plan plan = {
		.flags = flags, .warm_rounds = 2, .loads = 1000, .samples = 3
	};
	struct failure f = { .text = "" };
	int error;

	memset(samples, 0xff, 3 * sizeof(*samples));
	error = view->m->ops->view_walk(view, &s, &plan, samples, &f);
	ck_assert_int_eq(!error, !f.text[0]);
	ck_assert_ptr_null(strchr(f.text, '\n'));
	return error;
}

void realkit_walk_view_all(struct view *view)
{
	const struct view_request *r = &view->request;
	uint64_t offsets[MOST_PAGES];
	struct sample samples[3];

	ck_assert_uint_le(r->pages, MOST_PAGES);
	realkit_scatter(r, offsets);
	ck_assert_int_eq(realkit_walk_view(view, offsets, r->pages, 0, samples),
			 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_ge(samples[i].loads, 1000);
		if (r->executable)
			ck_assert_uint_eq(samples[i].loads % r->pages, 0);
		ck_assert(samples[i].ticks > 0);
		ck_assert_uint_eq(samples[i].counted, 0);
	}
}
