// SPDX-License-Identifier: GPL-2.0
/* check_rules.c - what the baselines read off tables of times. */
#include "method/baseline/rules.h"
#include "suites.h"

#define KIB 1024.0
#define MIB (1024 * KIB)

static const struct {
	const char *name;
	struct curve_point points[8];
	size_t count;
	double bytes[RULES_MOST_LEVELS];
	size_t levels;
} curves[] = {
	{ "none", { { 0, 0 } }, 0, { 0 }, 0 },
	{ "one", { { 8 * KIB, 4 } }, 1, { 0 }, 0 },
	{ "no time", { { 8 * KIB, 0 }, { 16 * KIB, 4 } }, 2, { 0 }, 0 },
	/* 114 / 100 is not more than 1.14. */
	{ "not enough", { { 8 * KIB, 100 }, { 16 * KIB, 114 } }, 2, { 0 }, 0 },
	{ "enough", { { 8 * KIB, 100 }, { 16 * KIB, 115 } }, 2, { 8 * KIB }, 1 },
	{ "below 1 MiB the one before",
	  { { 256 * KIB, 4 }, { 512 * KIB, 8 } },
	  2,
	  { 256 * KIB },
	  1 },
	{ "from 1 MiB on the one after",
	  { { 512 * KIB, 4 }, { MIB, 8 }, { 2 * MIB, 16 } },
	  3,
	  { MIB, 2 * MIB },
	  2 },
	{ "a soft rise is two",
	  { { 16 * KIB, 4 }, { 32 * KIB, 7 }, { 64 * KIB, 12 }, { MIB, 12 } },
	  4,
	  { 16 * KIB, 32 * KIB },
	  2 },
	{ "after a fall",
	  { { 8 * KIB, 12 }, { 16 * KIB, 4 }, { 32 * KIB, 5 } },
	  3,
	  { 16 * KIB },
	  1 },
	{ "not more than three",
	  { { 8 * KIB, 1 },
	    { 16 * KIB, 2 },
	    { 32 * KIB, 4 },
	    { 64 * KIB, 8 },
	    { 128 * KIB, 99 } },
	  5,
	  { 8 * KIB, 16 * KIB, 32 * KIB },
	  3 },
};

START_TEST(rises_are_levels)
{
	double bytes[RULES_MOST_LEVELS] = { 0 };
	size_t found = rules_levels(curves[_i].points, curves[_i].count, bytes);

	ck_assert_msg(found == curves[_i].levels, "%s: %zu", curves[_i].name,
		      found);
	for (size_t i = 0; i < found; i++)
		ck_assert_msg(bytes[i] == curves[_i].bytes[i], "%s: %g",
			      curves[_i].name, bytes[i]);
}
END_TEST

START_TEST(steepest_is_by_ratio)
{
	static const struct curve_point rising[] = {
		{ 1, 1 }, { 2, 3 }, { 4, 100 }, { 8, 200 }
	};
	static const struct curve_point alike[] = { { 1, 5 },
						    { 2, 5 },
						    { 4, 5 } };
	static const struct curve_point falling[] = { { 1, 9 },
						      { 2, 6 },
						      { 4, 5 } };
	static const struct curve_point nothing[] = { { 1, 0 }, { 2, 0 } };

	ck_assert_uint_eq(rules_steepest(rising, 4), 2);
	ck_assert_uint_eq(rules_steepest(alike, 3), 1);
	ck_assert_uint_eq(rules_steepest(falling, 3), 2);
	ck_assert_uint_eq(rules_steepest(nothing, 2), 0);
	ck_assert_uint_eq(rules_steepest(rising, 1), 0);
}
END_TEST

/* 10240 rounds of 8 MiB / 64 are 1.34e9 updates, of 8 MiB / 128 0.67e9. */
START_TEST(long_strides_are_cut_short)
{
	ck_assert(rules_line_updates(8 * MIB, 4) == 1024 * MIB);
	ck_assert(rules_line_updates(8 * MIB, 64) == 1024 * MIB);
	ck_assert(rules_line_updates(8 * MIB, 128) == 640 * MIB);
	ck_assert(rules_line_updates(8 * MIB, 512) == 160 * MIB);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("baseline_rules");

	tcase_add_loop_test(t, rises_are_levels, 0,
			    sizeof(curves) / sizeof(curves[0]));
	tcase_add_test(t, steepest_is_by_ratio);
	tcase_add_test(t, long_strides_are_cut_short);
	suite_add_tcase(suite, t);
	return suite;
}
