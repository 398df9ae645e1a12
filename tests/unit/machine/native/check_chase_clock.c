// SPDX-License-Identifier: GPL-2.0
/* check_chase_clock.c - samples at one frequency and one pace, by a timer whose readings are given. */
#include "machine/native/chase_clock.h"
#include "suites.h"

#define ADDS_UNIT 64
#define NOMINAL 0.5

/* A timer whose pairs of readings are so long, one after the other. */
struct given {
	struct timer timer;
	const double *ticks;
	uint64_t now;
};

static uint64_t start(const struct timer *t)
{
	return ((const struct given *)t)->now;
}

static uint64_t stop(const struct timer *t)
{
	struct given *given = (struct given *)t;

	given->now += (uint64_t)*given->ticks++;
	return given->now;
}

static struct given giving(const double *ticks)
{
	return (struct given){ .timer = { .start = start, .stop = stop },
			       .ticks = ticks };
}

static bool scale(struct given *given, struct sample *sample)
{
	const struct walk_plan plan = { .cycle_ticks = NOMINAL };
	struct chase_clock c = chase_clock_choose(&given->timer, &plan, NULL);

	chase_clock_begin(&c, &given->timer);
	return chase_clock_end(&c, &given->timer, sample);
}

/* Twice as slow a clock makes half of the ticks. */
START_TEST(ticks_are_those_of_one_frequency)
{
	const double ticks[] = { 8192, 8192, 8192, 8200, 8192, 8300 };
	struct sample sample = { .ticks = 1000 };
	struct given given = giving(ticks);

	ck_assert(scale(&given, &sample));
	ck_assert_double_gt(sample.ticks, 450);
	ck_assert_double_lt(sample.ticks, 550);
	ck_assert(scale(&given, &sample));
	ck_assert(!scale(&given, &sample));
}
END_TEST

START_TEST(nothing_is_timed_unless_wanted)
{
	const struct walk_plan plan = { .loads = 1 };
	struct given given = giving(NULL);
	struct chase_clock c = chase_clock_choose(&given.timer, &plan, NULL);
	struct sample sample = { .ticks = 1000 };

	chase_clock_begin(&c, &given.timer);
	ck_assert(chase_clock_end(&c, &given.timer, &sample));
	ck_assert_double_eq(sample.ticks, 1000);
}
END_TEST

/* Two readings of a coarse timer are to be a small part of a chain. */
START_TEST(coarse_timers_take_longer_chains)
{
	const struct walk_plan plan = { .cycle_ticks = NOMINAL };
	struct given given = giving(NULL);
	struct chase_clock fine, coarse;

	given.timer.info = (struct timer_info){ .resolution_ticks = 40,
						.overhead_ticks = 42,
						.spread_ticks = 2 };
	fine = chase_clock_choose(&given.timer, &plan, NULL);
	given.timer.info.overhead_ticks = 10;
	coarse = chase_clock_choose(&given.timer, &plan, NULL);
	ck_assert_uint_eq(fine.adds % ADDS_UNIT, 0);
	ck_assert_uint_eq(coarse.adds % ADDS_UNIT, 0);
	ck_assert_uint_gt(coarse.adds, 4 * fine.adds);
}
END_TEST

#define CHANGED 0.004

/* Slower steps than at their best are no good, by more than readings are off. */
START_TEST(slow_steps_are_not_the_best)
{
	struct pace p = { .pages = NULL };

	ck_assert(pace_is_best(&p, 37, CHANGED));
	pace_note(&p, 38);
	pace_note(&p, 37);
	pace_note(&p, 44);
	ck_assert_double_eq(p.least, 37);
	ck_assert(pace_is_best(&p, 37 * (1 + CHANGED), CHANGED));
	ck_assert(!pace_is_best(&p, 38, CHANGED));
}
END_TEST

/* What was the best once may not come back: another walk has a best of its own. */
START_TEST(the_best_is_forgotten_where_it_stays_away)
{
	struct pace p = { .pages = NULL, .rounds = 1 };
	struct timer none = { .start = start, .stop = stop };

	pace_note(&p, 37);
	pace_begin(&p, &none, 0);
	pace_note(&p, 45);
	pace_note(&p, 44);
	ck_assert(!pace_is_best(&p, 44, CHANGED));
	pace_end(&p, false);
	ck_assert_double_eq(p.least, 37);
	pace_end(&p, true);
	ck_assert_double_eq(p.least, 44);
	ck_assert(pace_is_best(&p, 44, CHANGED));
	pace_note(&p, 37);
	ck_assert(!pace_is_best(&p, 44, CHANGED));
}
END_TEST

/* A ring that the processor runs: a reading is as long as was wanted. */
START_TEST(readings_have_the_length_that_is_wanted)
{
	const double half[] = { 64000, 900000 };
	struct given given = giving(half);
	struct pace p;

	pace_open(&p);
	if (!p.pages)
		return;
	pace_begin(&p, &given.timer, 20000);
	ck_assert_uint_ge(p.rounds, 10);
	ck_assert_uint_le(p.rounds, 11);
	ck_assert_double_eq(pace_read(&p, &given.timer),
			    900000.0 / (double)(p.rounds * p.ring.length));
	pace_close(&p);
	ck_assert_ptr_null(p.pages);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("clock");

	tcase_add_test(t, ticks_are_those_of_one_frequency);
	tcase_add_test(t, nothing_is_timed_unless_wanted);
	tcase_add_test(t, coarse_timers_take_longer_chains);
	tcase_add_test(t, slow_steps_are_not_the_best);
	tcase_add_test(t, the_best_is_forgotten_where_it_stays_away);
	tcase_add_test(t, readings_have_the_length_that_is_wanted);
	suite_add_tcase(suite, t);
	return suite;
}
