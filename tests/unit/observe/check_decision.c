// SPDX-License-Identifier: GPL-2.0
#include "base/rng.h"
#include "observe/decision.h"
#include "suites.h"

#define PER_BLOCK 8

/* Observations of a sequence that misses @misses a round, some disturbed. */
static void observe(struct rng *rng, double misses, double disturbed,
		    double *values)
{
	for (int i = 0; i < PER_BLOCK; i++) {
		values[i] = misses + 0.1 * (rng_uniform(rng) - 0.5);
		if (rng_uniform(rng) < disturbed)
			values[i] += 0.6 + 5 * rng_uniform(rng);
	}
}

static enum verdict run(struct rng *rng, double misses, double disturbed,
			struct decision *d)
{
	struct decision_rules rules = decision_default_rules();
	enum verdict verdict;

	decision_begin(d, &rules);
	do {
		double test[PER_BLOCK], control[PER_BLOCK];

		observe(rng, misses, disturbed, test);
		observe(rng, 0, disturbed, control);
		decision_add_block(d, test, PER_BLOCK, control, PER_BLOCK, 1);
	} while (!decision_done(d, &verdict));
	return verdict;
}

START_TEST(quiet)
{
	struct rng rng = { 7 };
	struct decision d;

	ck_assert_int_eq(run(&rng, 0, 0, &d), VERDICT_COMPACT);
	ck_assert_uint_le(d.blocks, 4);
	ck_assert_int_eq(run(&rng, 1, 0, &d), VERDICT_NON_COMPACT);
	ck_assert_int_eq(run(&rng, 12, 0, &d), VERDICT_NON_COMPACT);
}
END_TEST

/* 4,000 decisions at up to half of all samples disturbed: undecided is
 * allowed, wrong is not.
 */
START_TEST(never_wrong)
{
	struct rng rng = { (uint64_t)_i };
	int undecided = 0;

	for (int i = 0; i < 500; i++) {
		double disturbed = 0.5 * rng_uniform(&rng);
		struct decision d;
		enum verdict v = run(&rng, 0, disturbed, &d);

		ck_assert_msg(v != VERDICT_NON_COMPACT, "seed %d round %d", _i,
			      i);
		undecided += v == VERDICT_UNDECIDED;
		v = run(&rng, 1 + rng_below(&rng, 3), disturbed, &d);
		ck_assert_msg(v != VERDICT_COMPACT, "seed %d round %d", _i, i);
		undecided += v == VERDICT_UNDECIDED;
	}
	ck_assert_int_lt(undecided, 100);
}
END_TEST

START_TEST(between_is_undecided)
{
	struct rng rng = { 3 };
	struct decision d;

	ck_assert_int_eq(run(&rng, 0.375, 0, &d), VERDICT_UNDECIDED);
	ck_assert_uint_eq(d.blocks, d.rules.max_blocks);
}
END_TEST

/* Half of the placements compact, half not, as under a hashed index. */
START_TEST(mixed_placements_are_undecided)
{
	struct decision_rules rules = decision_default_rules();
	struct rng rng = { 5 };
	enum verdict verdict;
	struct decision d;
	int block = 0;

	decision_begin(&d, &rules);
	do {
		double test[PER_BLOCK], control[PER_BLOCK];

		observe(&rng, block++ % 2 ? 4 : 0, 0, test);
		observe(&rng, 0, 0, control);
		decision_add_block(&d, test, PER_BLOCK, control, PER_BLOCK, 1);
	} while (!decision_done(&d, &verdict));
	ck_assert_int_ne(verdict, VERDICT_NON_COMPACT);
	ck_assert_uint_gt(d.compact_blocks, 0);
	ck_assert_uint_gt(d.non_compact_blocks, 0);
}
END_TEST

/* Three blocks miss by chance, the others hit. */
START_TEST(non_compact_takes_blocks_of_its_own)
{
	const double slow[] = { 5, 6, 7, 8, 5, 6, 7, 8 };
	const double fast[PER_BLOCK] = { 0 };
	struct decision_rules rules = decision_default_rules();
	enum verdict verdict;
	struct decision d;

	decision_begin(&d, &rules);
	for (int i = 0; i < 3; i++)
		decision_add_block(&d, slow, PER_BLOCK, fast, PER_BLOCK, 1);
	ck_assert(decision_done(&d, &verdict));
	ck_assert_int_eq(verdict, VERDICT_NON_COMPACT);
	rules.min_non_compact_blocks = 6;
	decision_begin(&d, &rules);
	for (int i = 0; i < 3; i++)
		decision_add_block(&d, slow, PER_BLOCK, fast, PER_BLOCK, 1);
	ck_assert(!decision_done(&d, &verdict));
	while (!decision_done(&d, &verdict))
		decision_add_block(&d, fast, PER_BLOCK, fast, PER_BLOCK, 1);
	ck_assert_int_eq(verdict, VERDICT_COMPACT);
}
END_TEST

START_TEST(disturbed_blocks_are_void)
{
	const double slow[] = { 5, 6, 7, 8 };
	struct decision_rules rules = decision_default_rules();
	enum verdict verdict;
	struct decision d;

	decision_begin(&d, &rules);
	while (!decision_done(&d, &verdict))
		decision_add_block(&d, slow, 4, slow, 4, 1);
	ck_assert_int_eq(verdict, VERDICT_UNDECIDED);
	ck_assert_uint_eq(d.void_blocks, d.blocks);
	decision_begin(&d, &rules);
	decision_add_block(&d, slow, 0, slow, 0, 1);
	ck_assert_uint_eq(d.void_blocks, 1);
}
END_TEST

/* Where half of all observations are disturbed, only what misses in nearly all
 * of them differs from what misses nothing.
 */
START_TEST(clear_among_many_disturbed)
{
	struct rng rng = { 11 };
	int decided = 0;

	for (int i = 0; i < 200; i++) {
		struct decision d;
		enum verdict v = run(&rng, 12, 0.5, &d);

		ck_assert_int_ne(v, VERDICT_COMPACT);
		decided += v == VERDICT_NON_COMPACT;
		ck_assert_int_ne(run(&rng, 0, 0.5, &d), VERDICT_NON_COMPACT);
	}
	ck_assert_int_ge(decided, 195);
}
END_TEST

/* Sixteen times as long as the control, a compact sequence is hardly ever
 * undisturbed where half of the controls are disturbed.
 */
START_TEST(longer_than_the_control)
{
	struct decision_rules rules = decision_default_rules();
	struct rng rng = { 13 };

	for (int i = 0; i < 200; i++) {
		enum verdict verdict;
		struct decision d;

		decision_begin(&d, &rules);
		do {
			double test[PER_BLOCK], control[PER_BLOCK];

			observe(&rng, 0, 0.999, test);
			observe(&rng, 0, 0.5, control);
			decision_add_block(&d, test, PER_BLOCK, control,
					   PER_BLOCK, 16);
		} while (!decision_done(&d, &verdict));
		ck_assert_int_ne(verdict, VERDICT_NON_COMPACT);
	}
}
END_TEST

/* Disturbance misses up to two lines in nearly all observations of either side: twelve
 * are clear, but only where many are looked for, and what fits is never non-compact.
 */
START_TEST(many_beside_constant_disturbance)
{
	struct decision_rules rules = decision_default_rules();
	struct rng rng = { 17 };
	enum verdict verdict;

	for (int i = 0; i < 300; i++) {
		const double misses = i % 3 ? 12 : 0;
		struct decision d;

		rules.many_misses = i % 3 == 1 ? 4 : 0;
		if (!misses)
			rules.many_misses = 4;
		decision_begin(&d, &rules);
		do {
			double test[PER_BLOCK], control[PER_BLOCK];

			for (int j = 0; j < PER_BLOCK; j++) {
				test[j] = misses + 2 * rng_uniform(&rng);
				control[j] = 2 * rng_uniform(&rng);
			}
			decision_add_block(&d, test, PER_BLOCK, control,
					   PER_BLOCK, 1);
		} while (!decision_done(&d, &verdict));
		ck_assert_int_eq(verdict, i % 3 == 1 ? VERDICT_NON_COMPACT :
						       VERDICT_UNDECIDED);
	}
}
END_TEST

/* Disturbance that misses many lines, too, in as many observations of the control. */
START_TEST(many_of_both_sides)
{
	struct decision_rules rules = decision_default_rules();
	struct rng rng = { 19 };

	rules.many_misses = 4;
	for (int i = 0; i < 1000; i++) {
		const double often = rng_uniform(&rng);
		enum verdict verdict;
		struct decision d;

		decision_begin(&d, &rules);
		do {
			double test[PER_BLOCK], control[PER_BLOCK];

			for (int j = 0; j < PER_BLOCK; j++) {
				test[j] = rng_uniform(&rng) < often ? 12 : 0;
				control[j] = rng_uniform(&rng) < often ? 12 : 0;
			}
			decision_add_block(&d, test, PER_BLOCK, control,
					   PER_BLOCK, 1);
		} while (!decision_done(&d, &verdict));
		ck_assert_int_ne(verdict, VERDICT_NON_COMPACT);
	}
}
END_TEST

START_TEST(not_a_number_never_counts_as_fast)
{
	const double bad[] = { 0.0 / 0.0, 0.0 / 0.0, 0.0 / 0.0, 0.0 / 0.0 };
	const double good[] = { 0, 0, 0, 0 };
	struct decision_rules rules = decision_default_rules();
	enum verdict verdict;
	struct decision d;

	decision_begin(&d, &rules);
	while (!decision_done(&d, &verdict))
		decision_add_block(&d, bad, 4, good, 4, 1);
	ck_assert_int_ne(verdict, VERDICT_COMPACT);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("decision");

	tcase_add_test(t, quiet);
	tcase_add_loop_test(t, never_wrong, 1, 5);
	tcase_add_test(t, between_is_undecided);
	tcase_add_test(t, mixed_placements_are_undecided);
	tcase_add_test(t, non_compact_takes_blocks_of_its_own);
	tcase_add_test(t, disturbed_blocks_are_void);
	tcase_add_test(t, clear_among_many_disturbed);
	tcase_add_test(t, longer_than_the_control);
	tcase_add_test(t, many_beside_constant_disturbance);
	tcase_add_test(t, many_of_both_sides);
	tcase_add_test(t, not_a_number_never_counts_as_fast);
	suite_add_tcase(suite, t);
	return suite;
}
