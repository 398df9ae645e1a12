// SPDX-License-Identifier: GPL-2.0
/* check_costs.c - the costs of the groups add up to those of the measurement. */
#include <math.h>

#include "method/amp/ampkit.h"
#include "method/measure.h"
#include "suites.h"

static struct hierarchy found;

START_TEST(costs_add_up)
{
	struct machine *m = ampkit_open_file("amp-p5-133", 1);
	struct failure f = { .text = "" };
	double seconds = 0, began_ns;
	uint64_t accesses, tests = 0;
	struct prober p;

	prober_begin(&p, m, 1);
	hierarchy_init(&found);
	accesses = m->conditions.accesses;
	began_ns = m->ops->clock_ns(m);
	ck_assert_msg(!measure_everything(&p, ~0u, &found, &f), "%s", f.text);
	accesses = m->conditions.accesses - accesses;
	for (size_t i = 0; i < found.cost_count; i++) {
		accesses -= found.costs[i].accesses;
		tests += found.costs[i].tests;
		seconds += found.costs[i].seconds;
	}
	ck_assert_uint_eq(accesses, 0);
	ck_assert_uint_eq(tests, p.tests);
	ck_assert(fabs(seconds - (m->ops->clock_ns(m) - began_ns) / 1e9) <
		  1e-6);
	/* The proof of counters comes before the search begins its results. */
	ck_assert_str_eq(found.costs[found.cost_count - 1].group, "counters");
	ck_assert_uint_gt(found.costs[found.cost_count - 1].accesses, 0);
	machine_close(m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("costs");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, costs_add_up);
	suite_add_tcase(suite, t);
	return suite;
}
