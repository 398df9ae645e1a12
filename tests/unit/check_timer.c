// SPDX-License-Identifier: GPL-2.0
#include "observe/sampler.h"
#include "observe/timer.h"
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

START_TEST(quantiles)
{
	double values[] = { 5, 1, 4, 2, 3 };

	ck_assert(sampler_quantile(values, 5, 0) == 1);
	ck_assert(sampler_quantile(values, 5, 0.5) == 3);
	ck_assert(sampler_quantile(values, 5, 1) == 5);
	ck_assert(sampler_quantile(values, 1, 0.5) == 1);
	ck_assert(sampler_quantile(values, 0, 0.5) == 0);
	/* 1, 2 and 3 of five; 1 and 2 of four. */
	ck_assert(sampler_low_mean(values, 5) == 2);
	ck_assert(sampler_low_mean(values, 4) == 1.5);
	ck_assert(sampler_low_mean(values, 1) == 1);
	ck_assert(sampler_low_mean(values, 0) == 0);
}
END_TEST

Suite *make_timer_suite(void)
{
	Suite *suite = suite_create("timer");
	TCase *t = tcase_create("timer");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_clock_is_chosen);
	tcase_add_test(t, every_refusal_has_a_reason);
	tcase_add_test(t, additions_take_time_in_proportion);
	tcase_add_test(t, quantiles);
	suite_add_tcase(suite, t);
	return suite;
}
