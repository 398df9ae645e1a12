/* SPDX-License-Identifier: GPL-2.0 */
/*
 * known_policies.h - the replacement policies that are known, as hypotheses,
 * and what each of them predicts.
 *
 * The deterministic ones of nanoBench (Abel and Reineke, ISPASS 2020) with all
 * of its QLRU variants, and randomised ones over a grid of their parameters.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_KNOWN_POLICIES_H
#define PROBE_PHYS_METHOD_POLICY_KNOWN_POLICIES_H

#include "method/policy/set_model.h"
#include "method/set/oracle.h"

/**
 * struct hypothesis - a policy that a set may have
 * @name: "LRU", "QLRU_H11_M1_R0_U0", ...
 * @policy: as the model takes it
 * @habit: what differs from the model
 * @random: predictions are means_of
 * @rarity: of random ones: its rare insertions are so many times as frequent; 0:
 *          as frequent as its name says
 */
struct hypothesis {
	char name[40];
	struct profile_policy policy;
	enum policy_habit habit;
	bool random;
	double rarity;
};

/**
 * struct known_policies - all hypotheses for a number of ways
 * @ways: that number
 * @all: deterministic ones first, the best known name of a behaviour before
 *       its others
 * @count: their number
 * @deterministic: of them
 */
struct known_policies {
	unsigned int ways;
	struct hypothesis *all;
	size_t count;
	size_t deterministic;
};

/** known_policies_make() - 0 or -ENOMEM; known_policies_free() in either case */
int known_policies_make(struct known_policies *z, unsigned int ways);
void known_policies_free(struct known_policies *z);

/**
 * hypothesis_same_when_full() - two hypotheses differ only while ways are free
 *
 * The first ones of such groups are predicted, the others predict the same. Of
 * random ones the dice are the same as well.
 */
bool hypothesis_same_when_full(const struct hypothesis *one,
			       const struct hypothesis *other);

/**
 * hypothesis_predict() - what a hypothesis says of a cycle
 * @before: a cycle that may have gone before, or NULL
 * @seed: of earlier contents, and of random policies
 * Return: 0 or -ENOMEM.
 */
int hypothesis_predict(const struct hypothesis *h, unsigned int ways,
		       const struct cycle *c, const struct cycle *before,
		       uint64_t seed, struct prediction *p);

/**
 * hypothesis_predict_again() - the same with many more earlier contents, before an
 * answer to a cycle that @before was asked before is held against a hypothesis
 * @p: (in, out) what hypothesis_predict() said; nothing is done where that leaves room
 */
int hypothesis_predict_again(const struct hypothesis *h, unsigned int ways,
			     const struct cycle *c, const struct cycle *before,
			     uint64_t seed, struct prediction *p);

/**
 * hypothesis_predict_alone() - the same of a deterministic policy where nothing but lines
 * of the oracle is in the set
 */
int hypothesis_predict_alone(const struct hypothesis *h, unsigned int ways,
			     const struct cycle *c, uint64_t seed,
			     struct prediction *p);

/** permutation_predict() - the same of a policy known by its vectors */
int permutation_predict(const struct permutation_policy *h,
			const struct cycle *c, uint64_t seed,
			struct prediction *p);

#endif
