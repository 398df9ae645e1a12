// SPDX-License-Identifier: GPL-2.0
/* check_alignment.c - memory and views begin where pages that share a set of a TLB do. */
#include "machine/host/frames.h"
#include "machine/hugepage/hugepage.h"
#include "machine/native/mapped_view.h"
#include "machine/realkit.h"
#include "suites.h"

#define MIB (UINT64_C(1) << 20)
#define PAGE (UINT64_C(4096))

static const struct {
	uint64_t bytes, page_bytes, wanted;
} sizes[] = {
	{ PAGE, PAGE, PAGE },
	{ 3 * PAGE, PAGE, 2 * PAGE },
	{ 512 * PAGE, PAGE, 2 * MIB },
	{ 2 * MIB, 2 * MIB, 2 * MIB },
	{ 512 * MIB, 2 * MIB, 512 * MIB },
	{ 511 * MIB, 2 * MIB, 256 * MIB },
	{ 4096 * MIB, 2 * MIB, 1024 * MIB },
};

START_TEST(largest_power_of_two)
{
	ck_assert_uint_eq(frames_alignment(sizes[_i].bytes,
					   sizes[_i].page_bytes),
			  sizes[_i].wanted);
}
END_TEST

START_TEST(memory_is_aligned)
{
	const struct hugepage_machine *h =
		(struct hugepage_machine *)realkit_machine();

	if (!h)
		return;
	/* Pages that were no huge ones were dropped at the end. */
	ck_assert_uint_eq(
		(uintptr_t)h->native.base %
			frames_alignment(h->native.machine.region.bytes,
					 h->native.machine.region.page_bytes),
		0);
}
END_TEST

START_TEST(views_are_aligned)
{
	const struct view_request r = { .page_bytes = PAGE,
					.pages = 1 << _i,
					.frames = 1 };
	struct machine *m = realkit_machine();
	struct failure f = { .text = "" };
	struct view *view;

	if (!m)
		return;
	ck_assert_msg(!m->ops->view_open(m, &r, &view, &f), "%s", f.text);
	ck_assert_uint_eq((uintptr_t)((struct mapped_view *)view)->base %
				  (r.pages * PAGE),
			  0);
	m->ops->view_close(view);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("alignment");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
	tcase_add_loop_test(t, largest_power_of_two, 0,
			    (int)(sizeof(sizes) / sizeof(sizes[0])));
	tcase_add_test(t, memory_is_aligned);
	tcase_add_loop_test(t, views_are_aligned, 0, 12);
	suite_add_tcase(s, t);
	return s;
}
