/* SPDX-License-Identifier: GPL-2.0 */
/* set_model.h - one cache set under a hypothesis. */
#ifndef PROBE_PHYS_METHOD_POLICY_SET_MODEL_H
#define PROBE_PHYS_METHOD_POLICY_SET_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/policy/policy.h"
#include "result/policy_finding.h"

/** enum policy_habit - details that the families of the model do not define */
enum policy_habit {
	HABIT_NONE,
	/* A free way is taken only when the policy selects it. */
	HABIT_FILLS_BY_VICTIM,
	/* The state does not change while a way is free (Sandy Bridge's L3). */
	HABIT_STILL_WHILE_FREE,
	/* The root of the tree points anywhere, to one of three subtrees where
	 * ways are three times a power of two (Abel and Reineke 2014).
	 */
	HABIT_RANDOM_ROOT,
	/* Nodes above the leaves point anywhere (the same). */
	HABIT_RANDOM_LEAVES,
	/*
	 * One miss in eight evicts from the first way, whatever the policy
	 * selects.
	 */
	HABIT_FIRST_OFTENER,
};

/**
 * struct policy_set - the state of a set
 * @policy: state of a policy of the model
 * @permutation: instead of @policy: a policy by its permutations
 * @order: places of @permutation, one per way
 * @habit: difference from the model
 * @ways: number of ways
 * @used: number of ways that are not free
 * @blocks: block of each way; POLICY_SET_FREE: none
 */
struct policy_set {
	struct policy policy;
	const struct permutation_policy *permutation;
	unsigned char order[SET_MOST_WAYS];
	enum policy_habit habit;
	unsigned int ways;
	unsigned int used;
	unsigned int blocks[SET_MOST_WAYS];
};

#define POLICY_SET_FREE (~0U)

/**
 * policy_set_begin() - an empty set
 * Return: 0, -EINVAL (ways, variant) or -ENOMEM. policy_set_end() in any case.
 */
int policy_set_begin(struct policy_set *s, const struct profile_policy *policy,
		     enum policy_habit habit, unsigned int ways);

/**
 * policy_set_begin_permutation() - an empty set of a policy by its permutations
 */
void policy_set_begin_permutation(struct policy_set *s,
				  const struct permutation_policy *p);

void policy_set_end(struct policy_set *s);

/** policy_set_access() - access a block. Return: whether it missed */
bool policy_set_access(struct policy_set *s, unsigned int block);

/** policy_set_place() - put a block into a way, whatever the policy selects */
void policy_set_place(struct policy_set *s, unsigned int way,
		      unsigned int block);

/** policy_set_drop() - flush a block; the state of the policy stays */
void policy_set_drop(struct policy_set *s, unsigned int block);

/** POLICY_SET_WORDS - longest state of a set, in words */
#define POLICY_SET_WORDS (SET_MOST_WAYS + 16)

/**
 * policy_set_state() - all state that later accesses depend on, for comparisons
 * @words: (out) room for POLICY_SET_WORDS
 * Return: words written; 0: not comparable (random policies, long lists).
 */
size_t policy_set_state(const struct policy_set *s, uint64_t *words);

#endif
