// SPDX-License-Identifier: GPL-2.0
/* check_congruence_rate.c - groups of random lines held against one set. */
#include "kit/disturber.h"
#include "method/evset/count/rate_count.h"
#include "method/evset/guestkit.h"
#include "suites.h"

static struct failure f;

static const struct guest_level levels[] = {
	{ 8, 9, 3, "lru\"", 0, 0, 0, false },
	{ 8, 10, 3, "tree-plru\"", 0, 0, 0, false },
	{ 16, 9, 4, "tree-plru\"", 0, 10, 0, false },
	{ 8, 9, 3, "random\"", 10, 10, 20, false },
	{ 6, 9, 4, "nru\"", 0, 10, 20, false },
};
#define LEVELS ((int)(sizeof(levels) / sizeof(levels[0])))

static struct guest_sets *disturbed;
static struct rng coin;

/* Members are other lines of the same set, each once. */
START_TEST(members)
{
	const struct guest_level *l = &levels[_i];
	uint64_t lines[2 * (EVSET_MOST_WAYS + 1)];
	const size_t wanted = 2 * (l->ways + 1);
	struct evset_rate rate;
	enum outcome outcome = OUTCOME_OPEN;
	size_t count = 0;
	struct guest_sets g;

	if (!is_in_part_of(_i, LEVELS))
		return;
	guest_plant(&g, l, 1);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &outcome,
				    &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	ck_assert(!evset_rate_members(&rate, wanted, lines, &count, &f));
	ck_assert_uint_eq(count, wanted);
	for (size_t i = 0; i < wanted; i++) {
		ck_assert(!evset_holds(lines, i, lines[i]));
		ck_assert_uint_eq(guest_set(l, g.known.m, lines[i]),
				  guest_set(l, g.known.m, lines[0]));
	}
	machine_close(g.known.m);
}
END_TEST

static const struct guest_level steady = { 8, 9, 3, "random\"", 0, 0, 0, false };
#define ASKED 500
/* Each is wrong one time in two hundred: more than this many, one time in 1e6. */
#define MOST_WRONG 13
#define COINS 3
/* A random policy itself spoils one sample in eight. */
#define FITS_MOSTLY 0.7

/* A timer with steps as long as a miss, in step with the loop or not: the mean
 * time of lines is the same, its spread is not.
 */
static void spread_some(const struct sequence *s, const struct walk_plan *plan,
			struct sample *samples)
{
	const double step =
		rng_below(&coin, 2) ? disturbed->known.e.scale.penalty : 0;

	(void)samples;
	if (!plan->each)
		return;
	for (size_t i = 0; i < s->length; i++)
		plan->each->ticks[i] += step * (rng_uniform(&coin) - 0.5);
}

/* A list that fits does so in nearly every sample, not in every other one; verdicts are
 * wrong as seldom as they promise.
 */
START_TEST(steps_of_a_miss)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	struct evset_rate rate;
	enum outcome outcome = OUTCOME_OPEN;
	struct guest_sets g;
	int wrong = 0;

	guest_plant(&g, &steady, 1);
	disturbed = &g;
	coin = (struct rng){ 9 + (uint64_t)_i };
	after_walks(g.known.m, spread_some);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &outcome,
				    &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	for (int i = 0; i < ASKED; i++) {
		ck_assert(!evset_rate_ask(&rate, rate.control,
					  rate.control_count, false, &verdict,
					  &f));
		wrong += verdict != VERDICT_COMPACT;
	}
	ck_assert_int_le(wrong, MOST_WRONG);
	ck_assert_double_gt(rate.fits, FITS_MOSTLY);
	machine_close(g.known.m);
}
END_TEST

/* Groups of other places that fit are no control of this one. */
START_TEST(control_of_its_place)
{
	uint64_t lines[EVSET_RATE_GROUP];
	size_t fitting = 0;
	struct evset_rate rate;
	enum outcome outcome = OUTCOME_OPEN;
	struct guest_sets g;

	guest_plant(&g, &levels[0], 1);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &outcome,
				    &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	for (uint64_t by = GUEST_LINE_BYTES; by < GUEST_PAGE_BYTES;
	     by += GUEST_LINE_BYTES) {
		enum verdict verdict = VERDICT_UNDECIDED;

		evset_rate_draw(&rate, by, lines);
		ck_assert(!evset_rate_ask(&rate, lines, rate.group, false,
					  &verdict, &f));
		fitting += verdict == VERDICT_COMPACT;
		for (size_t i = 0; i < rate.control_count; i++)
			ck_assert_uint_eq(rate.control[i] % GUEST_PAGE_BYTES,
					  rate.moved.lines[0] %
						  GUEST_PAGE_BYTES);
	}
	ck_assert_uint_gt(fitting, 0);
	machine_close(g.known.m);
}
END_TEST

/* One set always seems to overflow: the others decide. */
static void hold_one(const struct sequence *s, const struct walk_plan *plan,
		     struct sample *samples)
{
	(void)samples;
	guest_hold_set(disturbed, 0, s, plan);
}

/* A contended set gives no members, which is noticed soon: after five groups,
 * not 256.
 */
START_TEST(members_of_a_contended_set)
{
	uint64_t lines[2 * (EVSET_MOST_WAYS + 1)];
	struct evset_rate rate;
	struct guest_sets g;
	enum outcome outcome = OUTCOME_OPEN;
	size_t count = 0;
	uint64_t looks;

	guest_plant(&g, &levels[0], 1);
	ck_assert(!evset_rate_begin(&rate, &g.known.e, &g.sets[0], 0, &outcome,
				    &f));
	ck_assert_int_eq(outcome, OUTCOME_DECIDED);
	disturbed = &g;
	g.sets[0] = rate.moved;
	after_walks(g.known.m, hold_one);
	looks = rate.samples;
	ck_assert(!evset_rate_members(&rate, 2 * rate.moved.count, lines,
				      &count, &f));
	ck_assert_uint_eq(count, rate.moved.count);
	ck_assert_uint_le(rate.samples - looks, 10 * 200);
	machine_close(g.known.m);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("rate");

	tcase_add_loop_test(t, members, 0, LEVELS);
	tcase_add_loop_test(t, steps_of_a_miss, 0, COINS);
	tcase_add_test(t, control_of_its_place);
	tcase_add_test(t, members_of_a_contended_set);
	suite_add_tcase(suite, t);
	return suite;
}
