// SPDX-License-Identifier: GPL-2.0
#include "method/policy/known_policies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HYPOTHESES 1024

struct known {
	const char *name;
	enum profile_policy_name policy;
	enum policy_habit habit;
	/* of which the ways must be a multiple */
	unsigned int multiple;
};

static const struct known known[] = {
	{ "LRU", PROFILE_LRU, HABIT_NONE, 1 },
	{ "FIFO", PROFILE_FIFO, HABIT_NONE, 1 },
	{ "tree-PLRU", PROFILE_TREE_PLRU, HABIT_NONE, 1 },
	{ "tree-PLRU (fills by tree)", PROFILE_TREE_PLRU, HABIT_FILLS_BY_VICTIM,
	  1 },
	{ "bit-PLRU (MRU)", PROFILE_BIT_PLRU, HABIT_NONE, 1 },
	{ "MRU_N", PROFILE_BIT_PLRU, HABIT_STILL_WHILE_FREE, 1 },
	{ "NRU", PROFILE_NRU, HABIT_NONE, 1 },
	{ "LIP", PROFILE_LIP, HABIT_NONE, 1 },
	{ "LRU3PLRU4", PROFILE_LRU3PLRU4, HABIT_NONE, 4 },
	{ "MRU3PLRU4", PROFILE_MRU3PLRU4, HABIT_NONE, 4 },
	{ "SRRIP-HP", PROFILE_SRRIP, HABIT_NONE, 1 },
};

static const char *const hits[] = { "00", "10", "11", "20", "21" };

static struct hypothesis *add(struct known_policies *z,
			      enum profile_policy_name policy,
			      enum policy_habit habit)
{
	struct hypothesis *h = &z->all[z->count++];

	*h = (struct hypothesis){ .policy = { .name = policy, .seed = 1 },
				  .habit = habit };
	return h;
}

static void add_qlru(struct known_policies *z, const char *variant, bool random)
{
	struct hypothesis *h = add(z, PROFILE_QLRU, HABIT_NONE);

	snprintf(h->policy.variant, sizeof(h->policy.variant), "%s", variant);
	snprintf(h->name, sizeof(h->name), "QLRU_%s", variant);
	h->random = random;
	/* Jaleel et al., ISCA 2010: frequency priority. */
	if (!strcmp(variant, "H21_M2_R0_U0_UMO"))
		strcpy(h->name, "SRRIP-FP");
}

/*
 * As nanoBench: R0 and R2 need a way at age 3, which only U0 and U1 guarantee.
 */
static void add_variants(struct known_policies *z, const char *hit,
			 const char *insert)
{
	bool random = insert[1];
	char variant[24];

	for (int replace = 0; replace < 3; replace++)
		for (int update = 0; update < (replace == 1 ? 4 : 2); update++)
			for (int umo = 0; umo < 2; umo++) {
				/*
				 * Random variants are few: others differ too
				 * little.
				 */
				if (random && replace == 2)
					continue;
				snprintf(variant, sizeof(variant),
					 "H%s_M%s%s_R%d_U%d%s", hit,
					 random ? "R" : "", insert, replace,
					 update, umo ? "_UMO" : "");
				add_qlru(z, variant, random);
			}
}

static void add_rare(struct known_policies *z, enum profile_policy_name policy,
		     const char *name)
{
	for (unsigned int one_in = 4; one_in <= 128; one_in *= 2) {
		struct hypothesis *h = add(z, policy, HABIT_NONE);

		h->policy.epsilon = 1.0 / one_in;
		h->random = true;
		snprintf(h->name, sizeof(h->name), "%s (1 of %u)", name,
			 one_in);
	}
}

static void add_random(struct known_policies *z)
{
	static const struct known coins[] = {
		{ "random", PROFILE_RANDOM, HABIT_NONE, 1 },
		{ "RandPLRU", PROFILE_TREE_PLRU, HABIT_RANDOM_ROOT, 1 },
		{ "PLRURand", PROFILE_TREE_PLRU, HABIT_RANDOM_LEAVES, 1 },
	};
	static const char *const inserts[] = { "31", "30", "32",
					       "13", "23", "03" };

	for (size_t i = 0; i < sizeof(coins) / sizeof(coins[0]); i++) {
		struct hypothesis *h;

		/*
		 * In a tree with leaves that are no ways, some lines are never
		 * evicted.
		 */
		if (coins[i].habit == HABIT_RANDOM_LEAVES &&
		    z->ways & (z->ways - 1))
			continue;
		h = add(z, coins[i].policy, coins[i].habit);
		h->random = true;
		snprintf(h->name, sizeof(h->name), "%s", coins[i].name);
	}
	add_rare(z, PROFILE_BIP, "BIP");
	add_rare(z, PROFILE_BRRIP, "BRRIP");
	for (size_t i = 0; i < sizeof(inserts) / sizeof(inserts[0]); i++)
		for (size_t j = 0; j < sizeof(hits) / sizeof(hits[0]); j++)
			add_variants(z, hits[j], inserts[i]);
}

int known_policies_make(struct known_policies *z, unsigned int ways)
{
	static const char *const inserts[] = { "1", "2", "0", "3" };

	*z = (struct known_policies){ .ways = ways };
	z->all = calloc(MOST_HYPOTHESES, sizeof(*z->all));
	if (!z->all)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (ways % known[i].multiple)
			continue;
		/*
		 * A tree with leaves that are no ways would leave some ways
		 * free.
		 */
		if (known[i].habit == HABIT_FILLS_BY_VICTIM &&
		    ways & (ways - 1))
			continue;
		snprintf(add(z, known[i].policy, known[i].habit)->name,
			 sizeof(z->all->name), "%s", known[i].name);
	}
	for (size_t i = 0; i < sizeof(inserts) / sizeof(inserts[0]); i++)
		for (size_t j = 0; j < sizeof(hits) / sizeof(hits[0]); j++)
			add_variants(z, hits[j], inserts[i]);
	z->deterministic = z->count;
	add_random(z);
	return 0;
}

/* Updates on misses only never age the line that is hit. */
static unsigned int update_of(const struct policy_qlru *q)
{
	return q->on_miss_only ? q->update & ~1U : q->update;
}

static bool same_ages(const struct policy_qlru *a, const struct policy_qlru *b)
{
	return !memcmp(a->hit, b->hit, sizeof(a->hit)) &&
	       a->insert == b->insert && a->insert_rare == b->insert_rare &&
	       a->on_miss_only == b->on_miss_only &&
	       update_of(a) == update_of(b);
}

static bool is_srrip(const struct policy_qlru *q)
{
	struct policy_qlru hp;
	bool rightmost;

	return policy_parse_qlru("H00_M2_R0_U0_UMO", &hp, &rightmost) &&
	       same_ages(q, &hp);
}

static bool same_dice(const struct hypothesis *one,
		      const struct hypothesis *other)
{
	double rarer = one->policy.epsilon - other->policy.epsilon;

	return one->habit == other->habit && rarer <= 0 && rarer >= 0;
}

bool hypothesis_same_when_full(const struct hypothesis *one,
			       const struct hypothesis *other)
{
	struct policy_qlru a, b;
	bool rightmost;

	if (one->random != other->random ||
	    (one->random && !same_dice(one, other)))
		return false;
	if (other->policy.name != PROFILE_QLRU)
		return one->policy.name == other->policy.name;
	if (!policy_parse_qlru(other->policy.variant, &b, &rightmost))
		return false;
	if (one->policy.name == PROFILE_SRRIP)
		return is_srrip(&b);
	return one->policy.name == PROFILE_QLRU &&
	       policy_parse_qlru(one->policy.variant, &a, &rightmost) &&
	       same_ages(&a, &b);
}

void known_policies_free(struct known_policies *z)
{
	free(z->all);
	*z = (struct known_policies){ .ways = 0 };
}
