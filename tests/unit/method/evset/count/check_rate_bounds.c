// SPDX-License-Identifier: GPL-2.0
/* check_rate_bounds.c - from counts of groups to a number of sets. */
#include <math.h>

#include "base/rng.h"
#include "method/evset/count/rate_bounds.h"
#include "suites.h"

/* Sets that groups are held against. */
#define SETS 6
#define SEEDS 200
#define GROUPS 400

/* The only number between two bounds. */
static const struct {
	double low, high;
	uint64_t number;
} bounds[] = {
	{ 1000, 1050, 1024 },	 { 769, 1279, 1024 }, { 767, 1200, 0 },
	{ 800, 1281, 0 },	 { 1030, 1100, 0 },   { 600, 700, 0 },
	{ 60, 70, 64 },		 { 7, 9, 8 },	      { 6, 9, 0 },
	{ 3100, 5100, 4096 },	 { 3000, 5100, 0 },   { 3100, 5200, 0 },
	{ 15400, 17400, 16384 }, { 15300, 17000, 0 }, { 16000, 17500, 0 },
	{ 65000, 66000, 65536 }, { 0, INFINITY, 0 },  { 900, INFINITY, 0 },
	{ 0.1, 0.9, 0 },
};
#define BOUNDS ((int)(sizeof(bounds) / sizeof(bounds[0])))

START_TEST(between_bounds)
{
	ck_assert_uint_eq(evset_rate_number(bounds[_i].low, bounds[_i].high),
			  bounds[_i].number);
}
END_TEST

static bool happens(struct rng *rng, double p)
{
	return (double)rng_below(rng, 1U << 30) < p * (1U << 30);
}

/* Groups of a level of @sets sets; a share of @wrong verdicts are wrong. */
static void count(struct evset_rate_counts *s, double sets, size_t groups,
		  double wrong, struct rng *rng)
{
	*s = (struct evset_rate_counts){
		.count = SETS, .places = 131072, .offsets = 64, .congruent = 8
	};
	for (size_t k = 0; k < SETS; k++) {
		struct evset_tally *t = &s->of[k];

		t->lines = k % 2 ? 32 : 64;
		for (size_t i = 0; i < groups; i++) {
			double p = 1 - pow(1 - 8 / sets, (double)t->lines);

			t->groups++;
			t->congruent += happens(
				rng, happens(rng, p) ? 1 - wrong : wrong);
			s->negative.groups++;
			s->negative.congruent += happens(rng, wrong);
			s->positive.groups++;
			s->positive.congruent += happens(rng, 1 - wrong);
		}
	}
}

static const double truths[] = { 768, 1024, 1280, 1536 };
#define TRUTHS ((int)(sizeof(truths) / sizeof(truths[0])))

/* The bounds leave the truth possible, and no wrong number. */
START_TEST(truth_is_possible)
{
	struct rng rng = { 20261126 };
	const bool power = truths[_i] == 1024;
	int decided = 0;

	for (int seed = 0; seed < SEEDS; seed++) {
		struct evset_rate_counts s;
		double low = 0, high = 0;
		uint64_t number;

		count(&s, truths[_i], GROUPS, seed % 3 * 0.006, &rng);
		ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
		ck_assert_double_lt(low, truths[_i]);
		ck_assert_double_gt(high, truths[_i]);
		number = evset_rate_number(low, high);
		ck_assert(!number || (power && number == 1024));
		decided += number != 0;
	}
	/* Of others none; of this one nearly all. */
	ck_assert(power ? decided > SEEDS * 3 / 4 : !decided);
}
END_TEST

/* All sets may have lines of the same few pages, as moved sets have: what
 * chance did to one it did to all.
 */
START_TEST(same_pages)
{
	const double truth = 1024, places = 1024, lines = places * 8;
	struct rng rng = { 20261127 };

	for (int seed = 0; seed < SEEDS; seed++) {
		struct evset_rate_counts s;
		double low = 0, high = 0, of_set = 0;

		for (int i = 0; i < lines; i++)
			of_set += happens(&rng, 8 / truth);
		count(&s, 8 * lines / of_set, GROUPS, 0, &rng);
		s.places = places;
		ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
		ck_assert_double_lt(low, truth);
		ck_assert_double_gt(high, truth);
	}
}
END_TEST

/* Undecided groups may be either. */
START_TEST(unclear_groups)
{
	struct rng rng = { 20261126 };
	struct evset_rate_counts s;
	double low = 0, high = 0, lower = 0, higher = 0;

	count(&s, 1024, GROUPS, 0, &rng);
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
	for (size_t k = 0; k < SETS; k++)
		s.of[k].unclear = GROUPS / 10;
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &lower, &higher));
	ck_assert_double_lt(lower, low);
	ck_assert_double_gt(higher, high);
}
END_TEST

/* Some sets have twice as many lines, or errors exceed their limits. */
START_TEST(contradictions)
{
	struct rng rng = { 20261126 };
	struct evset_rate_counts s, twice;
	double low = 0, high = 0;

	count(&s, 1024, GROUPS, 0, &rng);
	count(&twice, 512, GROUPS, 0, &rng);
	s.of[3] = twice.of[3];
	ck_assert(!evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
	count(&s, 1024, GROUPS, 0.05, &rng);
	ck_assert(!evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
}
END_TEST

/* Two errors of fifty neither end the search nor allow a number; more groups
 * decide, and more errors end it.
 */
START_TEST(errors_by_chance)
{
	struct rng rng = { 20261128 };
	struct evset_rate_counts s;
	double low = 1, high = 1;

	count(&s, 1024, GROUPS, 0, &rng);
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
	ck_assert_uint_eq(evset_rate_number(low, high), 1024);
	s.negative.groups = s.positive.groups = 54;
	s.positive.congruent = 54;
	s.negative.congruent = 2;
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
	ck_assert(!evset_rate_number(low, high) && isinf(high));
	s.negative.groups = 110;
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high) &&
		  isfinite(high));
	s.positive.congruent = 48;
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high) &&
		  isinf(high));
	s.positive.congruent = 44;
	ck_assert(!evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
	s.positive.congruent = 54;
	s.negative.congruent = 7;
	ck_assert(!evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
}
END_TEST

/* Too few sets, or no controls, decide nothing. */
START_TEST(too_few)
{
	struct rng rng = { 20261126 };
	struct evset_rate_counts s;
	double low = 1, high = 1;

	count(&s, 1024, GROUPS, 0, &rng);
	s.count = 2;
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high));
	ck_assert(!evset_rate_number(low, high) && isinf(high));
	count(&s, 1024, GROUPS, 0, &rng);
	s.positive = (struct evset_tally){ .groups = 0 };
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high) &&
		  isinf(high));
	count(&s, 1024, GROUPS, 0, &rng);
	s.negative = (struct evset_tally){ .groups = 0 };
	ck_assert(evset_rate_bounds(&s, EVSET_RATE_WRONG, &low, &high) &&
		  isinf(high));
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("seen");

	tcase_add_loop_test(t, between_bounds, 0, BOUNDS);
	tcase_add_loop_test(t, truth_is_possible, 0, TRUTHS);
	tcase_add_test(t, same_pages);
	tcase_add_test(t, unclear_groups);
	tcase_add_test(t, contradictions);
	tcase_add_test(t, errors_by_chance);
	tcase_add_test(t, too_few);
	suite_add_tcase(suite, t);
	return suite;
}
