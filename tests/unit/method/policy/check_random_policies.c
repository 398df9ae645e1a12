// SPDX-License-Identifier: GPL-2.0
/* Policies that throw dice, none of the known, and neighbours that disturb. */
#include <stdio.h>
#include <string.h>

#include "method/policy/policykit.h"
#include "suites.h"

static const unsigned int sizes[] = { 4, 8, 12, 16 };

#define SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/* As processors throw them; Ivy Bridge's L3 has the last one in some sets. */
static const char *const thrown[] = {
	"random",   "BIP (1 of 32)", "BRRIP (1 of 32)",
	"RandPLRU", "PLRURand",	     "QLRU_H11_MR31_R1_U2"
};

#define DICE ((int)(sizeof(thrown) / sizeof(thrown[0])))

/* Of other ways, and every other one of 4, only in long runs: means take
 * their time.
 */
static bool is_thrown_today(unsigned int i, unsigned int ways)
{
	return (ways == 4 && (i + test_seed()) % 2) || samples() >= 20;
}

/*
 * Dice are noticed, and how they are thrown is told; of many ways it may stay
 * open.
 */
START_TEST(dice)
{
	if (!is_in_part(_i))
		return;

	const char *name = thrown[_i % DICE];
	unsigned int ways = sizes[_i / DICE];
	struct policy_catalogue catalogue;

	if (!is_thrown_today((unsigned int)_i, ways))
		return;
	make_catalogue(&catalogue, ways, false);
	for (size_t i = catalogue.known.deterministic;
	     i < catalogue.known.count; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct known_set k = { .rounds = DICE_ROUNDS };
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
 * struct stranger - none of the known, but like one of them
 * @name: of that one
 * @rarity: what is rare is so many times as frequent
 * @loaded: instead, dice that prefer a way
 */
struct stranger {
	const char *name;
	double rarity;
	bool loaded;
};

static const struct stranger strangers[] = {
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

#define STRANGERS ((int)(sizeof(strangers) / sizeof(strangers[0])))
#define STRANGERS_TODAY 3

/* Other dice than those that have a name do not get one. */
START_TEST(stranger)
{
	if (!is_in_part(_i))
		return;

	const struct stranger *one = &strangers[_i];
	struct policy_ops loaded = policy_random;
	struct policy_catalogue catalogue;

	if (_i >= STRANGERS_TODAY && samples() < 20)
		return;
	loaded.victim = loaded_victim;
	make_catalogue(&catalogue, 4, false);
	for (size_t i = catalogue.known.deterministic;
	     i < catalogue.known.count; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct profile_policy policy = h->policy;
		struct known_set k = { .rounds = DICE_ROUNDS };
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

/* A hand goes round and spares, once, what was used since (CLOCK). */
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
	struct known_set k = { .more_until = _i ? 130 : 0 };
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
 * struct neighbour - somebody who takes lines away in bursts
 * @burst: how many accesses a burst lasts, and the pause before it
 * @taken: in it, a line goes in so many accesses
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
START_SLOW_TEST(bursts)
{
	const struct neighbour *n = &neighbours[_i];
	struct policy_catalogue catalogue;

	if (_i && samples() < 20)
		return;
	make_catalogue(&catalogue, 4, false);
	for (size_t i = 0; i < catalogue.known.deterministic; i++) {
		const struct hypothesis *h = &catalogue.known.all[i];
		struct known_set k = { .burst = n->burst,
				       .taken = n->taken,
				       .rounds = 4 * DICE_ROUNDS };
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
	tcase_add_loop_test(test, dice, 0, SIZES * DICE);
	tcase_add_loop_test(test, stranger, 0, STRANGERS);
	tcase_add_loop_test(test, none, 0, 2);
	tcase_add_loop_test(test, bursts, 0, NEIGHBOURS);
	suite_add_tcase(suite, test);
	return suite;
}
