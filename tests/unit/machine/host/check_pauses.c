// SPDX-License-Identifier: GPL-2.0
/* check_pauses.c - pauses of a CPU between readings of its clock. */
#include <math.h>

#include "machine/host/pauses.h"
#include "suites.h"

#define READINGS 100000
#define STEP_NS 30

/* Readings of 30 ns, of which each @every-th waits for @ns. */
static struct pauses pauses_every(size_t every, double ns)
{
	static double readings[READINGS];

	for (size_t i = 1; i < READINGS; i++)
		readings[i] =
			readings[i - 1] + (i % every ? STEP_NS : STEP_NS + ns);
	return pauses_of(readings, READINGS);
}

START_TEST(pauses_are_counted)
{
	const struct pauses often = pauses_every(1000, 2000);
	const struct pauses seldom = pauses_every(50000, 2000);

	/* Each takes 30 us and 2 us more. */
	ck_assert(fabs(often.per_second - 1e9 / 32000) < 400);
	ck_assert(fabs(often.mean_ns - 2030) < 1);
	ck_assert(seldom.per_second < 1000);
}
END_TEST

START_TEST(none_and_other_threads_are_no_pauses)
{
	const double one = 5;

	ck_assert(pauses_every(READINGS, 0).per_second <= 0);
	ck_assert(pauses_every(1000, 3e6).per_second <= 0);
	ck_assert(pauses_of(&one, 1).per_second <= 0);
	ck_assert(pauses_of(NULL, 0).per_second <= 0);
}
END_TEST

/* A CPU that does nothing else than to stop would be a mistake of the clock. */
START_TEST(this_cpu_runs_between_pauses)
{
	const struct pauses found = pauses_measure();

	ck_assert(found.per_second >= 0 && found.mean_ns >= 0);
	ck_assert(found.per_second * found.mean_ns < 1e9);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("pauses");

	tcase_add_test(t, pauses_are_counted);
	tcase_add_test(t, none_and_other_threads_are_no_pauses);
	tcase_add_test(t, this_cpu_runs_between_pauses);
	suite_add_tcase(suite, t);
	return suite;
}
