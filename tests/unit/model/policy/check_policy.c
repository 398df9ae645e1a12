// SPDX-License-Identifier: GPL-2.0
/* check_policy.c - replacement policies: by traces worked out by hand, by a
 * second, literal implementation, and by known miss ratios.
 */
#include <stdio.h>

#include "model/cache.h"
#include "model/policy/naive_policy.h"
#include "suites.h"

/* Return: way of set 0 that holds a line after its access; @hit is set. */
static unsigned int touch(struct array *a, uint64_t tag, bool *hit)
{
	int way = array_find(a, 0, tag);
	uint64_t old;

	*hit = way != ARRAY_NONE;
	if (*hit) {
		policy_hit(&a->policy, 0, (unsigned int)way);
		return (unsigned int)way;
	}
	if (tag % 2)
		return array_take(a, 0, tag, &old);
	way = (int)array_choose(a, 0);
	array_put(a, 0, (unsigned int)way, tag);
	return (unsigned int)way;
}

/**
 * struct trace - worked out by hand
 * @accesses: one letter per line
 * @where: way in which each one then is
 * @hits: h: it was there before
 */
struct trace {
	const char *name;
	enum profile_policy_name policy;
	const char *variant;
	unsigned int ways;
	const char *accesses;
	const char *where;
	const char *hits;
};

static const struct trace traces[] = {
	/* a is the most recent again, so b goes. */
	{ "lru", PROFILE_LRU, "", 3, "abcada", "012010", "...h.h" },
	{ "lru order", PROFILE_LRU, "", 4, "abcdabe", "0123012", "....hh." },
	/* a's hit does not help it. */
	{ "fifo", PROFILE_FIFO, "", 3, "abcadab", "0120012", "...h..." },
	/* The last one placed is the first to go, unless it was hit. */
	{ "lip", PROFILE_LIP, "", 3, "abcdea", "012220", ".....h" },
	{ "lip hit", PROFILE_LIP, "", 3, "abccde", "012211", "...h.." },
	/* a b c d leave everything pointing to a, c's half being older. */
	{ "tree of 4", PROFILE_TREE_PLRU, "", 4, "abcde", "01230", "....." },
	{ "tree, hit", PROFILE_TREE_PLRU, "", 4, "abcdaefg", "01230213",
	  "....h..." },
	/* Leaf 3 of three ways is way 2. */
	{ "tree of 3", PROFILE_TREE_PLRU, "", 3, "abcdefg", "0120212",
	  "......." },
	/* d clears the last bit, so all others are set: victim 0, then 1. */
	{ "bit-plru", PROFILE_BIT_PLRU, "", 4, "abcdeaf", "0123012",
	  "......." },
	{ "bit-plru, hit", PROFILE_BIT_PLRU, "", 4, "abcdabe", "0123012",
	  "....hh." },
	/* All stay used until a miss; a's hit is forgotten then. */
	{ "nru", PROFILE_NRU, "", 4, "abcdaef", "0123001", "....h.." },
	/* 2 2 2 2: the miss makes all 3; a goes, then b... */
	{ "srrip", PROFILE_SRRIP, "", 4, "abcdef", "012301", "......" },
	/* a at 0, others 2: +1 makes them 3. */
	{ "srrip, hit", PROFILE_SRRIP, "", 4, "abcdaefgh", "012301231",
	  "....h...." },
	/* All at 1 become 3 with the last fill. */
	{ "qlru R0", PROFILE_QLRU, "H11_M1_R0_U0", 4, "abcde", "01230",
	  "....." },
	/* Free ways from the right; d makes all others 3. */
	{ "qlru R2", PROFILE_QLRU, "H00_M1_R2_U1", 4, "abcde", "32101",
	  "....." },
	/* R1 without a line of age 3 takes way 0. */
	{ "qlru R1", PROFILE_QLRU, "H11_M1_R1_U2_UMO", 2, "abaac", "01000",
	  "..hh." },
	/* Trees 0 1 2 used in turn: 0 is the oldest, in it way 0. */
	{ "lru3plru4", PROFILE_LRU3PLRU4, "", 8, "abcdefghijk", "01234567042",
	  "..........." },
	/* Tree 1 of 2 was the last: the next one is tree 0. */
	{ "mru3plru4", PROFILE_MRU3PLRU4, "", 8, "abcdefghej", "0123456740",
	  "........h." },
};

START_TEST(test_trace)
{
	const struct trace *t = &traces[_i];
	struct profile_policy p = { .name = t->policy };
	struct array a;
	bool hit;

	snprintf(p.variant, sizeof(p.variant), "%s", t->variant);
	ck_assert_int_eq(array_init(&a, &p, t->ways, 1), 0);
	for (size_t i = 0; t->accesses[i]; i++) {
		unsigned int way = touch(&a, (uint64_t)t->accesses[i], &hit);

		ck_assert_msg(way == (unsigned int)(t->where[i] - '0') &&
				      hit == (t->hits[i] == 'h'),
			      "%s: access %zu is %s in way %u", t->name, i,
			      hit ? "found" : "put", way);
	}
	array_free(&a);
}
END_TEST

/* Misses of a cyclic walk over n lines, per access, when it has settled. */
static double cyclic(const struct profile_policy *p, unsigned int ways,
		     unsigned int n)
{
	unsigned int missed = 0;
	struct array a;
	bool hit;

	ck_assert_int_eq(array_init(&a, p, ways, 1), 0);
	for (unsigned int round = 0; round < 460; round++)
		for (unsigned int i = 0; i < n; i++) {
			touch(&a, i + 1, &hit);
			missed += !hit && round >= 60;
		}
	array_free(&a);
	return missed / (400.0 * n);
}

/* Misses in steady state: A = 8, N = 9, 16; A = 16, N = 17, 24, 48 */
struct ratio {
	enum profile_policy_name policy;
	const char *variant;
	double epsilon;
	double misses[5];
	double tolerance;
};

static const struct ratio ratios[] = {
	{ PROFILE_LRU, "", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_FIFO, "", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_TREE_PLRU, "", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_NRU, "", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_SRRIP, "", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_QLRU, "H11_M1_R0_U0", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_QLRU, "H11_M1_R1_U2", 0, { 1, 1, 1, 1, 1 }, 0 },
	{ PROFILE_BIT_PLRU, "", 0, { .57, 1, .53, .93, 1 }, .006 },
	{ PROFILE_QLRU, "H00_M1_R2_U1", 0, { .45, 1, .25, 1, 1 }, .006 },
	{ PROFILE_QLRU, "H00_M1_R0_U1", 0, { .45, 1, .24, 1, 1 }, .006 },
	{ PROFILE_BIP, "", 1 / 16.0, { .22, .565, .12, .38, .70 }, .03 },
	{ PROFILE_BRRIP, "", 1 / 16.0, { .22, .565, .12, .38, .70 }, .03 },
	{ PROFILE_RANDOM, "", 0, { .22, .81, .12, .59, .94 }, .03 },
};

START_TEST(test_steady_ratio)
{
	static const unsigned int of_ways[] = { 8, 8, 16, 16, 16 };
	static const unsigned int lines[] = { 9, 16, 17, 24, 48 };
	const struct ratio *r = &ratios[_i];
	struct profile_policy p = { .name = r->policy,
				    .epsilon = r->epsilon,
				    .seed = 20251121 };

	snprintf(p.variant, sizeof(p.variant), "%s", r->variant);
	for (int i = 0; i < 5; i++) {
		double found = cyclic(&p, of_ways[i], lines[i]);

		ck_assert_msg(found >= r->misses[i] - r->tolerance - 1e-9 &&
				      found <= r->misses[i] + r->tolerance +
						       1e-9,
			      "policy %d %s, A = %u, N = %u: %.3f, not %.3f "
			      "(seed %llu)",
			      (int)r->policy, r->variant, of_ways[i], lines[i],
			      found, r->misses[i], (unsigned long long)p.seed);
	}
}
END_TEST

/* Twelve ways in three trees of four: always thrash at 13 and more. */
START_TEST(test_lru3plru4_thrashes)
{
	struct profile_policy p = { .name = PROFILE_LRU3PLRU4 };

	for (unsigned int n = 13; n <= 36; n++)
		ck_assert_double_eq_tol(cyclic(&p, 12, n), 1, 1e-9);
}
END_TEST

/* Whatever the policy and the ways: N = A lines all fit in the end. */
START_TEST(test_ways_fit)
{
	static const unsigned int ways[] = { 1,	 2,  3,	 4,  6,	 7,  11,  12,
					     16, 20, 24, 48, 64, 96, 128, 160 };
	struct profile_policy p = { .name = (enum profile_policy_name)_i,
				    .epsilon = 1 / 32.0,
				    .variant = "H11_M1_R0_U0" };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		ck_assert_msg(cyclic(&p, ways[i], ways[i]) == 0,
			      "policy %d, %u ways", _i, ways[i]);
}
END_TEST

/* The same accesses and flushes to one set of the model and of the naive one.
 */
static void compare(enum profile_policy_name name, const char *variant,
		    unsigned int ways, uint64_t seed)
{
	struct profile_policy p = { .name = name };
	struct rng rng = { .state = seed };
	struct naive_set naive;
	struct array a;
	bool hit;

	snprintf(p.variant, sizeof(p.variant), "%s", variant);
	ck_assert_int_eq(array_init(&a, &p, ways, 1), 0);
	naive_init(&naive, name, variant, ways);
	for (int i = 0; i < 600; i++) {
		uint64_t tag = 1 + rng_below(&rng, ways + ways / 2 + 1);

		if (rng_below(&rng, 16) == 0) {
			int way = array_find(&a, 0, tag);

			if (way != ARRAY_NONE)
				array_drop(&a, 0, (unsigned int)way);
			naive_flush(&naive, tag);
			continue;
		}
		touch(&a, tag, &hit);
		ck_assert_msg(hit == naive_access(&naive, tag),
			      "policy %d %s, %u ways, seed %llu, access %d",
			      (int)name, variant, ways,
			      (unsigned long long)seed, i);
	}
	array_free(&a);
}

static const enum profile_policy_name plain[] = {
	PROFILE_LRU, PROFILE_FIFO, PROFILE_TREE_PLRU, PROFILE_BIT_PLRU,
	PROFILE_NRU, PROFILE_LIP,  PROFILE_SRRIP,
};

START_TEST(test_naive)
{
	static const unsigned int ways[] = { 1,	 2,  3,	 4,  5,	 8,  11, 12,
					     15, 16, 17, 24, 64, 65, 96, 128 };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		for (uint64_t seed = 1; seed <= 5; seed++)
			compare(plain[_i], "", ways[i], seed);
}
END_TEST

START_TEST(test_naive_forest)
{
	for (unsigned int ways = 4; ways <= 80; ways += 4) {
		compare(PROFILE_LRU3PLRU4, "", ways, ways);
		compare(PROFILE_MRU3PLRU4, "", ways, ways);
	}
}
END_TEST

/* Every QLRU variant: 5 x 4 x 3 x 4 x 2. */
START_TEST(test_naive_qlru)
{
	static const char *const h[] = { "H00", "H10", "H11", "H20", "H21" };
	char variant[24];

	for (int i = 0; i < 96; i++) {
		snprintf(variant, sizeof(variant), "%s_M%d_R%d_U%d%s", h[_i],
			 i % 4, i / 4 % 3, i / 12 % 4, i / 48 ? "_UMO" : "");
		compare(PROFILE_QLRU, variant, 4, 1);
		compare(PROFILE_QLRU, variant, 12, 2);
		compare(PROFILE_QLRU, variant, 64, 3);
		compare(PROFILE_QLRU, variant, 66, 3);
	}
}
END_TEST

/* One in sixteen lines comes in at the other age. */
START_TEST(test_qlru_rare_insertion)
{
	struct profile_policy p = { .name = PROFILE_QLRU,
				    .variant = "H11_MR31_R1_U2",
				    .seed = 5 };
	unsigned int rare = 0;
	struct policy policy;

	ck_assert_int_eq(policy_init(&policy, &p, 2, 1), 0);
	for (int i = 0; i < 16000; i++) {
		policy.ops->fill(&policy, 0, 1);
		rare += !(policy.state[1] >> 1 & 1);
	}
	ck_assert_msg(rare > 850 && rare < 1150, "%u of 16000, seed 5", rare);
	policy_free(&policy);
}
END_TEST

START_TEST(test_bad_variant)
{
	static const char *const bad[] = { "",
					   "H12_M1_R0_U0",
					   "H11_M4_R0_U0",
					   "H11_M1_R3_U0",
					   "H11_M1_R0_U4",
					   "H11_M1_R0_U0_",
					   "H11_MR4_R0_U0" };
	struct policy_qlru q;
	bool right;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!policy_parse_qlru(bad[i], &q, &right), "%s",
			      bad[i]);
}
END_TEST

/* Leaders stay what they are; followers go with the winner. */
START_TEST(test_drrip_duel)
{
	struct profile_policy p = { .name = PROFILE_DRRIP,
				    .epsilon = 1 / 32.0,
				    .seed = 3,
				    .leaders = { 4, 9 },
				    .leader_count = 2 };
	struct policy policy;

	ck_assert_int_eq(policy_init(&policy, &p, 4, 16), 0);
	ck_assert_int_eq(policy.roles[4], 1);
	ck_assert_int_eq(policy.roles[9], 2);
	for (int i = 0; i < 2000; i++)
		policy.ops->miss(&policy, 4);
	ck_assert_uint_eq(policy.psel, 1023);
	for (int i = 0; i < 2000; i++)
		policy.ops->miss(&policy, 9);
	ck_assert_uint_eq(policy.psel, 0);
	policy.ops->miss(&policy, 7);
	ck_assert_uint_eq(policy.psel, 0);
	policy.ops->fill(&policy, 7, 0);
	ck_assert_uint_eq(policy_state(&policy, 7)[0] & 1, 0);
	ck_assert_uint_eq(policy_state(&policy, 7)[1] & 1, 1);
	policy_free(&policy);
}
END_TEST

/* Ivy Bridge: new lines have age 1 in leaders of one kind, else mostly 3. */
START_TEST(test_qlru_duel)
{
	struct profile_policy p = { .name = PROFILE_DRRIP,
				    .seed = 5,
				    .variant = "H11_M1_R1_U2",
				    .second = "H11_MR31_R1_U2",
				    .leaders = { 2, 3 },
				    .leader_count = 2 };
	unsigned int young[2] = { 0 };
	struct policy policy;

	ck_assert_int_eq(policy_init(&policy, &p, 8, 8), 0);
	for (int i = 0; i < 1600; i++)
		for (uint64_t set = 2; set < 4; set++) {
			policy.ops->reset(&policy, set);
			policy.ops->miss(&policy, set);
			policy.ops->fill(&policy, set, 0);
			young[set - 2] += !(policy_state(&policy, set)[1] & 1);
		}
	ck_assert_uint_eq(young[0], 1600);
	ck_assert_uint_ge(young[1], 50);
	ck_assert_uint_le(young[1], 150);
	policy_free(&policy);
	strcpy(p.second, "H99");
	ck_assert_int_eq(policy_init(&policy, &p, 8, 8), -EINVAL);
	policy_free(&policy);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *definitions = tcase_create("definitions");
	TCase *naive = tcase_create("word by word");
	TCase *steady = tcase_create("steady state");

	tcase_add_loop_test(definitions, test_trace, 0,
			    sizeof(traces) / sizeof(*traces));
	tcase_add_loop_test(naive, test_naive, 0,
			    sizeof(plain) / sizeof(*plain));
	tcase_add_test(naive, test_naive_forest);
	tcase_add_loop_test(naive, test_naive_qlru, 0, 5);
	tcase_add_test(definitions, test_qlru_rare_insertion);
	tcase_add_test(definitions, test_bad_variant);
	tcase_add_test(definitions, test_drrip_duel);
	tcase_add_test(definitions, test_qlru_duel);
	tcase_add_loop_test(steady, test_steady_ratio, 0,
			    sizeof(ratios) / sizeof(*ratios));
	tcase_add_test(steady, test_lru3plru4_thrashes);
	tcase_add_loop_test(steady, test_ways_fit, 0, PROFILE_MRU3PLRU4 + 1);
	suite_add_tcase(suite, definitions);
	suite_add_tcase(suite, naive);
	suite_add_tcase(suite, steady);
	return suite;
}
