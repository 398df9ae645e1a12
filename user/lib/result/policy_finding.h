/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_finding.h - the replacement policy of a set, as far as measured.
 */
#ifndef PROBE_PHYS_RESULT_POLICY_FINDING_H
#define PROBE_PHYS_RESULT_POLICY_FINDING_H

#include <stddef.h>

/** SET_MOST_WAYS - most ways of a set whose policy is identified */
#define SET_MOST_WAYS 64

/**
 * POLICY_CYCLES - warm cycles of a catalogue; POLICY_COLD_CYCLES - cold ones
 */
#define POLICY_CYCLES 64
#define POLICY_COLD_CYCLES 12
#define POLICY_ALL_CYCLES (POLICY_CYCLES + POLICY_COLD_CYCLES)

/**
 * struct permutation_policy - a policy as permutations of the order of eviction
 * (Abel and Reineke, RTAS 2013)
 * @ways: associativity
 * @hit: hit[i][j]: the new place of the line at place j after a hit of the line
 *       at place i; place @ways - 1 is evicted next
 * @miss: the same after a miss: miss[@ways - 1] is the place of the new line
 */
struct permutation_policy {
	unsigned int ways;
	unsigned char hit[SET_MOST_WAYS][SET_MOST_WAYS];
	unsigned char miss[SET_MOST_WAYS];
};

/**
 * struct prediction - predicted misses of one round of a cycle
 * @low: lower limit; for means, including chance
 * @high: upper limit. If the initial state of the set affects all later rounds,
 *        the limits cover all tried initial states and are widened by their
 *        difference
 */
struct prediction {
	double low;
	double high;
};

/** enum policy_kind - kind of an identified policy */
enum policy_kind {
	POLICY_UNDECIDED,
	/* a class of known policies that no cycle distinguishes */
	POLICY_KNOWN,
	/* a class of known randomised policies */
	POLICY_RANDOMISED,
	/* no known policy; described by its permutations */
	POLICY_PERMUTATION,
	/* no known policy, and no permutation policy */
	POLICY_NONE_KNOWN,
};

/** policy_kind_name() - the kind as reports print it: "known", "randomised",
 * ...
 */
const char *policy_kind_name(enum policy_kind kind);

/** POLICY_NAMES - most names in a finding */
#define POLICY_NAMES 48
/** POLICY_NAME - bytes of a name, with its end */
#define POLICY_NAME 40

/**
 * struct policy_finding - the policy of one set
 * @kind: kind of the policy
 * @names: of the class, the canonical one first; @name_count of them. When
 *         undecided: the remaining candidates
 * @more_names: number of names beyond POLICY_NAMES
 * @permutation: of POLICY_PERMUTATION
 * @cycles: number of different cycles measured, controls excluded
 * @split: number of cycles until one class remained; later cycles confirm it
 * @answers: number of measurements of a cycle
 * @measured: indices of the cycles in the catalogue; POLICY_ALL_CYCLES and
 *         above: in the pool for randomised policies
 * @misses: measured misses of each cycle
 * @expected: prediction of the first name; if none fits, of the nearest policy
 * @answer_bound: bound on the probability that wrong measurements led to this
 *                policy: the sum of their errors. It does not cover a policy
 *                outside the hypotheses that agrees with this one in every
 *                measured cycle
 * @reason: why it is undecided; otherwise a remark
 */
struct policy_finding {
	enum policy_kind kind;
	char names[POLICY_NAMES][POLICY_NAME];
	size_t name_count;
	size_t more_names;
	struct permutation_policy permutation;
	size_t cycles;
	size_t split;
	unsigned int answers;
	size_t measured[POLICY_ALL_CYCLES];
	double misses[POLICY_ALL_CYCLES];
	struct prediction expected[POLICY_ALL_CYCLES];
	double answer_bound;
	char reason[256];
};

#endif
