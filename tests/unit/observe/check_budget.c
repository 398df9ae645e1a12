// SPDX-License-Identifier: GPL-2.0
#include "observe/budget.h"

#include <math.h>

#include "suites.h"

START_TEST(tests_draw_until_too_little_is_left)
{
	struct budget b = { .alpha_left = 3e-6 };

	ck_assert(budget_draw(&b, 1e-6));
	ck_assert(budget_draw(&b, 1.5e-6));
	ck_assert(!budget_draw(&b, 1e-6));
	/* What is refused is not drawn: less may still be. */
	ck_assert_double_eq_tol(budget_bound(&b, 0), 2.5e-6, 1e-15);
	ck_assert(budget_draw(&b, 0.4e-6));
	ck_assert(!budget_draw(&b, NAN));
	ck_assert_double_eq_tol(b.alpha_left, 0.1e-6, 1e-15);
}
END_TEST

START_TEST(unlimited)
{
	struct budget b = budget_unlimited();

	for (int i = 0; i < 1000; i++)
		ck_assert(budget_draw(&b, 1e-6));
	ck_assert_double_eq_tol(budget_bound(&b, 0), 1e-3, 1e-12);
}
END_TEST

/* The bound of a result is that of its own tests, and none is above 1. */
START_TEST(bounds_of_results)
{
	struct budget b = budget_unlimited();
	double before;

	budget_draw(&b, 0.25);
	before = b.alpha_drawn;
	ck_assert_double_eq(budget_bound(&b, before), 0);
	budget_draw(&b, 1e-6);
	budget_draw(&b, 1e-6);
	ck_assert_double_eq_tol(budget_bound(&b, before), 2e-6, 1e-15);
	budget_draw(&b, 0.9);
	ck_assert_double_eq(budget_bound(&b, 0), 1);
}
END_TEST

/* As many tests as were planned for can all draw their share. */
START_TEST(shares)
{
	struct budget b = { .alpha_left = 1e-3 };

	ck_assert_double_eq(budget_share(&b, 100, 1e-6), 1e-6);
	ck_assert_double_eq_tol(budget_share(&b, 4000, 1e-6), 2.5e-7, 1e-15);
	for (size_t left = 4000; left; left--)
		ck_assert(budget_draw(&b, budget_share(&b, left, 1e-6)));
	ck_assert_double_eq_tol(budget_bound(&b, 0), 1e-3, 1e-12);
}
END_TEST

/* Tests of one result share what one result may draw; others do not pay. */
START_TEST(results_have_a_limit)
{
	struct budget b = budget_unlimited();
	struct budget_scope scope = budget_open(&b);

	ck_assert(budget_draw(&b, 0.9 * BUDGET_RESULT));
	ck_assert(!budget_draw(&b, 0.2 * BUDGET_RESULT));
	ck_assert_double_eq(budget_close(&b, &scope), 0.9 * BUDGET_RESULT);
	scope = budget_open(&b);
	ck_assert(budget_draw(&b, 0.2 * BUDGET_RESULT));
	ck_assert_double_eq_tol(budget_close(&b, &scope), 0.2 * BUDGET_RESULT,
				1e-15);
	ck_assert(isinf(b.alpha_left));
	b.alpha_left = 3e-6;
	scope = budget_open(&b);
	ck_assert(!budget_draw(&b, 4e-6));
	ck_assert(budget_draw(&b, 1e-6));
	budget_close(&b, &scope);
	ck_assert_double_eq_tol(b.alpha_left, 2e-6, 1e-15);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("all");

	tcase_add_test(t, tests_draw_until_too_little_is_left);
	tcase_add_test(t, unlimited);
	tcase_add_test(t, bounds_of_results);
	tcase_add_test(t, shares);
	tcase_add_test(t, results_have_a_limit);
	suite_add_tcase(s, t);
	return s;
}
