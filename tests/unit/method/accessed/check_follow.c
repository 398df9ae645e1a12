// SPDX-License-Identifier: GPL-2.0
/* check_follow.c - accessed bits that a hypervisor sets, and no page walk. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/accessed/kept.h"
#include "suites.h"

#define SEED 11
#define BYTES (UINT64_C(16) << 20)
/* A hypervisor that fills page tables of its own now and then. */
#define FILLED 0.05

static const struct machine_ops *honest;
static double share;

static int view_touch(struct view *view, const struct touch_plan *plan,
		      struct touch_answer *answer, struct failure *f)
{
	int error = honest->view_touch(view, plan, answer, f);

	answer->walked = (uint64_t)(share * (double)plan->test.pages->length);
	return error;
}

static struct machine *open_guest(unsigned int entries)
{
	struct machine *m;
	char text[1024];

	snprintf(
		text, sizeof(text),
		"{\"caches\":[{\"level\":1,\"type\":\"data\","
		"\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"
		"\"latency_cycles\":4}],\"counters\":[],\"accessed_bits\":true,"
		"\"tlbs\":[{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"
		"\"entries\":96,\"ways\":96},{\"level\":2,\"type\":\"data\","
		"\"page_bytes\":[4096],\"entries\":%u,\"ways\":8,"
		"\"latency_cycles\":7}]}",
		entries);
	m = profilekit_open(text, BYTES, SEED);
	m->virtual_machine = true;
	return m;
}

START_TEST(bits_that_follow_no_walk_are_refused)
{
	struct machine *m = open_guest(4096);
	struct machine_ops ops = *m->ops;
	struct failure f = { .text = "" };
	struct kept_view v;
	struct prober p;

	share = _i ? FILLED : 0;
	honest = m->ops;
	ops.view_touch = view_touch;
	m->ops = &ops;
	prober_begin(&p, m, SEED);
	ck_assert_int_eq(kept_view_open(&v, &p, 4096, false, &f), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(f.text, "do not follow page walks"));
	ck_assert(!m->accessed_bits);
	m->ops = honest;
	machine_close(m);
}
END_TEST

/* The largest known array, and one of twice its size. */
START_TEST(large_arrays_are_no_hypervisor)
{
	struct machine *m = open_guest(_i ? 8192 : 4096);
	struct failure f = { .text = "" };
	struct kept_view v;
	struct prober p;

	prober_begin(&p, m, SEED);
	ck_assert_msg(!kept_view_open(&v, &p, 4096, false, &f), "%s", f.text);
	ck_assert(m->accessed_bits);
	kept_view_close(&v);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("bits that follow walks");

	tcase_add_loop_test(t, bits_that_follow_no_walk_are_refused, 0, 2);
	tcase_add_loop_test(t, large_arrays_are_no_hypervisor, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
