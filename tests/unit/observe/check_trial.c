// SPDX-License-Identifier: GPL-2.0
#include "observe/trial.h"

#include <string.h>

#include "suites.h"

#define PER_BLOCK 8
#define STEPS 512

/**
 * struct script - what a method does, and what it was called for
 * @hit: what a hit reads
 * @misses: of a round of the test
 * @even: and of every second block
 * @first: and of the first one; 0: as the others
 * @empty: number of first blocks whose test has no sample
 * @fails: the operation of that letter ends the trial, in block @fails_at
 * @added: as of struct trial_block
 * @steps: operations in order: p, t, c, a, r
 * @blocks: placed
 */
struct script {
	double hit;
	double misses;
	double even;
	double first;
	size_t empty;
	char fails;
	size_t fails_at;
	double added;
	char steps[STEPS];
	size_t blocks;
};

static int step(struct script *s, char which)
{
	size_t length = strlen(s->steps);

	ck_assert_uint_lt(length + 1, STEPS);
	s->steps[length] = which;
	s->steps[length + 1] = '\0';
	return s->fails == which && s->blocks == s->fails_at ? -EIO : 0;
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct script *s = context;

	(void)f;
	ck_assert_uint_eq(b->of[TRIAL_TEST].count, 0);
	ck_assert_uint_eq(b->of[TRIAL_CONTROL].count, 0);
	ck_assert(b->exposure == 1);
	s->blocks++;
	return step(s, 'p');
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct script *s = context;
	struct readings *r = &b->of[side];
	double misses = s->blocks % 2 ? s->misses : s->even;

	(void)f;
	if (s->blocks == 1 && s->first > 0)
		misses = s->first;
	if (side == TRIAL_TEST && s->blocks <= s->empty)
		return step(s, 't');
	if (side == TRIAL_TEST)
		b->added = s->added;
	for (r->count = 0; r->count < PER_BLOCK; r->count++)
		r->values[r->count] =
			s->hit +
			(side == TRIAL_TEST ? s->added + misses / 2 : 0);
	return step(s, side == TRIAL_TEST ? 't' : 'c');
}

static int after(void *context, struct trial_block *b, struct failure *f)
{
	(void)b;
	(void)f;
	return step(context, 'a');
}

static void release(void *context)
{
	step(context, 'r');
}

static const struct trial_ops ops = { place, observe, after, release };
/* The least that it takes. */
static const struct trial_ops few = { place, observe, NULL, NULL };

static int place_and_observe(void *context, struct trial_block *b,
			     struct failure *f)
{
	int error = place(context, b, f);

	if (!error)
		error = observe(context, TRIAL_TEST, b, f);
	return error ? error : observe(context, TRIAL_CONTROL, b, f);
}

static const struct trial_ops at_once = { place_and_observe, NULL, after,
					  release };

/* Half a miss of each load, 5 loads a round: a miss is 5 / 2 of a round. */
static struct trial trial_of(struct script *s)
{
	return (struct trial){ .ops = &ops,
			       .context = s,
			       .rules = decision_default_rules(),
			       .loads = 5,
			       .miss = 2.5,
			       .hit_by_control = true };
}

static enum verdict run(struct trial *t)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	struct failure f = { 0 };

	ck_assert_int_eq(trial_run(t, &verdict, &f), 0);
	return verdict;
}

START_TEST(both_answers)
{
	struct script fits = { .hit = 7 };
	struct script misses = { .hit = 7, .misses = 1, .even = 3 };
	struct trial t = trial_of(&fits);

	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	ck_assert_double_eq_tol(t.most_misses, 0, 1e-9);
	t = trial_of(&misses);
	ck_assert_int_eq(run(&t), VERDICT_NON_COMPACT);
	ck_assert_double_eq_tol(t.least_misses, 1, 1e-9);
	ck_assert_double_eq_tol(t.most_misses, 3, 1e-9);
}
END_TEST

START_TEST(order_of_steps)
{
	struct script s = { .hit = 1 };
	struct trial t = trial_of(&s);

	run(&t);
	ck_assert_str_eq(s.steps, "pctarpctarpctar");
	s = (struct script){ .hit = 1 };
	t.test_first = true;
	run(&t);
	ck_assert_str_eq(s.steps, "ptcarptcarptcar");
	s = (struct script){ .hit = 1 };
	t.ops = &few;
	run(&t);
	ck_assert_str_eq(s.steps, "ptcptcptc");
	s = (struct script){ .hit = 1 };
	t.ops = &at_once;
	run(&t);
	ck_assert_str_eq(s.steps, "ptcarptcarptcar");
}
END_TEST

/* What a block has allocated is released; nothing comes after the error. */
START_TEST(errors_end_it)
{
	static const struct {
		char fails;
		const char *steps;
	} cases[] = { { 'p', "pctarpr" },
		      { 'c', "pctarpcr" },
		      { 't', "pctarpctr" },
		      { 'a', "pctarpctar" } };
	struct script s = { .hit = 1, .fails = cases[_i].fails, .fails_at = 2 };
	enum verdict verdict = VERDICT_COMPACT;
	struct failure f = { 0 };
	struct trial t = trial_of(&s);
	uint64_t tests = 0;

	t.tests = &tests;
	ck_assert_int_eq(trial_run(&t, &verdict, &f), -EIO);
	ck_assert_str_eq(s.steps, cases[_i].steps);
	ck_assert_int_eq(verdict, VERDICT_UNDECIDED);
	ck_assert_uint_eq(tests, 0);
	s = (struct script){ .fails = cases[_i].fails, .fails_at = 1 };
	t.failed_counts = true;
	verdict = VERDICT_COMPACT;
	ck_assert_int_eq(trial_run(&t, &verdict, &f), -EIO);
	ck_assert_int_eq(verdict, VERDICT_COMPACT);
	ck_assert_uint_eq(tests, 1);
}
END_TEST

START_TEST(tests_are_counted)
{
	struct script s = { .hit = 1 };
	struct trial t = trial_of(&s);
	uint64_t tests = 0;

	run(&t);
	t.tests = &tests;
	run(&t);
	run(&t);
	ck_assert_uint_eq(tests, 2);
}
END_TEST

/* What is known to be added is no miss, and without a control to take it from
 * a hit reads nothing.
 */
START_TEST(hits)
{
	struct script s = { .hit = 9, .added = 4 };
	struct trial t = trial_of(&s);

	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	t.hit_by_control = false;
	s = (struct script){ .hit = 0, .misses = 1, .even = 1 };
	ck_assert_int_eq(run(&t), VERDICT_NON_COMPACT);
	s = (struct script){ .hit = 9 };
	/* The control misses, too: no block counts. */
	ck_assert_int_eq(run(&t), VERDICT_UNDECIDED);
	ck_assert_uint_eq(t.decision.void_blocks, t.decision.blocks);
}
END_TEST

START_TEST(gains)
{
	struct script s = { .hit = 9, .misses = -1, .even = -1 };
	struct trial t = trial_of(&s);

	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	t.most_gain = 0.25;
	ck_assert_int_eq(run(&t), VERDICT_UNDECIDED);
	ck_assert_uint_eq(t.decision.fast + t.decision.slow, 0);
	s = (struct script){ .hit = 9, .misses = -0.2, .even = -0.2 };
	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
}
END_TEST

START_TEST(blocks_of_both_kinds)
{
	struct script s = { .hit = 9, .even = 1 };
	struct trial t = trial_of(&s);
	enum verdict verdict = run(&t);

	ck_assert_int_eq(verdict, VERDICT_UNDECIDED);
	ck_assert(trial_split(&t, verdict));
	ck_assert(!trial_split(&t, VERDICT_COMPACT));
	s = (struct script){ .hit = 9 };
	verdict = run(&t);
	ck_assert(!trial_split(&t, verdict));
}
END_TEST

/* Three blocks that fit outweigh one that does not, but where all have to agree. */
START_TEST(unanimous)
{
	struct script s = { .hit = 9, .first = 2 };
	struct trial t = trial_of(&s);

	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	ck_assert_uint_eq(t.decision.non_compact_blocks, 1);
	s = (struct script){ .hit = 9, .first = 2 };
	t.unanimous = true;
	ck_assert_int_eq(run(&t), VERDICT_UNDECIDED);
	s = (struct script){ .hit = 9 };
	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
}
END_TEST

/* Blocks for votes come after the decision, which they do not change. */
START_TEST(blocks_for_votes)
{
	struct script s = { .hit = 9 };
	struct trial t = trial_of(&s);

	run(&t);
	ck_assert_uint_eq(s.blocks, 3);
	s = (struct script){ .hit = 9 };
	t.least_blocks = 8;
	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	ck_assert_uint_eq(s.blocks, 8);
	ck_assert_uint_eq(t.decision.blocks, 3);
}
END_TEST

START_TEST(blocks_without_a_sample)
{
	struct script s = { .hit = 9, .misses = 2, .even = 2, .empty = 2 };
	struct trial t = trial_of(&s);

	ck_assert_int_eq(run(&t), VERDICT_NON_COMPACT);
	ck_assert_double_eq_tol(t.least_misses, 2, 1e-9);
	ck_assert_uint_eq(t.decision.void_blocks, 2);
}
END_TEST

/* Each trial draws its error, whatever comes of it; without there is none. */
START_TEST(error_is_drawn)
{
	struct script s = { .hit = 9 };
	struct trial t = trial_of(&s);
	struct budget b = budget_begin();
	uint64_t tests = 0;

	t.budget = &b;
	t.tests = &tests;
	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	ck_assert_double_eq_tol(budget_bound(&b, 0), 2e-6, 1e-15);
	/* Where little is left it has to be surer. */
	b.alpha_left = BUDGET_TESTS * 1e-9;
	ck_assert_int_eq(run(&t), VERDICT_COMPACT);
	ck_assert_double_eq_tol(budget_bound(&b, 0), 2.001e-6, 1e-15);
	ck_assert_double_eq_tol(t.decision.rules.alpha, 1e-9, 1e-15);
	b.alpha_left = 0;
	s = (struct script){ .hit = 9 };
	ck_assert_int_eq(run(&t), VERDICT_UNDECIDED);
	ck_assert_uint_eq(s.blocks, 0);
	ck_assert_uint_eq(tests, 3);
}
END_TEST

START_TEST(exposure)
{
	ck_assert(trial_exposure(100, 100, 2000) == 1);
	ck_assert(trial_exposure(8000, 64, 2000) == 4);
	ck_assert(trial_exposure(64, 8000, 2000) == 0.25);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("all");

	tcase_add_test(t, both_answers);
	tcase_add_test(t, order_of_steps);
	tcase_add_loop_test(t, errors_end_it, 0, 4);
	tcase_add_test(t, tests_are_counted);
	tcase_add_test(t, hits);
	tcase_add_test(t, gains);
	tcase_add_test(t, blocks_of_both_kinds);
	tcase_add_test(t, unanimous);
	tcase_add_test(t, blocks_for_votes);
	tcase_add_test(t, blocks_without_a_sample);
	tcase_add_test(t, error_is_drawn);
	tcase_add_test(t, exposure);
	suite_add_tcase(s, t);
	return s;
}
