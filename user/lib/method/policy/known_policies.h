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
 * @random: predictions are averages
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
 * struct zoo - all hypotheses for a number of ways
 * @ways: that number
 * @all: deterministic ones first, the best known name of a behaviour before
 *       its others
 * @count: their number
 * @deterministic: of them
 */
struct zoo {
	unsigned int ways;
	struct hypothesis *all;
	size_t count;
	size_t deterministic;
};

/** zoo_make() - 0 or -ENOMEM; zoo_free() in either case */
int zoo_make(struct zoo *z, unsigned int ways);
void zoo_free(struct zoo *z);

/**
 * zoo_same_when_full() - two hypotheses differ only while ways are free
 *
 * The first ones of such groups are predicted, the others predict the same. Of
 * random ones the dice are the same as well.
 */
bool zoo_same_when_full(const struct hypothesis *one,
			const struct hypothesis *other);

/**
 * zoo_predict() - what a hypothesis says of a cycle
 * @before: a cycle that may have gone before, or NULL
 * @seed: of earlier contents, and of random policies
 * Return: 0 or -ENOMEM.
 */
int zoo_predict(const struct hypothesis *h, unsigned int ways,
		const struct cycle *c, const struct cycle *before,
		uint64_t seed, struct prediction *p);

/**
 * zoo_predict_again() - the same with many more earlier contents, before an
 * answer to a cycle that @before was asked before is held against a hypothesis
 * @p: (in, out) what zoo_predict() said; nothing is done where that leaves room
 */
int zoo_predict_again(const struct hypothesis *h, unsigned int ways,
		      const struct cycle *c, const struct cycle *before,
		      uint64_t seed, struct prediction *p);

/**
 * zoo_predict_own() - the same of a deterministic policy where nothing but lines
 * of the oracle is in the set
 */
int zoo_predict_own(const struct hypothesis *h, unsigned int ways,
		    const struct cycle *c, uint64_t seed, struct prediction *p);

/** zoo_predict_permutation() - the same of a policy known by its vectors */
int zoo_predict_permutation(const struct permutation_policy *h,
			    const struct cycle *c, uint64_t seed,
			    struct prediction *p);

#endif
