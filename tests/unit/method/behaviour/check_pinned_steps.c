// SPDX-License-Identifier: GPL-2.0
/* check_pinned_steps.c - the order in which pinned lines and others come. */
#include "method/behaviour/pinned.h"
#include "suites.h"

#define APART 256

static uint64_t x[] = { 4096 };
static uint64_t push[] = { 8192, 12288, 16384 };
static uint64_t over[] = { 20480, 24576 };

/* Two pinned lines; the holder is the first level, or has one above it. */
static void ck_rounds(size_t n, bool above, const uint64_t *wanted,
		      size_t count)
{
	const struct pinned k = { .count = 2,
				  .apart = { 0, APART },
				  .wanted = 3 };
	const struct pinned_place at = {
		.offsets = { [PINNED_X] = x,
			     [PINNED_PUSH] = push,
			     [PINNED_OVER_HOLDER] = over },
		.counts = { [PINNED_X] = 1,
			    [PINNED_PUSH] = 3,
			    [PINNED_OVER_HOLDER] = above ? 2 : 0 },
	};
	struct pinned_steps s = { .count = 0 };

	pinned_rounds(&k, &at, PINNED_PUSH, n, &s);
	ck_assert(!s.failed);
	ck_assert_uint_eq(s.count, 1);
	ck_assert_int_eq(s.steps[0].kind, STEP_LOAD);
	ck_assert_uint_eq(s.lines[0].length, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(s.lines[0].offsets[i], wanted[i]);
	sequence_free(&s.lines[0]);
}

START_TEST(pinned_lines_take_turns)
{
	/* The fourth line that pushes is the first one again. */
	static const uint64_t four[] = {
		4096, 8192,  4096 ^ APART, 8192 ^ APART,
		4096, 12288, 4096 ^ APART, 12288 ^ APART,
		4096, 16384, 4096 ^ APART, 16384 ^ APART,
		4096, 8192,  4096 ^ APART, 8192 ^ APART,
	};

	ck_rounds(4, false, four, 16);
}
END_TEST

START_TEST(without_rounds_each_is_loaded)
{
	static const uint64_t none[] = { 4096, 4096 ^ APART };

	ck_rounds(0, false, none, 2);
}
END_TEST

START_TEST(only_the_holder_sees_a_use)
{
	static const uint64_t one[] = {
		20480,	       24576,	      4096,	    8192,
		20480 ^ APART, 24576 ^ APART, 4096 ^ APART, 8192 ^ APART,
	};

	ck_rounds(1, true, one, 8);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("rounds");

	tcase_add_test(t, pinned_lines_take_turns);
	tcase_add_test(t, without_rounds_each_is_loaded);
	tcase_add_test(t, only_the_holder_sees_a_use);
	suite_add_tcase(suite, t);
	return suite;
}
