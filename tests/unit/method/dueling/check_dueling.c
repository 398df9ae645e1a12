// SPDX-License-Identifier: GPL-2.0
/* Set dueling recognised on caches whose leaders are known. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/dueling/dueling.h"
#include "model/cache.h"
#include "suites.h"

#define SETS 256
#define MOST_WAYS 16
#define READ_ROUNDS 8
#define READINGS 3

/**
 * struct ideal - a cache and nothing else, asked like a level of a machine
 * @arrays: set s is set s / @count of array s % @count: with two, each half of
 *          the sets has a selector of its own
 * @wrong: share of readings that are off by any number of misses
 * @stranger: leaders of either kind miss this often between any two readings,
 *            because of somebody else
 */
struct ideal {
	struct array arrays[2];
	unsigned int count;
	unsigned int ways;
	struct rng rng;
	double wrong;
	unsigned int stranger;
};

static uint64_t test_seed(void)
{
	const char *given = getenv("PROBE_PHYS_SEED");

	return given ? strtoull(given, NULL, 0) : 1;
}

static bool touch(struct ideal *c, uint64_t set, unsigned int block)
{
	struct array *a = &c->arrays[set % c->count];
	uint64_t old;
	int way;

	set /= c->count;
	way = array_find(a, set, block);
	if (way == ARRAY_NONE)
		array_take(a, set, block, &old);
	else
		policy_hit(&a->policy, set, (unsigned int)way);
	return way == ARRAY_NONE;
}

static unsigned int walk_set(struct ideal *c, uint64_t set,
			     const struct cycle *cycle)
{
	struct array *a = &c->arrays[set % c->count];
	unsigned int misses = 0;

	for (unsigned int i = 0; cycle->cold && i < cycle->length; i++) {
		int way = array_find(a, set / c->count, cycle->blocks[i]);

		if (way != ARRAY_NONE)
			array_drop(a, set / c->count, (unsigned int)way);
	}
	for (size_t i = 0; i < cycle->length; i++)
		misses += touch(c, set, cycle->blocks[i]);
	return misses;
}

static int walk(void *context, const bool *groups, const struct cycle *cycle,
		struct failure *f)
{
	struct ideal *c = context;
	uint64_t from = rng_below(&c->rng, SETS);

	(void)f;
	for (uint64_t i = 0; i < SETS; i++)
		if (groups[(i ^ from) % (SETS / 4)])
			walk_set(c, i ^ from, cycle);
	return 0;
}

static unsigned int circle(struct ideal *c, uint64_t set)
{
	unsigned int
		blocks[(READ_ROUNDS + DUEL_LINES_PER_WAY) * (MOST_WAYS + 1)];
	struct cycle cycle = { .blocks = blocks, .cold = true };

	cycle.length = duel_circle(c->ways, READ_ROUNDS, blocks);
	return walk_set(c, set, &cycle);
}

static int read_set(void *context, uint64_t set, double *misses,
		    struct failure *f)
{
	struct ideal *c = context;

	(void)f;
	for (unsigned int i = 0; i < c->stranger; i++)
		touch(c, rng_below(&c->rng, SETS),
		      1000 + (unsigned int)rng_below(&c->rng, 1000));
	for (int i = 0; i < READINGS; i++)
		*misses = circle(c, set);
	if (rng_uniform(&c->rng) < c->wrong)
		*misses =
			(double)rng_below(&c->rng, READ_ROUNDS * (c->ways + 1));
	return 0;
}

static struct duel_oracle begin(struct ideal *c,
				const struct profile_policy *policy,
				unsigned int ways, uint64_t seed)
{
	c->ways = ways;
	c->count = c->count ? c->count : 1;
	c->rng.state = seed + 99;
	for (unsigned int i = 0; i < c->count; i++)
		ck_assert_int_eq(array_init(&c->arrays[i], policy, ways,
					    SETS / c->count),
				 0);
	return (struct duel_oracle){
		.ways = ways,
		.sets = SETS,
		.groups = SETS / 4,
		.rounds = READ_ROUNDS,
		.contrast = duel_contrast(ways, READ_ROUNDS),
		.walk = walk,
		.read = read_set,
		.context = c,
	};
}

static void look(struct ideal *c, const struct profile_policy *policy,
		 unsigned int ways, uint64_t seed, struct duel_finding *found)
{
	struct duel_oracle oracle = begin(c, policy, ways, seed);
	struct rng rng = { seed };
	struct failure f = { .text = "" };

	ck_assert_int_eq(duel_look(&oracle, &rng, found, &f), 0);
}

static void done(struct ideal *c, struct duel_finding *found)
{
	duel_finding_free(found);
	for (unsigned int i = 0; i < c->count; i++)
		array_free(&c->arrays[i]);
}

static enum duel_role truth(const struct ideal *c, uint64_t set)
{
	static const enum duel_role roles[] = { DUEL_FOLLOWS, DUEL_LEADS_REUSE,
						DUEL_LEADS_THRASH };

	return roles[c->arrays[0].policy.roles[set]];
}

/* Ivy Bridge's, Haswell's, DRRIP's, and one with sets spread over all. */
static struct profile_policy duel(int which)
{
	struct profile_policy p = { .name = PROFILE_DRRIP,
				    .epsilon = 1.0 / 32,
				    .seed = test_seed() };
	static const char *const pairs[][2] = {
		{ "H11_M1_R1_U2", "H11_MR31_R1_U2" },
		{ "H11_M1_R0_U0", "H11_MR31_R0_U0" },
		{ "", "" },
		{ "H00_M1_R0_U1", "H00_MR31_R0_U1" },
	};

	strcpy(p.variant, pairs[which][0]);
	strcpy(p.second, pairs[which][1]);
	for (unsigned int i = 0; which < 2 && i < 16; i++) {
		p.leaders[p.leader_count++] = 64 + i;
		p.leaders[p.leader_count++] = 160 + i;
	}
	for (unsigned int i = 0; which == 3 && i < 8; i++) {
		p.leaders[p.leader_count++] = 33 * i;
		p.leaders[p.leader_count++] = 31 * i + 7;
	}
	return p;
}

static const unsigned int sizes[] = { 16, 12, 8, 4 };

static const struct {
	unsigned int ways;
	int duel;
} duels[] = {
	{ 16, 0 }, { 16, 1 }, { 16, 2 }, { 16, 3 },
	{ 12, 3 }, { 8, 1 },  { 8, 2 },	 { 4, 2 },
};

START_TEST(leaders)
{
	if (!is_in_part(_i))
		return;

	struct profile_policy p = duel(duels[_i].duel);
	unsigned int ways = duels[_i].ways;
	struct ideal c = { .wrong = 0 };
	struct duel_finding found;

	look(&c, &p, ways, test_seed(), &found);
	ck_assert_msg(found.verdict == DUEL_SEEN, "seed %llu: %s",
		      (unsigned long long)test_seed(), found.reason);
	ck_assert_double_le(found.seen_bound, 1e-6);
	ck_assert_double_le(found.roles_bound, 1e-6);
	ck_assert_ptr_nonnull(found.roles);
	for (uint64_t set = 0; set < SETS; set++)
		ck_assert_msg(found.roles[set] == truth(&c, set),
			      "seed %llu: %u ways, set %llu: %d",
			      (unsigned long long)test_seed(), ways,
			      (unsigned long long)set, found.roles[set]);
	done(&c, &found);
}
END_TEST

/* Readings that are off, and somebody who moves the selector: less may be told,
 * nothing wrong.
 */
START_TEST(disturbed)
{
	if (!is_in_part(_i))
		return;

	struct profile_policy p = duel(_i % 4);
	struct ideal c = { .wrong = _i < 4 ? 0.05 : 0.01,
			   .stranger = _i < 4 ? 0 : 40 };
	uint64_t told = 0, seed = test_seed() + (uint64_t)_i;
	struct duel_finding found;

	printf("set dueling: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)test_seed());
	look(&c, &p, 16, seed, &found);
	for (uint64_t set = 0; found.roles && set < SETS; set++) {
		told += found.roles[set] != DUEL_UNTOLD;
		ck_assert_msg(found.roles[set] == DUEL_UNTOLD ||
				      found.roles[set] == truth(&c, set),
			      "seed %llu: set %llu: %d",
			      (unsigned long long)seed, (unsigned long long)set,
			      found.roles[set]);
	}
	if (_i < 4)
		ck_assert_uint_gt(told, SETS * 9 / 10);
	done(&c, &found);
}
END_TEST

/* Each half of the sets follows leaders of its own: what one sentinel shows
 * says nothing of the other half.
 */
START_TEST(two_selectors)
{
	struct profile_policy p = duel(2);
	struct ideal c = { .count = 2 };
	struct duel_finding found;

	p.leader_count = 8;
	for (unsigned int i = 0; i < 8; i++)
		p.leaders[i] = 5 * i + 3;
	look(&c, &p, 8, test_seed() + (uint64_t)_i, &found);
	for (uint64_t set = 0; found.roles && set < SETS; set++)
		ck_assert_msg(found.roles[set] == DUEL_UNTOLD ||
				      found.roles[set] == truth(&c, set / 2),
			      "seed %llu: set %llu: %d",
			      (unsigned long long)test_seed(),
			      (unsigned long long)set, found.roles[set]);
	done(&c, &found);
}
END_TEST

static const struct profile_policy alone[] = {
	{ .name = PROFILE_LRU },
	{ .name = PROFILE_FIFO },
	{ .name = PROFILE_TREE_PLRU },
	{ .name = PROFILE_BIT_PLRU },
	{ .name = PROFILE_NRU },
	{ .name = PROFILE_RANDOM },
	{ .name = PROFILE_LIP },
	{ .name = PROFILE_BIP, .epsilon = 1.0 / 32 },
	{ .name = PROFILE_SRRIP },
	{ .name = PROFILE_BRRIP, .epsilon = 1.0 / 32 },
	{ .name = PROFILE_LRU3PLRU4 },
	{ .name = PROFILE_QLRU, .variant = "H11_M1_R1_U2" },
	{ .name = PROFILE_QLRU, .variant = "H11_MR31_R1_U2" },
	{ .name = PROFILE_QLRU, .variant = "H11_MR31_R0_U0" },
	{ .name = PROFILE_QLRU, .variant = "H00_MR13_R0_U1" },
	{ .name = PROFILE_QLRU, .variant = "H00_M3_R0_U0" },
	{ .name = PROFILE_QLRU, .variant = "H21_M3_R1_U3" },
	{ .name = PROFILE_QLRU, .variant = "H00_M2_R1_U2_UMO" },
};

/* Caches that do not duel, whatever they do, are never said to. */
START_TEST(none)
{
	if (!is_in_part(_i))
		return;

	printf("set dueling: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)test_seed());
	for (unsigned int i = 0; i < 4; i++) {
		struct profile_policy p = alone[_i];
		struct ideal c = { .wrong = i / 2 * 0.15,
				   .stranger = i % 2 * 20 };
		uint64_t seed = test_seed() * 1000 + i;
		struct duel_finding found;

		p.seed = seed;
		look(&c, &p, sizes[(i + (unsigned int)_i) % 4], seed, &found);
		ck_assert_msg(found.verdict != DUEL_SEEN, "seed %llu: %u ways",
			      (unsigned long long)seed,
			      sizes[(i + (unsigned int)_i) % 4]);
		ck_assert_ptr_null(found.roles);
		if (!c.wrong) {
			ck_assert_int_eq(found.verdict, DUEL_NOT_SEEN);
			ck_assert_uint_eq(found.tried, 8);
		}
		done(&c, &found);
	}
}
END_TEST

static void expect_one(const struct profile_policy *p, enum duel_role role)
{
	struct ideal c = { .wrong = 0 };
	struct duel_oracle oracle = begin(&c, p, 16, test_seed());
	struct rng rng = { test_seed() };
	struct failure f = { .text = "" };
	struct duel_finding found;
	uint64_t set = 0;

	while (truth(&c, set) != role)
		set++;
	ck_assert_int_eq(duel_follows(&oracle, &rng, set, &found, &f), 0);
	ck_assert_int_eq(found.verdict,
			 role == DUEL_FOLLOWS ? DUEL_SEEN : DUEL_NOT_SEEN);
	ck_assert_uint_eq(found.tried, 1);
	ck_assert_ptr_null(found.roles);
	done(&c, &found);
}

/* Where one set is all that can be read: it follows, or it leads. */
START_TEST(one_set)
{
	struct profile_policy p = duel(_i);

	expect_one(&p, DUEL_FOLLOWS);
	expect_one(&p, DUEL_LEADS_REUSE);
}
END_TEST

START_TEST(ranges)
{
	unsigned char roles[] = { DUEL_LEADS_THRASH, DUEL_FOLLOWS,
				  DUEL_LEADS_THRASH, DUEL_LEADS_THRASH,
				  DUEL_LEADS_REUSE,  DUEL_LEADS_THRASH };
	struct duel_finding found = { .roles = roles, .sets = sizeof(roles) };
	struct duel_range all[3];

	ck_assert_uint_eq(duel_ranges(&found, DUEL_LEADS_THRASH, all, 3), 3);
	ck_assert_uint_eq(all[0].first, 0);
	ck_assert_uint_eq(all[0].last, 0);
	ck_assert_uint_eq(all[1].first, 2);
	ck_assert_uint_eq(all[1].last, 3);
	ck_assert_uint_eq(all[2].last, 5);
	ck_assert_uint_eq(duel_ranges(&found, DUEL_LEADS_THRASH, all, 1), 3);
	ck_assert_uint_eq(all[0].last, 0);
	ck_assert_uint_eq(duel_ranges(&found, DUEL_UNTOLD, NULL, 0), 0);
}
END_TEST

static int busy(void *context, uint64_t set, double *misses, struct failure *f)
{
	(void)context, (void)set, (void)misses, (void)f;
	return -EAGAIN;
}

static int idle(void *context, const bool *groups, const struct cycle *cycle,
		struct failure *f)
{
	(void)context, (void)cycle, (void)groups, (void)f;
	return 0;
}

/* No answers at all, and too few groups to leave one alone. */
START_TEST(nothing_to_go_by)
{
	struct duel_oracle oracle = { .ways = 8,
				      .sets = 64,
				      .groups = 64,
				      .contrast = 1,
				      .walk = idle,
				      .rounds = 8,
				      .read = busy };
	struct failure f = { .text = "" };
	struct rng rng = { test_seed() };
	struct duel_finding found;

	ck_assert_int_eq(duel_look(&oracle, &rng, &found, &f), 0);
	ck_assert_int_eq(found.verdict, DUEL_UNDECIDED);
	ck_assert_str_ne(found.reason, "");
	duel_finding_free(&found);
	oracle.groups = 1;
	ck_assert_int_eq(duel_look(&oracle, &rng, &found, &f), 0);
	ck_assert_int_eq(found.verdict, DUEL_UNDECIDED);
	ck_assert_str_ne(found.reason, "");
	duel_finding_free(&found);
}
END_TEST

Suite *make_duel_suite(void)
{
	Suite *suite = suite_create("set dueling");
	TCase *tests = tcase_create("leaders");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, leaders, 0,
			    sizeof(duels) / sizeof(duels[0]));
	tcase_add_loop_test(tests, disturbed, 0, 6);
	tcase_add_loop_test(tests, two_selectors, 0, 2);
	tcase_add_loop_test(tests, none, 0, sizeof(alone) / sizeof(alone[0]));
	tcase_add_loop_test(tests, one_set, 0, 4);
	tcase_add_test(tests, ranges);
	tcase_add_test(tests, nothing_to_go_by);
	suite_add_tcase(suite, tests);
	return suite;
}
