// SPDX-License-Identifier: GPL-2.0
/* check_statistics.c - bounds of rates and of normal variables. */
#include "base/statistics.h"

#include <math.h>

#include "base/wilson.h"
#include "suites.h"

/* Of tables; and the way back, far out. */
START_TEST(sigmas)
{
	ck_assert_double_eq_tol(statistics_sigmas(0.05), 1.959964, 1e-6);
	ck_assert_double_eq_tol(statistics_sigmas(0.01), 2.575829, 1e-6);
	ck_assert_double_eq_tol(statistics_sigmas(2e-6), 4.753424, 1e-6);
	for (double alpha = 0.1; alpha > 1e-250; alpha /= 10)
		ck_assert_double_eq_tol(
			erfc(statistics_sigmas(alpha) / sqrt(2)) / alpha, 1,
			1e-9);
}
END_TEST

/* Of @trials at @rate, @hits or fewer. */
static double as_few(int hits, int trials, double rate)
{
	double sum = 0;

	for (int k = 0; k <= hits; k++)
		sum += exp(lgamma(trials + 1.0) - lgamma(k + 1.0) -
			   lgamma(trials - k + 1.0) + k * log(rate) +
			   (trials - k) * log1p(-rate));
	return sum;
}

START_TEST(binomial_tails)
{
	ck_assert_double_eq_tol(statistics_binomial_tail(5, 5, 0.5), 1 / 32.0,
				1e-12);
	ck_assert_double_eq_tol(statistics_binomial_tail(3, 5, 0.5), 16 / 32.0,
				1e-12);
	ck_assert_double_eq_tol(statistics_binomial_tail(2, 2, 0.1), 0.01,
				1e-12);
	ck_assert_double_eq_tol(statistics_binomial_tail(0, 7, 0.9), 1, 1e-12);
}
END_TEST

/* As few hits come with that probability at most; of none exactly with it. */
START_TEST(rates)
{
	static const double alphas[] = { 0.05, 1e-4, 1e-9 };

	for (int i = 0; i < 3; i++) {
		ck_assert_double_eq_tol(as_few(0, 144,
					       rate_most(0, 144, alphas[i])) /
						alphas[i],
					1, 1e-9);
		for (int hits = 1; hits < 40; hits++) {
			const double rate = rate_most(hits, 40, alphas[i]);

			ck_assert(rate > hits / 40.0 && rate < 1);
			ck_assert_double_le(as_few(hits, 40, rate), alphas[i]);
			ck_assert(rate > rate_most(hits - 1, 40, alphas[i]));
		}
		ck_assert_double_eq(rate_most(40, 40, alphas[i]), 1);
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("all");

	tcase_add_test(t, sigmas);
	tcase_add_test(t, binomial_tails);
	tcase_add_test(t, rates);
	suite_add_tcase(s, t);
	return s;
}
