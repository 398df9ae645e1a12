// SPDX-License-Identifier: GPL-2.0
/* Randomised policies, unknown policies, and policies under contention. */
#include <stdio.h>
#include <string.h>

#include "method/policy/policykit.h"
#include "suites.h"

static const unsigned int sizes[] = { 4, 8, 12, 16 };

#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/* Of processors; Ivy Bridge's L3 has the last one in some sets. */
static const char *const randomised[] = {
	"random",   "BIP (1 of 32)", "BRRIP (1 of 32)",
	"RandPLRU", "PLRURand",	     "QLRU_H11_MR31_R1_U2"
};

#define RANDOMISED ((int)(sizeof(randomised) / sizeof(randomised[0])))

/* Of other ways, and every other one of 4, only in long runs: means take
 * their time.
 */
static bool is_tested_today(unsigned int i, unsigned int ways)
{
	return (ways == 4 && (i + test_seed()) % 2) || samples() >= 20;
}

/*
 * A randomised policy is recognised and named; with many ways it may be
 * undecided.
 */
START_TEST(random_policy)
{
	const char *name = randomised[_i % RANDOMISED];
	unsigned int ways = sizes[_i / RANDOMISED];
	struct policy_catalogue catalogue;

	if (!is_wanted(is_tested_today((unsigned int)_i, ways)) ||
	    !is_in_part(_i))
		return;
	make_catalogue(&catalogue, ways, false);
	for (size_t i = catalogue.known.deterministic;
	     i < catalogue.known.count; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct known_set k = { .rounds = RANDOM_ROUNDS };
		struct policy_finding found;

		if (strcmp(h->name, name))
			continue;
		identify(&catalogue, &k, h, false, &found);
		ck_assert_msg(found.kind == POLICY_RANDOMISED ||
				      found.kind == POLICY_UNDECIDED,
			      "%u ways, %s: %s %s", ways, h->name,
			      policy_kind_name(found.kind), found.names[0]);
		if (ways <= 8)
			ck_assert_msg(found.kind == POLICY_RANDOMISED, "%s: %s",
				      h->name, found.reason);
		if (found.kind == POLICY_RANDOMISED)
			ck_assert_msg(names(&found, h->name), "%u ways, %s: %s",
				      ways, h->name, found.names[0]);
	}
	policy_catalogue_free(&catalogue);
}
END_TEST

/* One way goes more often than the others. */
static unsigned int loaded_victim(struct policy *p, uint64_t set)
{
	(void)set;
	if (!rng_below(&p->rng, 4))
		return 0;
	return (unsigned int)rng_below(&p->rng, p->ways);
}

/**
 * struct unknown_policy - like a known policy, but another one
 * @name: of the known one
 * @rarity: factor by which the rare case is more frequent
 * @loaded: instead, victims are random, and one way is preferred
 */
struct unknown_policy {
	const char *name;
	double rarity;
	bool loaded;
};

static const struct unknown_policy unknown[] = {
	{ "random", 1, true },
	{ "BIP (1 of 32)", 4.0 / 3, false },
	{ "QLRU_H11_MR31_R1_U2", 0.5, false },
	/* In long runs. */
	{ "BRRIP (1 of 32)", 2.0 / 3, false },
	{ "BIP (1 of 32)", 2.0 / 3, false },
	{ "BRRIP (1 of 32)", 4.0 / 3, false },
	{ "QLRU_H11_MR31_R1_U2", 4, false },
	{ "QLRU_H11_MR31_R1_U2", 4.0 / 3, false },
	{ "QLRU_H11_MR32_R0_U0", 2.0 / 3, false },
};

#define UNKNOWN ((int)(sizeof(unknown) / sizeof(unknown[0])))
#define UNKNOWN_TODAY 3

/* A randomised policy that has no name gets none. */
START_TEST(unknown_policy)
{
	const struct unknown_policy *one = &unknown[_i];
	struct policy_ops loaded = policy_random;
	struct policy_catalogue catalogue;

	if (!is_wanted(_i < UNKNOWN_TODAY || samples() >= 20) ||
	    !is_in_part(_i))
		return;
	loaded.victim = loaded_victim;
	make_catalogue(&catalogue, 4, false);
	for (size_t i = catalogue.known.deterministic;
	     i < catalogue.known.count; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct profile_policy policy = h->policy;
		struct known_set k = { .rounds = RANDOM_ROUNDS };
		struct set_oracle oracle = oracle_for(&k, 4, false);
		struct policy_finding found;

		if (strcmp(h->name, one->name))
			continue;
		policy.seed = test_seed() + 78;
		ck_assert_int_eq(policy_set_begin(&k.set, &policy, h->habit, 4),
				 0);
		k.set.policy.rare =
			(uint64_t)(one->rarity * (double)k.set.policy.rare);
		if (one->loaded)
			k.set.policy.ops = &loaded;
		identify_set(&oracle, &catalogue, &found);
		policy_set_end(&k.set);
		ck_assert_msg(found.kind == POLICY_UNDECIDED ||
				      found.kind == POLICY_NONE_KNOWN,
			      "%s: %s %s", h->name,
			      policy_kind_name(found.kind), found.names[0]);
		ck_assert(found.reason[0]);
	}
	policy_catalogue_free(&catalogue);
}
END_TEST

/* A hand walks the ways cyclically and spares, once, what was used since (CLOCK). */
static unsigned int clock_victim(struct policy *p, uint64_t set)
{
	uint64_t *state = policy_state(p, set);
	unsigned int hand = (unsigned int)(*state >> 32);

	while (*state >> hand & 1) {
		*state &= ~(UINT64_C(1) << hand);
		hand = (hand + 1) % p->ways;
	}
	*state = (*state & 0xffffffff) | (uint64_t)((hand + 1) % p->ways) << 32;
	return hand;
}

static void clock_use(struct policy *p, uint64_t set, unsigned int way)
{
	*policy_state(p, set) |= UINT64_C(1) << way;
}

static void clock_fill(struct policy *p, uint64_t set, unsigned int way)
{
	(void)p;
	(void)set;
	(void)way;
}

/*
 * It is none of the known, which is said when answers come again, and not when
 * they were more than they are now.
 */
START_SLOW_TEST(none)
{
	struct profile_policy policy = { .name = PROFILE_NRU };
	struct known_set k = { .more_until = _i ? 242 : 0 };
	struct set_oracle oracle = oracle_for(&k, 4, false);
	struct policy_ops ops = policy_nru;
	struct policy_finding found;
	struct policy_catalogue catalogue;

	ops.victim = clock_victim;
	ops.hit = clock_use;
	ops.fill = clock_fill;
	make_catalogue(&catalogue, 4, false);
	k.rng.state = test_seed();
	ck_assert_int_eq(policy_set_begin(&k.set, &policy, HABIT_NONE, 4), 0);
	*policy_state(&k.set.policy, 0) = 0;
	k.set.policy.ops = &ops;
	identify_set(&oracle, &catalogue, &found);
	ck_assert_msg(found.kind == (_i ? POLICY_UNDECIDED : POLICY_NONE_KNOWN),
		      "%s %s %s", policy_kind_name(found.kind), found.names[0],
		      found.reason);
	ck_assert(found.reason[0]);
	policy_set_end(&k.set);
	policy_catalogue_free(&catalogue);
}
END_TEST

/**
 * struct neighbour - another process that evicts lines in bursts
 * @burst: accesses in a burst, and in the pause before it
 * @taken: in a burst, accesses for each line that is evicted
 */
struct neighbour {
	unsigned int burst;
	unsigned int taken;
};

static const struct neighbour neighbours[] = {
	{ 400000, 40 },
	{ 400000, 150 },
	{ 1200000, 60 },
};

#define NEIGHBOURS ((int)(sizeof(neighbours) / sizeof(neighbours[0])))

/* What a neighbour does is not taken for the policy. */
START_TEST(bursts)
{
	const struct neighbour *n = &neighbours[_i];
	struct policy_catalogue catalogue;

	if (!is_wanted(!_i || samples() >= 20) ||
	    !is_slow_in_part("bursts", _i))
		return;
	make_catalogue(&catalogue, 4, false);
	for (size_t i = 0; i < catalogue.known.deterministic; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct known_set k = { .burst = n->burst,
				       .taken = n->taken,
				       .rounds = 4 * RANDOM_ROUNDS };
		struct policy_finding found;

		if (strcmp(h->name, "LRU") && strcmp(h->name, "tree-PLRU"))
			continue;
		identify(&catalogue, &k, h, false, &found);
		ck_assert_msg(found.kind == POLICY_UNDECIDED ||
				      (found.kind == POLICY_KNOWN &&
				       names(&found, h->name)),
			      "%s: %s %s %s", h->name,
			      policy_kind_name(found.kind), found.names[0],
			      found.reason);
		ck_assert(found.kind == POLICY_KNOWN || found.reason[0]);
	}
	policy_catalogue_free(&catalogue);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *test = tcase_create("policies");

	tcase_set_timeout(test, 300);
	tcase_add_loop_test(test, random_policy, 0, SIZES * RANDOMISED);
	tcase_add_loop_test(test, unknown_policy, 0, UNKNOWN);
	tcase_add_loop_test(test, none, 0, 2);
	tcase_add_loop_test(test, bursts, 0, NEIGHBOURS);
	suite_add_tcase(suite, test);
	return suite;
}
