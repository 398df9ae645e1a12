// SPDX-License-Identifier: GPL-2.0
/* check_dueling.c - set dueling, found in caches whose leaders are known. */
#include <errno.h>
#include <stdio.h>

#include "method/dueling/duelingkit.h"
#include "suites.h"

static void look(struct duelingkit *c, const struct profile_policy *policy,
		 unsigned int ways, uint64_t seed,
		 struct dueling_finding *found)
{
	struct dueling_oracle oracle = duelingkit_begin(c, policy, ways, seed);
	struct rng rng = { seed };
	struct budget budget = budget_begin();
	struct failure f = { .text = "" };

	ck_assert_int_eq(dueling_look(&oracle, &budget, &rng, found, &f), 0);
}

static const unsigned int sizes[] = { 16, 12, 8, 4 };

static const struct {
	unsigned int ways;
	int duel;
} duels[] = {
	{ 16, 0 }, { 16, 1 }, { 16, 2 }, { 16, 3 },
	{ 12, 3 }, { 8, 1 },  { 8, 2 },	 { 4, 2 },
};

/* A seed whose first eight sets lay in all groups with leaders of one kind, and
 * whose second selector followed the first one nearly all the time.
 */
#define FOUND_SEED 50000002

static void check_leaders(int which, uint64_t seed)
{
	struct profile_policy p = duelingkit_policy(duels[which].duel);
	unsigned int ways = duels[which].ways;
	struct duelingkit c = { .wrong = 0 };
	struct dueling_finding found;

	look(&c, &p, ways, seed, &found);
	ck_assert_msg(found.verdict == DUELING_SEEN, "seed %llu: %s",
		      (unsigned long long)seed, found.reason);
	ck_assert_double_le(found.seen_bound, 1.1e-6);
	ck_assert_double_le(found.roles_bound, 1.11e-5);
	ck_assert_ptr_nonnull(found.roles);
	for (uint64_t set = 0; set < DUELINGKIT_SETS; set++)
		ck_assert_msg(found.roles[set] == duelingkit_role(&c, set),
			      "seed %llu: %u ways, set %llu: %d",
			      (unsigned long long)seed, ways,
			      (unsigned long long)set, found.roles[set]);
	duelingkit_end(&c, &found);
}

START_TEST(leaders)
{
	if (is_in_part(_i))
		check_leaders(_i, duelingkit_seed());
}
END_TEST

START_TEST(leaders_of_a_seed_that_failed)
{
	check_leaders(_i, FOUND_SEED);
}
END_TEST

/* Wrong readings, and another process that moves the selector: less may be decided,
 * and nothing is wrong.
 */
START_TEST(disturbed)
{
	if (!is_in_part(_i))
		return;

	struct profile_policy p = duelingkit_policy(_i % 4);
	struct duelingkit c = { .wrong = _i < 4 ? 0.05 : 0.01,
				.disturbances = _i < 4 ? 0 : 40 };
	uint64_t decided = 0, seed = duelingkit_seed() + (uint64_t)_i;
	struct dueling_finding found;

	printf("set dueling: PROBE_PHYS_SEED=%llu\n",
	       (unsigned long long)duelingkit_seed());
	look(&c, &p, 16, seed, &found);
	for (uint64_t set = 0; found.roles && set < DUELINGKIT_SETS; set++) {
		decided += found.roles[set] != DUELING_ROLE_UNDECIDED;
		ck_assert_msg(
			found.roles[set] == DUELING_ROLE_UNDECIDED ||
				found.roles[set] == duelingkit_role(&c, set),
			"seed %llu: set %llu: %d", (unsigned long long)seed,
			(unsigned long long)set, found.roles[set]);
	}
	if (_i < 4)
		ck_assert_uint_gt(decided, DUELINGKIT_SETS * 9 / 10);
	duelingkit_end(&c, &found);
}
END_TEST

/* Each half of the sets follows leaders of its own: what one sentinel shows
 * says nothing of the other half.
 */
START_TEST(two_selectors)
{
	const uint64_t seed = _i < 2 ? duelingkit_seed() + (uint64_t)_i :
				       FOUND_SEED;
	struct profile_policy p = duelingkit_policy(2);
	struct duelingkit c = { .count = 2 };
	struct dueling_finding found;

	p.leader_count = 8;
	for (unsigned int i = 0; i < 8; i++)
		p.leaders[i] = 5 * i + 3;
	look(&c, &p, 8, seed, &found);
	for (uint64_t set = 0; found.roles && set < DUELINGKIT_SETS; set++)
		ck_assert_msg(found.roles[set] == DUELING_ROLE_UNDECIDED ||
				      found.roles[set] ==
					      duelingkit_role(&c, set / 2),
			      "seed %llu: set %llu: %d",
			      (unsigned long long)seed, (unsigned long long)set,
			      found.roles[set]);
	duelingkit_end(&c, &found);
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
	       (unsigned long long)duelingkit_seed());
	for (unsigned int i = 0; i < 4; i++) {
		struct profile_policy p = alone[_i];
		struct duelingkit c = { .wrong = i / 2 * 0.15,
					.disturbances = i % 2 * 20 };
		uint64_t seed = duelingkit_seed() * 1000 + i;
		struct dueling_finding found;

		p.seed = seed;
		look(&c, &p, sizes[(i + (unsigned int)_i) % 4], seed, &found);
		ck_assert_msg(found.verdict != DUELING_SEEN,
			      "seed %llu: %u ways", (unsigned long long)seed,
			      sizes[(i + (unsigned int)_i) % 4]);
		ck_assert_ptr_null(found.roles);
		if (!c.wrong) {
			ck_assert_int_eq(found.verdict, DUELING_NOT_SEEN);
			ck_assert_uint_eq(found.tried, 16);
		}
		duelingkit_end(&c, &found);
	}
}
END_TEST

static void expect_one(const struct profile_policy *p, enum dueling_role role)
{
	struct duelingkit c = { .wrong = 0 };
	struct dueling_oracle oracle =
		duelingkit_begin(&c, p, 16, duelingkit_seed());
	struct rng rng = { duelingkit_seed() };
	struct budget budget = budget_begin();
	struct failure f = { .text = "" };
	struct dueling_finding found;
	uint64_t set = 0;

	while (duelingkit_role(&c, set) != role)
		set++;
	ck_assert_int_eq(
		dueling_follows(&oracle, &budget, &rng, set, &found, &f), 0);
	ck_assert_int_eq(found.verdict, role == DUELING_FOLLOWS ?
						DUELING_SEEN :
						DUELING_NOT_SEEN);
	ck_assert_uint_eq(found.tried, 1);
	ck_assert_ptr_null(found.roles);
	duelingkit_end(&c, &found);
}

/* Where one set is all that can be read: it follows, or it leads. */
START_TEST(one_set)
{
	struct profile_policy p = duelingkit_policy(_i);

	expect_one(&p, DUELING_FOLLOWS);
	expect_one(&p, DUELING_LEADS_REUSE);
}
END_TEST

START_TEST(ranges)
{
	unsigned char roles[] = { DUELING_LEADS_THRASH, DUELING_FOLLOWS,
				  DUELING_LEADS_THRASH, DUELING_LEADS_THRASH,
				  DUELING_LEADS_REUSE,	DUELING_LEADS_THRASH };
	struct dueling_finding found = { .roles = roles,
					 .sets = sizeof(roles) };
	struct dueling_range all[3];

	ck_assert_uint_eq(dueling_ranges(&found, DUELING_LEADS_THRASH, all, 3),
			  3);
	ck_assert_uint_eq(all[0].first, 0);
	ck_assert_uint_eq(all[0].last, 0);
	ck_assert_uint_eq(all[1].first, 2);
	ck_assert_uint_eq(all[1].last, 3);
	ck_assert_uint_eq(all[2].last, 5);
	ck_assert_uint_eq(dueling_ranges(&found, DUELING_LEADS_THRASH, all, 1),
			  3);
	ck_assert_uint_eq(all[0].last, 0);
	ck_assert_uint_eq(
		dueling_ranges(&found, DUELING_ROLE_UNDECIDED, NULL, 0), 0);
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
	struct dueling_oracle oracle = { .ways = 8,
					 .sets = 64,
					 .groups = 64,
					 .contrast = 1,
					 .walk = idle,
					 .rounds = 8,
					 .read = busy };
	struct failure f = { .text = "" };
	struct rng rng = { duelingkit_seed() };
	struct budget budget = budget_begin();
	struct dueling_finding found;

	ck_assert_int_eq(dueling_look(&oracle, &budget, &rng, &found, &f), 0);
	ck_assert_int_eq(found.verdict, DUELING_UNDECIDED);
	ck_assert_str_ne(found.reason, "");
	dueling_finding_free(&found);
	oracle.groups = 1;
	ck_assert_int_eq(dueling_look(&oracle, &budget, &rng, &found, &f), 0);
	ck_assert_int_eq(found.verdict, DUELING_UNDECIDED);
	ck_assert_str_ne(found.reason, "");
	dueling_finding_free(&found);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tests = tcase_create("leaders");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, leaders, 0,
			    sizeof(duels) / sizeof(duels[0]));
	tcase_add_loop_test(tests, leaders_of_a_seed_that_failed, 0,
			    sizeof(duels) / sizeof(duels[0]));
	tcase_add_loop_test(tests, disturbed, 0, 6);
	tcase_add_loop_test(tests, two_selectors, 0, 3);
	tcase_add_loop_test(tests, none, 0, sizeof(alone) / sizeof(alone[0]));
	tcase_add_loop_test(tests, one_set, 0, 4);
	tcase_add_test(tests, ranges);
	tcase_add_test(tests, nothing_to_go_by);
	suite_add_tcase(suite, tests);
	return suite;
}
