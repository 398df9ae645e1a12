/* SPDX-License-Identifier: GPL-2.0 */
/*
 * known_policies.h - the known replacement policies as hypotheses, and what
 * each of them predicts.
 *
 * The deterministic ones of nanoBench (Abel and Reineke, ISPASS 2020) with all
 * of its QLRU variants, and random ones over a grid of their parameters.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_KNOWN_POLICIES_H
#define PROBE_PHYS_METHOD_POLICY_KNOWN_POLICIES_H

#include "method/policy/set_model.h"
#include "method/set/oracle.h"

/**
 * struct hypothesis - a policy that a set may have
 * @name: "LRU", "QLRU_H11_M1_R0_U0", ...
 * @policy: parameters of the model
 * @habit: difference from the model
 * @random: predictions are means
 * @rarity: of random policies: factor by which rare insertions are more
 *          frequent than the name says; 0: none
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
 * @all: deterministic ones first; of equal behaviour the best known name first
 * @count: number of hypotheses
 * @deterministic: number of deterministic ones
 */
struct known_policies {
	unsigned int ways;
	struct hypothesis *all;
	size_t count;
	size_t deterministic;
};

/**
 * known_policies_make() - list the hypotheses
 * Return: 0 or -ENOMEM. known_policies_free() in either case.
 */
int known_policies_make(struct known_policies *z, unsigned int ways);
void known_policies_free(struct known_policies *z);

/**
 * hypothesis_same_when_full() - whether two hypotheses differ only while ways
 * are free
 *
 * Only the first of each such group has to be simulated. Random ones must draw
 * the same lots.
 */
bool hypothesis_same_when_full(const struct hypothesis *one,
			       const struct hypothesis *other);

/**
 * hypothesis_predict() - predict the misses of a cycle
 * @before: a cycle that may have come before; NULL: none
 * @seed: of initial states, and of random policies
 * Return: 0 or -ENOMEM.
 */
int hypothesis_predict(const struct hypothesis *h, unsigned int ways,
		       const struct cycle *c, const struct cycle *before,
		       uint64_t seed, struct prediction *p);

/**
 * hypothesis_predict_again() - predict with many more initial states, before an
 * answer rules a hypothesis out
 * @p: (in, out) of hypothesis_predict(); unchanged if it depends on the state
 *     already
 */
int hypothesis_predict_again(const struct hypothesis *h, unsigned int ways,
			     const struct cycle *c, const struct cycle *before,
			     uint64_t seed, struct prediction *p);

/**
 * hypothesis_predict_alone() - predict for a deterministic policy in a set that
 * holds only lines of the oracle
 */
int hypothesis_predict_alone(const struct hypothesis *h, unsigned int ways,
			     const struct cycle *c, uint64_t seed,
			     struct prediction *p);

/** permutation_predict() - predict for a policy given by its permutations */
int permutation_predict(const struct permutation_policy *h,
			const struct cycle *c, uint64_t seed,
			struct prediction *p);

#endif
