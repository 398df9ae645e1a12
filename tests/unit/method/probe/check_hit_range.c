// SPDX-License-Identifier: GPL-2.0
/* check_hit_range.c - what a hit costs after the core's clock has changed. */
#include <math.h>

#include "method/probe/hit_range.h"
#include "suites.h"

/* One tick a nanosecond. */
static double ticks_of_cycle;

static double add_at_pace(struct machine *m, unsigned int adds)
{
	(void)m;
	return ticks_of_cycle * adds;
}

static const struct machine_ops ops = { .add_chain = add_at_pace };

/* Measured with cycles of half a nanosecond. */
static struct hit_range range_of(double pace_now, bool in_cycles)
{
	struct machine m = { .ops = &ops, .timer = { .ticks_per_ns = 1 } };
	const struct prober p = { .m = &m, .page_ticks = 2 };
	struct cache_result c = { .level = 2 };

	parameter_measured(&c.latency_ns, 8, 0, "test");
	if (in_cycles)
		parameter_measured(&c.latency_cycles, 16, 0, "test");
	ticks_of_cycle = pace_now;
	return hit_range_now(&p, &c);
}

static void ck_range(struct hit_range r, double least, double most)
{
	ck_assert_double_eq_tol(r.least, least, 1e-9);
	ck_assert_double_eq_tol(r.most, most, 1e-9);
}

START_TEST(a_clock_that_stays_adds_nothing)
{
	ck_range(range_of(0.5, true), 10, 10);
}
END_TEST

START_TEST(a_clock_that_changes_opens_the_range)
{
	ck_range(range_of(0.4, true), 8.4, 10);
	ck_range(range_of(0.6, true), 10, 11.6);
}
END_TEST

/* No clock, or no cycles: as it was measured. */
START_TEST(without_cycles_it_is_what_it_was)
{
	ck_range(range_of(0, true), 10, 10);
	ck_range(range_of(0.4, false), 10, 10);
}
END_TEST

START_TEST(off_is_counted_from_the_nearer_end)
{
	const struct hit_range r = { 8, 10 };

	ck_assert_double_eq(hit_range_off(&r, 8), 0);
	ck_assert_double_eq(hit_range_off(&r, 9), 0);
	ck_assert_double_eq(hit_range_off(&r, 10), 0);
	ck_assert_double_eq(hit_range_off(&r, 7), -1);
	ck_assert_double_eq(hit_range_off(&r, 13), 3);
	/* What was not seen is not near. */
	ck_assert(isnan(hit_range_off(&r, NAN)));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("clock");

	tcase_add_test(t, a_clock_that_stays_adds_nothing);
	tcase_add_test(t, a_clock_that_changes_opens_the_range);
	tcase_add_test(t, without_cycles_it_is_what_it_was);
	tcase_add_test(t, off_is_counted_from_the_nearer_end);
	suite_add_tcase(suite, t);
	return suite;
}
