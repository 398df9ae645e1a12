// SPDX-License-Identifier: GPL-2.0
#include "machine/native/timer.h"
#include "method/probe/grain.h"
#include "observe/sampler.h"
#include "suites.h"

START_TEST(a_clock_is_chosen)
{
	struct failure f = { .text = "" };
	struct timer timer;

	ck_assert_msg(timer_choose(&timer, &f) == 0, "%s", f.text);
	ck_assert(timer.info.ticks_per_ns > 0);
	ck_assert(timer.info.disagreement <= 1e-3);
	ck_assert(timer.info.resolution_ticks > 0);
	ck_assert_uint_le(timer.start(&timer), timer.stop(&timer));
	timer_release(&timer);
}
END_TEST

/* Zen 3 counts in steps of 20 ns, however it is read. */
START_TEST(clocks_of_one_counter)
{
	const struct timer_info tsc = { .ticks_per_ns = 2.445,
					.resolution_ticks = 49,
					.spread_ticks = 49 };
	const struct timer_info clock = { .ticks_per_ns = 1,
					  .resolution_ticks = 20,
					  .spread_ticks = 20 };
	const struct timer_info fine = { .ticks_per_ns = 1,
					 .resolution_ticks = 20,
					 .spread_ticks = 1 };

	ck_assert(!timer_is_finer(&clock, &tsc));
	ck_assert(!timer_is_finer(&tsc, &clock));
	ck_assert(timer_is_finer(&fine, &tsc));
	ck_assert(!timer_is_finer(&tsc, &fine));
}
END_TEST

/* A kernel's clock looks finer than the counter that it is made of, by chance.
 */
START_TEST(second_hand_is_last)
{
	struct timer_trial trials[] = {
		{ .timer.info = { .ticks_per_ns = 2.6,
				  .resolution_ticks = 52,
				  .spread_ticks = 26 },
		  .usable = true },
		{ .timer.info = { .ticks_per_ns = 1,
				  .resolution_ticks = 10,
				  .spread_ticks = 10 },
		  .usable = true,
		  .second_hand = true },
		{ .timer.info = { .ticks_per_ns = 4,
				  .resolution_ticks = 1,
				  .spread_ticks = 2 },
		  .usable = true },
	};

	ck_assert(timer_is_finer(&trials[1].timer.info, &trials[0].timer.info));
	ck_assert_uint_eq(timer_best(trials, 2), 0);
	ck_assert_uint_eq(timer_best(trials, 3), 2);
	trials[2].usable = false;
	ck_assert_uint_eq(timer_best(trials, 3), 0);
	trials[0].usable = false;
	ck_assert_uint_eq(timer_best(trials, 3), 1);
	trials[1].usable = false;
	ck_assert_uint_eq(timer_best(trials, 3), 3);
}
END_TEST

START_TEST(every_refusal_has_a_reason)
{
	struct timer_trial trials[TIMER_MAX_CANDIDATES];
	size_t count = timer_try_all(trials);

	ck_assert_uint_ge(count, 1);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(trials[i].usable, trials[i].reason[0] == '\0');
	for (size_t i = 0; i < count; i++)
		timer_release(&trials[i].timer);
}
END_TEST

START_TEST(additions_take_time_in_proportion)
{
	struct failure f = { .text = "" };
	double short_ticks = 1e9, long_ticks = 1e9;
	struct timer timer;

	ck_assert_int_eq(timer_choose(&timer, &f), 0);
	for (int i = 0; i < 200; i++) {
		double a = timer_add_chain(&timer, 16384);
		double b = timer_add_chain(&timer, 65536);

		short_ticks = a < short_ticks ? a : short_ticks;
		long_ticks = b < long_ticks ? b : long_ticks;
	}
	/* No judgement of speed: four times as many cannot be less. */
	ck_assert(short_ticks > 0);
	ck_assert(long_ticks > short_ticks);
	timer_release(&timer);
}
END_TEST

/* 22 ticks on a clock of 60: 60 or 0, and 22 on average. */
START_TEST(overhead_of_coarse_clocks)
{
	double pairs[1000];

	for (int i = 0; i < 1000; i++)
		pairs[i] = i * 7 % 60 + 22 >= 60 ? 60 : 0;
	/* Interrupts count for nothing. */
	pairs[17] = pairs[423] = 40000;
	ck_assert_double_eq_tol(statistics_overhead(pairs, 1000, 60), 22, 3);
	/* What is longer than the steps varies by itself: the median. */
	for (int i = 0; i < 1000; i++)
		pairs[i] = 24 + 2 * (i % 5 == 0) + 40 * (i % 10 == 0);
	ck_assert_double_eq(statistics_overhead(pairs, 1000, 1), 24);
	pairs[0] = 7;
	ck_assert_double_eq(statistics_overhead(pairs, 1, 1), 7);
}
END_TEST

START_TEST(middle_of_samples)
{
	const double values[] = { 120, 60, 60, 120, 9000, 60, 120, 0 };

	/* 60 60 120 120 are left. */
	ck_assert_double_eq(statistics_middle(values, 8), 90);
	ck_assert_double_eq(values[4], 9000);
	ck_assert_double_eq(statistics_middle(values, 1), 120);
	ck_assert(isnan(statistics_middle(values, 0)));
}
END_TEST

/* 70 ticks on a clock of 60: one in six is a step longer, within no quartile.
 */
START_TEST(near_middle_of_samples)
{
	const double values[] = { 60, 60, 60, 120, 60, 60, 9000, 60, 120,
				  60, 60, 60, 60,  0,  60, 240,	 60, 60 };

	ck_assert_double_eq(statistics_middle(values, 18), 60);
	/* 0 and 120 count, 240 and 9000 do not. */
	ck_assert_double_eq(statistics_near_middle(values, 18, 60), 63.75);
	ck_assert_double_eq(statistics_near_middle(values, 18, 0), 60);
	ck_assert(isnan(statistics_near_middle(values, 0, 60)));
}
END_TEST

/* Half a step of one placement is nothing, of all placements it is. */
START_TEST(lines_astray)
{
	struct stray s = { .more = 200, .less = 16, .grain = 5 };

	ck_assert_double_eq(latency_deviation_most(&s), 0);
	for (int i = 0; i < 8; i++)
		latency_deviation_add(&s, i % 2 ? 5 : -5);
	ck_assert_double_eq(latency_deviation_most(&s), 0);
	for (int i = 0; i < 1000; i++)
		latency_deviation_add(&s, -5);
	ck_assert_double_eq_tol(latency_deviation_most(&s), 5. / 16, 0.01);
	latency_deviation_add(&s, -17);
	ck_assert_double_eq(latency_deviation_most(&s), 12. / 16);
	latency_deviation_add(&s, 205);
	ck_assert_double_eq(latency_deviation_most(&s), 1);
}
END_TEST

START_TEST(quantiles)
{
	double values[] = { 5, 1, 4, 2, 3 };

	ck_assert(statistics_quantile(values, 5, 0) == 1);
	ck_assert(statistics_quantile(values, 5, 0.5) == 3);
	ck_assert(statistics_quantile(values, 5, 1) == 5);
	ck_assert(statistics_quantile(values, 1, 0.5) == 1);
	ck_assert(statistics_quantile(values, 0, 0.5) == 0);
	/* 1, 2 and 3 of five; 1 and 2 of four. */
	ck_assert(statistics_low_mean(values, 5) == 2);
	ck_assert(statistics_low_mean(values, 4) == 1.5);
	ck_assert(statistics_low_mean(values, 1) == 1);
	ck_assert(statistics_low_mean(values, 0) == 0);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("timer");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_clock_is_chosen);
	tcase_add_test(t, clocks_of_one_counter);
	tcase_add_test(t, second_hand_is_last);
	tcase_add_test(t, every_refusal_has_a_reason);
	tcase_add_test(t, additions_take_time_in_proportion);
	tcase_add_test(t, quantiles);
	tcase_add_test(t, overhead_of_coarse_clocks);
	tcase_add_test(t, middle_of_samples);
	tcase_add_test(t, near_middle_of_samples);
	tcase_add_test(t, lines_astray);
	suite_add_tcase(suite, t);
	return suite;
}
