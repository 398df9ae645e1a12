// SPDX-License-Identifier: GPL-2.0
/* check_reduce.c - from candidates to a minimal set: the cost with an ideal
 * oracle, and how often it succeeds with one that errs.
 */
#include <stdio.h>

#include "method/evset/evset_ideal.h"
#include "method/evset/minimal/minimal.h"
#include "suites.h"

#define SEEDS 20
#define NOISY_SEEDS 200

static struct failure f;

/* Everything misses, as on a machine whose times mean nothing. */
static int always_missing(void *context, const uint64_t *lines, size_t count,
			  bool surely, enum verdict *verdict,
			  struct failure *failure)
{
	(void)lines;
	(void)surely;
	(void)failure;
	*(size_t *)context += !count;
	*verdict = VERDICT_NON_COMPACT;
	return 0;
}

START_TEST(empty_list_is_never_tested)
{
	size_t empty = 0;
	struct evset_oracle o = { .compact = always_missing,
				  .context = &empty };
	uint64_t lines[64];
	struct evset_set set;

	for (o.upper_evictors = 1; o.upper_evictors <= 8; o.upper_evictors++) {
		for (uint64_t i = 0; i < 64; i++)
			lines[i] = 64 * i;
		ck_assert_int_eq(evset_reduce(&o, lines, 64, &set, &f), 0);
		ck_assert_uint_gt(o.tests, 0);
		ck_assert_uint_eq(empty, 0);
	}
}
END_TEST

/* The shortest list that overflows, or one that is hardly longer. */
START_TEST(test_overflow)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		size_t length = 0, least = 0;
		struct ideal i;

		ideal_begin(&i, 1 + rng_below(&(struct rng){ seed }, 16), 32,
			    2048, 0, seed);
		for (size_t in[32] = { 0 };;)
			if (++in[i.class_of[least++]] > i.ways)
				break;
		ck_assert_int_eq(evset_overflow(&i.o, i.lines, i.count, 0,
						&length, &f),
				 0);
		ck_assert_uint_ge(length, least);
		ck_assert_uint_le(length, least + length / 16 + 1);
		/* As long as the list is, and one less. */
		ck_assert_int_eq(evset_overflow(&i.o, i.lines, least, 0,
						&length, &f),
				 0);
		ck_assert_uint_eq(length, least);
		ck_assert_int_eq(evset_overflow(&i.o, i.lines, least - 1, 0,
						&length, &f),
				 0);
		ck_assert_uint_eq(length, 0);
		/* No question about a list that is known to fit. */
		i.o.tests = 0;
		ck_assert_int_eq(evset_overflow(&i.o, i.lines, i.count,
						least - 1, &length, &f),
				 0);
		ck_assert_uint_ge(length, least);
		ck_assert_uint_le(i.o.tests, 6);
		ideal_end(&i);
	}
}
END_TEST

/* algorithms.md, section 2.2: tests and accesses of the last straw search. */
static const struct cost {
	size_t ways, classes;
	uint64_t tests, accesses;
} costs[] = {
	{ 8, 8, 44, 2100 },	  { 16, 8, 100, 8100 },
	{ 16, 64, 146, 81000 },	  { 12, 64, 107, 47000 },
	{ 16, 512, 190, 740000 }, { 11, 896, 136, 630000 },
};
#define COSTS ((int)(sizeof(costs) / sizeof(costs[0])))

/* Each line is needed. */
static bool is_minimal(const struct ideal *i, const struct evset_set *set)
{
	size_t class = set->count ? i->class_of[set->lines[0] / 64] : 0;

	for (size_t k = 0; k < set->count; k++)
		if (i->class_of[set->lines[k] / 64] != class ||
		    evset_holds(set->lines, k, set->lines[k]))
			return false;
	for (size_t k = 0; k < set->evictor_count; k++)
		if (i->class_of[set->evictors[k] / 64] == class)
			return false;
	return set->count == i->ways + 1;
}

START_TEST(test_cost)
{
	const struct cost *c = &costs[_i];
	uint64_t tests = 0, accesses = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct evset_set set;
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, c->ways, c->classes, 3 * c->ways * c->classes,
			    0, seed);
		evset_overflow(&i.o, i.lines, i.count, 0, &prefix, &f);
		evset_reduce(&i.o, i.lines, prefix, &set, &f);
		ck_assert_msg(is_minimal(&i, &set), "seed %d", (int)seed);
		tests += i.o.tests;
		accesses += i.o.accesses;
		ideal_end(&i);
	}
	ck_assert_uint_le(tests, SEEDS * c->tests * 12 / 10);
	ck_assert_uint_le(accesses, SEEDS * c->accesses * 12 / 10);
}
END_TEST

/* Levels with and without one above, each with answers that err either way:
 * this many of a hundred reductions succeed at least.
 */
static const struct noise {
	size_t ways, classes, above;
	double wrong, missed;
	size_t percent;
} noises[] = {
	{ 8, 8, 0, 0.02, 0, 90 },	 { 8, 8, 0, 0, 0.02, 95 },
	{ 16, 16, 12, 0.02, 0, 85 },	 { 16, 16, 12, 0, 0.02, 85 },
	{ 16, 64, 8, 0.005, 0.005, 90 }, { 11, 36, 16, 0.02, 0.02, 75 },
	{ 64, 8, 8, 0.02, 0, 75 },
};
#define NOISES ((int)(sizeof(noises) / sizeof(noises[0])))

START_TEST(test_noise)
{
	const struct noise *n = &noises[_i];
	size_t good = 0;

	for (uint64_t seed = 1; seed <= NOISY_SEEDS; seed++) {
		struct evset_set set = { .count = 0 };
		size_t prefix = 0;
		struct ideal i;

		ideal_begin(&i, n->ways, n->classes,
			    3 * n->ways * n->classes + 8, n->above, seed);
		i.wrong = n->wrong;
		i.missed = n->missed;
		evset_overflow(&i.o, i.lines, i.count, i.o.upper_evictors,
			       &prefix, &f);
		if (prefix)
			evset_reduce(&i.o, i.lines, prefix, &set, &f);
		good += is_minimal(&i, &set);
		ideal_end(&i);
	}
	ck_assert_uint_ge(100 * good, n->percent * NOISY_SEEDS);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("reduce");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, empty_list_is_never_tested);
	tcase_add_test(t, test_overflow);
	tcase_add_loop_test(t, test_cost, 0, COSTS);
	tcase_add_loop_test(t, test_noise, 0, NOISES);
	suite_add_tcase(s, t);
	return s;
}
