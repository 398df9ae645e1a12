// SPDX-License-Identifier: GPL-2.0
/* check_code.c - jumps that were written, and where they lead. */
#include <stdio.h>
#include <string.h>

#include "machine/native/code/code.h"
#include "machine/native/mapped_view.h"
#include "machine/realkit.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

#define PAGE UINT64_C(4096)

#if defined(__x86_64__)
/* Where the jump in a slot leads, near or far. */
static const char *target_of(const char *write, const char *run)
{
	const char *target;
	int32_t relative;

	if ((unsigned char)write[0] == 0xe9) {
		memcpy(&relative, write + 1, sizeof(relative));
		return run + 5 + relative;
	}
	ck_assert_int_eq((unsigned char)write[0], 0x48);
	memcpy(&target, write + 2, sizeof(target));
	return target;
}

static uint64_t run_counting(const char *first, uint64_t rounds)
{
	uint64_t count = 0;

	__asm__ volatile("call *%%rsi"
			 : "+a"(count), "+D"(rounds)
			 : "S"(first)
			 : "memory", "cc");
	return count;
}

/* Each jump counts itself: inc %rax before it. Near ones only. */
START_TEST(every_jump_is_executed)
{
	static const unsigned char increment[] = { 0x48, 0xff, 0xc0 };
	struct view *view;
	struct mapped_view *v;
	uint64_t offsets[300];

	if (!realkit_machine())
		return;
	view = realkit_view(realkit_machine(), PAGE, 300, 4, true);
	v = (struct mapped_view *)view;
	realkit_scatter(&view->request, offsets);
	realkit_walk_view_all(view);
	for (size_t i = 0; i < 300; i++) {
		uint64_t page = offsets[i] / PAGE;
		char *slot = v->frames + page % 4 * PAGE + offsets[i] % PAGE;
		char *run = v->base + offsets[i];

		if (i < 299) {
			ck_assert_int_eq((unsigned char)slot[0], 0xe9);
			ck_assert_ptr_eq(target_of(slot, run),
					 v->base + offsets[i + 1]);
			code_jump(slot + sizeof(increment),
				  run + sizeof(increment),
				  v->base + offsets[i + 1]);
		} else {
			code_close_ring(slot + sizeof(increment));
		}
		memcpy(slot, increment, sizeof(increment));
	}
	ck_assert_uint_eq(run_counting(v->base + offsets[0], 1), 300);
	ck_assert_uint_eq(run_counting(v->base + offsets[0], 1000), 300000);
	view->m->ops->view_close(view);
}
END_TEST

/* Pages on both ends of almost 3 GiB. */
START_TEST(far_jumps)
{
	const struct view_request request = { PAGE,  700000, 16,	true,
					      false, false,  VIEW_JUMPS };
	uint64_t offsets[] = { 0, 699999 * PAGE + 16, 32 };
	struct sample samples[3];
	struct mapped_view *v;
	struct view *view;
	struct failure f;

	if (!realkit_machine())
		return;
	if (realkit_open_view(realkit_machine(), &request, &view, &f)) {
		cannot_do("far jumps", "kernel cannot: %s", f.text);
		return;
	}
	ck_assert_int_eq(realkit_walk_view(view, offsets, 3, 0, samples), 0);
	v = (struct mapped_view *)view;
	ck_assert_int_eq((unsigned char)v->frames[0], 0x48);
	ck_assert_ptr_eq(target_of(v->frames, v->base), v->base + offsets[1]);
	view->m->ops->view_close(view);
}
END_TEST
#endif

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("jumps");

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, realkit_setup, realkit_teardown);
#if defined(__x86_64__)
	tcase_add_test(t, every_jump_is_executed);
	tcase_add_test(t, far_jumps);
#endif
	suite_add_tcase(suite, t);
	return suite;
}
