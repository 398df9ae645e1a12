/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_finding.h - the replacement policy of a set, as far as it is known.
 */
#ifndef PROBE_PHYS_RESULT_POLICY_FINDING_H
#define PROBE_PHYS_RESULT_POLICY_FINDING_H

#include <stddef.h>

/** POLICY_SET_WAYS - most ways of a set that is reasoned about */
#define POLICY_SET_WAYS 64

/** POLICY_CYCLES - warm cycles of a book; POLICY_COLD_CYCLES - cold ones */
#define POLICY_CYCLES 64
#define POLICY_COLD_CYCLES 12
#define POLICY_ALL_CYCLES (POLICY_CYCLES + POLICY_COLD_CYCLES)

/**
 * struct permutation_policy - a policy by what a hit does to the order of
 * eviction (Abel and Reineke, RTAS 2013)
 * @ways: ways
 * @hit: hit[i][j]: the place that the line at place j takes when the one at
 *       place i is hit; place @ways - 1 goes next
 * @miss: the same when the last one goes and a new one comes: miss[@ways - 1]
 *        is the place of the new one
 */
struct permutation_policy {
	unsigned int ways;
	unsigned char hit[POLICY_SET_WAYS][POLICY_SET_WAYS];
	unsigned char miss[POLICY_SET_WAYS];
};

/**
 * struct prediction - misses of one round of a cycle
 * @low: least that may be: of averages, what chance makes of them
 * @high: most. Where what was in the set before makes a difference for good,
 *        the least and the most that was seen, and their difference more
 */
struct prediction {
	double low;
	double high;
};

/** enum policy_kind - what was found out */
enum policy_kind {
	POLICY_UNDECIDED,
	/* one of a class of known ones that nothing tells apart */
	POLICY_KNOWN,
	/* the same, and it throws dice */
	POLICY_RANDOMISED,
	/* none of the known, described by its vectors */
	POLICY_PERMUTATION,
	/* none of the known, and no permutation policy */
	POLICY_NONE_KNOWN,
};

/** policy_kind_name() - as reports write it: "known", "randomised", ... */
const char *policy_kind_name(enum policy_kind kind);

/** POLICY_NAMES - most names that a finding keeps */
#define POLICY_NAMES 48

/**
 * struct policy_finding - the answer for one set
 * @kind: what it is
 * @names: of the class, the canonical one first; @name_count of them. When
 *         undecided: those that are left
 * @more_names: others that there was no room for
 * @permutation: for POLICY_PERMUTATION
 * @cycles: different cycles that were asked, controls not counted
 * @split: of them until nothing was left to tell apart; the others confirm
 * @answers: answers that were had
 * @asked: numbers of these cycles in the book; from POLICY_ALL_CYCLES on, of
 *         circles for sets that throw dice (cycles.h)
 * @misses: what they missed
 * @expected: what the first name predicts; the nearest one when none fits
 * @answer_bound: bound on the probability that wrong answers have led here. A
 *                policy outside the hypotheses that agrees with this one on
 *                every cycle asked is not covered
 * @reason: in words, when undecided; otherwise what else there is to say
 */
struct policy_finding {
	enum policy_kind kind;
	char names[POLICY_NAMES][40];
	size_t name_count;
	size_t more_names;
	struct permutation_policy permutation;
	size_t cycles;
	size_t split;
	unsigned int answers;
	size_t asked[POLICY_ALL_CYCLES];
	double misses[POLICY_ALL_CYCLES];
	struct prediction expected[POLICY_ALL_CYCLES];
	double answer_bound;
	char reason[256];
};

#endif
