/* SPDX-License-Identifier: GPL-2.0 */
/* policykit.h - sets of known policy that answer as those of a machine do */
#ifndef PROBE_PHYS_UNIT_METHOD_POLICY_POLICYKIT_H
#define PROBE_PHYS_UNIT_METHOD_POLICY_POLICYKIT_H

#include "method/policy/identify.h"

/* Of sets with a randomised policy, as a machine counts: samples of many rounds. */
#define RANDOM_ROUNDS 128

/**
 * struct known_set - a set under a policy that answers as one of a machine does
 * @wrong: share of answers that are off
 * @burst: accesses in a burst of contention, and in the pause after it; 0: no
 *         contention
 * @taken: in bursts, accesses for each line that contention evicts
 * @accesses: so far
 * @rounds: that answers are means of; 0: ROUNDS
 * @answers: so far
 * @more_until: until this answer circles that do not fit miss once more
 */
struct known_set {
	struct policy_set set;
	struct rng rng;
	double wrong;
	unsigned int burst;
	unsigned int taken;
	unsigned int accesses;
	unsigned int rounds;
	unsigned int answers;
	unsigned int more_until;
};

struct set_oracle oracle_for(struct known_set *k, unsigned int ways,
			     bool flushes);

/* PROBE_PHYS_SEED */
uint64_t test_seed(void);

/* How many samples of the known are taken: the check-full target takes all. */
unsigned int samples(void);

/* Whether a finding has a name, the canonical one or another. */
bool names(const struct policy_finding *found, const char *name);

void make_catalogue(struct policy_catalogue *catalogue, unsigned int ways,
		    bool flushes);

/* Identify the policy of an oracle's set. */
void identify_set(const struct set_oracle *oracle,
		  const struct policy_catalogue *catalogue,
		  struct policy_finding *found);

/* What is found of a set with that policy. */
void identify(const struct policy_catalogue *catalogue, struct known_set *k,
	      const struct hypothesis *truth, bool flushes,
	      struct policy_finding *found);

#endif
