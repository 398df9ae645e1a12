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

/* An unknown number of tests: each may err less than the one before it, none is
 * refused, and together they draw no more than there is.
 */
START_TEST(many_tests)
{
	struct budget b = budget_begin();
	double last = 1e-6;

	for (int i = 0; i < 100000; i++) {
		const double alpha = budget_take(&b, 1e-6);

		ck_assert(alpha > 0 && alpha <= last);
		if (i < BUDGET_TESTS)
			ck_assert_double_eq(alpha, 1e-6);
		if (i == 10 * BUDGET_TESTS)
			ck_assert(alpha > 1e-11);
		last = alpha;
		if (last < 1e-60)
			break;
	}
	ck_assert_double_le(budget_bound(&b, 0), BUDGET_RESULT);
	b.alpha_left = 0;
	ck_assert_double_eq(budget_take(&b, 1e-6), 0);
}
END_TEST

/* The bound of a result is that of its own tests, and none is above 1. */
START_TEST(bounds_of_results)
{
	struct budget b = { .alpha_left = 1 };
	double before;

	budget_draw(&b, 0.25);
	before = b.alpha_drawn;
	ck_assert_double_eq(budget_bound(&b, before), 0);
	budget_draw(&b, 1e-6);
	budget_draw(&b, 1e-6);
	ck_assert_double_eq_tol(budget_bound(&b, before), 2e-6, 1e-15);
	b.alpha_left = 1;
	budget_draw(&b, 0.9);
	ck_assert_double_eq(budget_bound(&b, 0), 1);
}
END_TEST

/* Tests of one result share what one result may draw; others do not pay. */
START_TEST(results_have_a_limit)
{
	struct budget b = budget_begin();
	struct budget_scope scope = budget_open(&b);

	ck_assert(budget_draw(&b, 0.9 * BUDGET_RESULT));
	ck_assert(!budget_draw(&b, 0.2 * BUDGET_RESULT));
	ck_assert_double_eq(budget_close(&b, &scope), 0.9 * BUDGET_RESULT);
	scope = budget_open(&b);
	ck_assert(budget_draw(&b, 0.2 * BUDGET_RESULT));
	ck_assert_double_eq_tol(budget_close(&b, &scope), 0.2 * BUDGET_RESULT,
				1e-15);
	ck_assert_double_eq(b.alpha_left, BUDGET_RESULT);
}
END_TEST

/* A result that another one rests on draws from what that one has left. */
START_TEST(inner_results)
{
	struct budget b = budget_begin();
	const struct budget_scope outer = budget_open(&b);
	struct budget_scope inner;

	ck_assert(budget_draw(&b, 0.9 * BUDGET_RESULT));
	inner = budget_open(&b);
	ck_assert(!budget_draw(&b, 0.2 * BUDGET_RESULT));
	ck_assert(budget_draw(&b, 0.05 * BUDGET_RESULT));
	ck_assert_double_eq_tol(budget_close(&b, &inner), 0.05 * BUDGET_RESULT,
				1e-15);
	ck_assert(!budget_draw(&b, 0.1 * BUDGET_RESULT));
	ck_assert_double_eq_tol(budget_close(&b, &outer), 0.95 * BUDGET_RESULT,
				1e-15);
	ck_assert(budget_draw(&b, 0.9 * BUDGET_RESULT));
}
END_TEST

/* What earlier attempts have drawn counts. */
START_TEST(resumed_results)
{
	struct budget b = budget_begin();
	struct budget_scope scope = budget_open(&b);
	double drawn;

	ck_assert(budget_draw(&b, 0.6 * BUDGET_RESULT));
	drawn = budget_close(&b, &scope);
	scope = budget_resume(&b, drawn);
	ck_assert(!budget_draw(&b, 0.5 * BUDGET_RESULT));
	ck_assert(budget_draw(&b, 0.3 * BUDGET_RESULT));
	ck_assert_double_eq_tol(budget_close(&b, &scope), 0.9 * BUDGET_RESULT,
				1e-15);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("all");

	tcase_add_test(t, tests_draw_until_too_little_is_left);
	tcase_add_test(t, many_tests);
	tcase_add_test(t, bounds_of_results);
	tcase_add_test(t, results_have_a_limit);
	tcase_add_test(t, inner_results);
	tcase_add_test(t, resumed_results);
	suite_add_tcase(s, t);
	return s;
}
