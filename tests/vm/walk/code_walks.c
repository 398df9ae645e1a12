// SPDX-License-Identifier: GPL-2.0
/*
 * code_walks.c - what a walk of code fetches, by the accessed bits of its view:
 * jumps and mispredicted returns, through the machine of the tool.
 */
#include "machine/native/mapped_view.h"
/* Behind the others: libcheck has a macro named fail. */
#include "kit/machines.h"

#define PAGES 60
#define FRAMES 3
#define LEAST_LOADS 200

static uint64_t accessed(const struct mapped_view *v, uint32_t flags)
{
	T_ARG(view_accessed, a, .flags = flags, .address = (uintptr_t)v->base,
	      .bytes = mapped_view_bytes(v));

	t_want(0, v->fd, PROBE_PHYS_IOC_VIEW_ACCESSED, &a);
	return a.accessed;
}

/* No TLB has a translation of the view, and no entry of it is marked. */
static void forget(const struct mapped_view *v)
{
	T_ARG(view_flush, f, .flags = 0);

	t_want(0, v->fd, PROBE_PHYS_IOC_VIEW_FLUSH, &f);
	accessed(v, PROBE_PHYS_VIEW_ACCESSED_CLEAR);
	ck_assert_uint_eq(accessed(v, 0), 0);
}

/* An element in every @step-th page, each in a place of its own, and each kind of
 * code: QEMU 7.2 may run what it has translated of a page before the page was zeroed.
 */
static size_t scatter(uint64_t *offsets, const struct view_request *r,
		      size_t step)
{
	size_t n = 0;

	for (size_t page = 0; page < PAGES; page += step)
		offsets[n++] = page * r->page_bytes +
			       page / FRAMES * VIEW_CODE_BYTES +
			       r->code * VIEW_SLOT_BYTES;
	return n;
}

static void walk(struct view *view, uint64_t *offsets, size_t n)
{
	struct sample samples[2];
	const struct sequence s = { offsets, n };
	const struct walk_plan plan = { .warm_rounds = 1,
					.loads = LEAST_LOADS,
					.samples = 2 };
	struct failure f = { .text = "" };

	ck_assert_msg(!view->m->ops->view_walk(view, &s, &plan, samples, &f),
		      "%s", f.text);
	for (int i = 0; i < 2; i++)
		ck_assert_uint_ge(samples[i].loads, LEAST_LOADS);
}

static const uint64_t page_bytes[] = { T_PAGE, T_PMD };
static const enum view_code codes[] = { VIEW_JUMPS, VIEW_RETURNS,
					VIEW_FULL_RETURNS };

/* Once around a ring, without writing it again, reads the entries of its pages
 * and no others.
 */
START_TEST(pages_of_a_ring)
{
	const struct view_request request = {
		.page_bytes = page_bytes[_i & 1],
		.pages = PAGES,
		.frames = FRAMES,
		.executable = true,
		.code = codes[_i / 2],
	};
	struct machine *m = m_open(8 * T_MIB);
	uint64_t offsets[PAGES];
	struct view *view;

	if (!m->accessed_bits) {
		machine_close(m);
		t_skip("cpu cannot set accessed bits");
	}
	view = m_view(m, &request);
	for (size_t step = 1; step < PAGES; step *= 3) {
		size_t n = scatter(offsets, &request, step);

		walk(view, offsets, n);
		forget((struct mapped_view *)view);
		mapped_view_again(view);
		ck_assert_uint_eq(accessed((struct mapped_view *)view, 0), n);
	}
	m->ops->view_close(view);
	machine_close(m);
}
END_TEST

Suite *t_suite_code_walks(void)
{
	Suite *suite = suite_create("code_walks");
	TCase *tc = t_case(suite, "code_walks");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, pages_of_a_ring, 0, 2 * (int)T_LENGTH(codes));
	return suite;
}
