/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identify.h - which replacement policy a set has.
 *
 * Simulate and compare (Abel and Reineke, ISPASS 2020), the next question
 * always being the one that splits what is left best; what none of the known
 * policies explains is tried as a random one and as a permutation policy (Abel
 * and Reineke, RTAS 2013).
 */
#ifndef PROBE_PHYS_METHOD_POLICY_IDENTIFY_H
#define PROBE_PHYS_METHOD_POLICY_IDENTIFY_H

#include "method/policy/catalogue.h"

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

/**
 * policy_identify() - ask an oracle until its policy is known
 * @book: made for this oracle
 * @finding: (out)
 * Return: 0; -EINTR; or another -errno with @f set. That nothing could be
 * decided is a finding.
 */
int policy_identify(const struct set_oracle *oracle,
		    const struct policy_book *book,
		    struct policy_finding *finding, struct failure *f);

#endif
