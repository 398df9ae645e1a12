/* SPDX-License-Identifier: GPL-2.0 */
/*
 * set_model.h - one cache set under a hypothesis: what a policy would do.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_SET_MODEL_H
#define PROBE_PHYS_METHOD_POLICY_SET_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/policy/policy.h"
#include "result/policy_finding.h"

/**
 * enum policy_habit - what the families of the model leave open
 */
enum policy_habit {
	HABIT_NONE,
	/* Free ways are not taken before the policy points to them. */
	HABIT_FILLS_BY_VICTIM,
	/* Nothing is remembered while a way is free (Sandy Bridge's L3). */
	HABIT_STILL_WHILE_FREE,
	/* The root of the tree points anywhere, to one of three subtrees where
	 * ways are three times a power of two (Abel and Reineke 2014).
	 */
	HABIT_RANDOM_ROOT,
	/* Nodes above the leaves point anywhere (the same). */
	HABIT_RANDOM_LEAVES,
	/* One time in eight the first way goes, whatever else is said. */
	HABIT_FIRST_OFTENER,
};

/**
 * struct policy_set - a set at work
 * @policy: state of a policy of the model
 * @permutation: instead of @policy: a policy by its vectors
 * @order: places of @permutation, a way each
 * @habit: what differs from the model
 * @ways: ways
 * @used: of them, not free
 * @blocks: block of each way, POLICY_SET_FREE: none
 */
struct policy_set {
	struct policy policy;
	const struct permutation_policy *permutation;
	unsigned char order[POLICY_SET_WAYS];
	enum policy_habit habit;
	unsigned int ways;
	unsigned int used;
	unsigned int blocks[POLICY_SET_WAYS];
};

#define POLICY_SET_FREE (~0U)

/**
 * policy_set_begin() - an empty set
 * Return: 0, -EINVAL (ways, variant) or -ENOMEM. policy_set_end() in any case.
 */
int policy_set_begin(struct policy_set *s, const struct profile_policy *policy,
		     enum policy_habit habit, unsigned int ways);

/** policy_set_begin_permutation() - the same of a policy known by its vectors */
void policy_set_begin_permutation(struct policy_set *s,
				  const struct permutation_policy *p);

void policy_set_end(struct policy_set *s);

/** policy_set_access() - Return: whether it missed */
bool policy_set_access(struct policy_set *s, unsigned int block);

/** policy_set_place() - a line comes into a way, whatever the policy wants */
void policy_set_place(struct policy_set *s, unsigned int way,
		      unsigned int block);

/** policy_set_drop() - the block is flushed; what is remembered stays */
void policy_set_drop(struct policy_set *s, unsigned int block);

/** POLICY_SET_WORDS - longest state of a set, in words */
#define POLICY_SET_WORDS (POLICY_SET_WAYS + 16)

/**
 * policy_set_state() - all that the future depends on, for comparisons
 * @words: (out) room for POLICY_SET_WORDS
 * Return: words written; 0: it cannot be told (random policies, long lists).
 */
size_t policy_set_state(const struct policy_set *s, uint64_t *words);

#endif
