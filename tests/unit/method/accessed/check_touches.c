// SPDX-License-Identifier: GPL-2.0
/* check_touches.c - how many touches a search needs where clearing the bits disturbs. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "method/accessed/array.h"
#include "suites.h"

#define SEED 7
#define BYTES (UINT64_C(16) << 20)
#define PAGE 4096
#define LINE 64
#define SETS 64
#define WAYS 8
#define ABOVE 32
#define MACHINE                                                             \
	"{\"caches\":[{\"level\":1,\"type\":\"data\","                      \
	"\"capacity_bytes\":32768,\"ways\":8,\"line_bytes\":64,"            \
	"\"latency_cycles\":4}],\"counters\":[],\"accessed_bits\":true,"    \
	"\"tlbs\":[{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],"   \
	"\"entries\":32,\"ways\":32},{\"level\":2,\"type\":\"data\","       \
	"\"page_bytes\":[4096],\"entries\":512,\"ways\":8,\"latency_cycles" \
	"\":7}]}"

/* Other threads of the core hold some entries of each set, but for short plans. */
#define MOST_HELD_HERE 2
static uint64_t others[MOST_HELD_HERE * SETS];
static size_t held;
static unsigned int touches, fits;
static const struct machine_ops *honest;

static int count_touches(struct view *view, const struct touch_plan *plan,
			 struct touch_answer *answer, struct failure *f)
{
	const struct sequence pages = { others, held * SETS };
	struct touch before[8];
	struct touch_plan shared = *plan;

	/* Fetches that go on behind an element would bring in the next page. */
	for (size_t i = 0; i < plan->test.pages->length; i++)
		ck_assert_uint_lt(plan->test.pages->offsets[i] % PAGE,
				  PAGE - LINE);
	touches++;
	fits += plan->meanwhile;
	ck_assert_uint_lt(plan->before_count, 8);
	memcpy(before, plan->before, plan->before_count * sizeof(*before));
	if (held && !plan->meanwhile)
		before[shared.before_count++] =
			(struct touch){ &pages, plan->test.kind, 1 };
	shared.before = before;
	return honest->view_touch(view, &shared, answer, f);
}

static void find(struct accessed_array *a)
{
	struct machine *m = profilekit_open(MACHINE, BYTES, SEED);
	struct failure f = { .text = "" };
	struct machine_ops ops;
	struct kept_view v;
	struct prober p;

	for (size_t i = 0; i < MOST_HELD_HERE * SETS; i++)
		others[i] = (UINT64_C(1) << 37) + (i << 20) + i % SETS * 4096;
	touches = fits = 0;
	honest = m->ops;
	ops = *honest;
	ops.view_touch = count_touches;
	m->ops = &ops;
	m->clearing_disturbs = true;
	prober_begin(&p, m, SEED);
	ck_assert_msg(!kept_view_open(&v, &p, 4096, false, &f), "%s", f.text);
	v.above = ABOVE;
	ck_assert_msg(!accessed_find_array(&v, a, &f), "%s", f.text);
	if (a->found)
		ck_assert_msg(!accessed_look_later(&v, a, &f), "%s", f.text);
	kept_view_close(&v);
	m->ops = honest;
	machine_close(m);
}

/* On real processors each takes 0.2 to 1 ms: a search may take 3 s. */
#define FEW_TOUCHES 7000

START_SLOW_TEST(few_touches_are_enough_where_it_is_quiet)
{
	struct accessed_array a;

	held = 0;
	find(&a);
	printf("%u touches, %u of them of pages that may fit\n", touches, fits);
	ck_assert_msg(a.found && a.entries == SETS * WAYS && a.ways == WAYS,
		      "%s", a.reason);
	ck_assert_uint_lt(touches, FEW_TOUCHES);
}
END_TEST

/* Looks show six ways of each set. Seven pages fit as soon as others have less time. */
START_SLOW_TEST(one_page_more_refutes_what_looks_show)
{
	struct accessed_array a;

	held = MOST_HELD_HERE;
	find(&a);
	ck_assert_msg(!a.found || (a.entries == SETS * WAYS && a.ways == WAYS),
		      "%g entries, %g ways", a.entries, a.ways);
	ck_assert_uint_gt(fits, 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("touches");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, few_touches_are_enough_where_it_is_quiet);
	tcase_add_test(t, one_page_more_refutes_what_looks_show);
	suite_add_tcase(suite, t);
	return suite;
}
