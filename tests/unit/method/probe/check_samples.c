// SPDX-License-Identifier: GPL-2.0
/* check_samples.c - how long samples are, by how many of them were disturbed. */
#include "method/probe/prober.h"
#include "suites.h"

/* How long samples are after a number of them, disturbed or not. */
START_TEST(samples_shorten_where_disturbed)
{
	struct machine m = { .timer = { .resolution_ticks = 1,
					.spread_ticks = 19 } };
	struct machine_conditions before = { .samples = 0 };
	struct prober p = { .m = &m };

	ck_assert_uint_eq(prober_loads(&p, 2000, 0), 2000);
	/* Too few to decide. */
	m.conditions =
		(struct machine_conditions){ .samples = 15, .disturbed = 15 };
	prober_count_samples(&p, &before, 2000);
	ck_assert_uint_eq(prober_loads(&p, 2000, 0), 2000);
	/* One of two. */
	before = m.conditions;
	m.conditions = (struct machine_conditions){ .samples = 2015,
						    .disturbed = 1015 };
	prober_count_samples(&p, &before, 2000);
	ck_assert_uint_le(prober_loads(&p, 2000, 0), 500);
	ck_assert_uint_eq(prober_loads(&p, 2000, 700), 700);
	ck_assert_uint_eq(prober_loads(&p, 2000, 1e9), 2000);
	m.timer.spread_ticks = 99;
	ck_assert_uint_ge(prober_loads(&p, 2000, 0), 1000);
	/* One of ten in all. */
	before = m.conditions;
	m.conditions = (struct machine_conditions){ .samples = 10015,
						    .disturbed = 1016 };
	prober_count_samples(&p, &before, 2000);
	ck_assert_uint_eq(prober_loads(&p, 2000, 0), 2000);
	ck_assert_double_eq(prober_least_loads(&p, 100, 50), 1600);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("samples");

	tcase_add_test(t, samples_shorten_where_disturbed);
	suite_add_tcase(suite, t);
	return suite;
}
