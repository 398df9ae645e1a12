/* SPDX-License-Identifier: GPL-2.0 */
/*
 * find.h - the index function of a cache from lines that conflict.
 *
 * Everything rests on one question: does any of these lines belong to a set
 * whose eviction set is known? Algorithms 3: for an index that XORs address
 * bits, differences of lines of one set form a space K, and the masks are what
 * is orthogonal to it. One false member of K destroys the answer: each is
 * asked again from other lines of the set, the whole is tried on lines that the
 * search has not seen, and what contradicts ends as undecided.
 */
#ifndef PROBE_PHYS_METHOD_INDEX_FIND_H
#define PROBE_PHYS_METHOD_INDEX_FIND_H

#include "base/error.h"
#include "base/rng.h"
#include "observe/decision.h"
#include "result/index_function.h"

/**
 * struct index_set - an eviction set
 * @lines: addresses of lines that share one set, @count of them, at least one
 */
struct index_set {
	const uint64_t *lines;
	size_t count;
};

/**
 * struct index_oracle - who answers
 *
 * With an eviction set E of A + 1 lines of which no A conflict, the answer is
 * whether E less one of them, with @lines added, is non-compact. Lines that
 * are asked for together select different sets where the search is right so
 * far, so that they do not conflict among themselves.
 *
 * @ask: VERDICT_NON_COMPACT: at least one of @count lines belongs to the set
 *       number @set, VERDICT_COMPACT: none does. A line of E may be asked for.
 *       Return: 0, or -errno with @f set, which ends the search.
 * @context: its argument
 * @sets: eviction sets. The first one serves a linear search; those of other
 *        slices with the same bits inside a slice make a base sequence longer
 * @set_count: their number, at least one
 * @low_bit: lines may differ from those of @sets in bits from here ...
 * @high_bit: ... to here, in any combination: aligned, contiguous memory
 * @most_lines: lines of one question, at least 1
 * @most_alike: of them those that may share a set, at least 1: at most the ways
 * @false_yes: how often NON_COMPACT is wrong at most: asked again, it is
 *             decided anew
 * @false_no: how often COMPACT is
 */
struct index_oracle {
	int (*ask)(void *context, size_t set, const uint64_t *lines,
		   size_t count, enum verdict *verdict, struct failure *f);
	void *context;
	const struct index_set *sets;
	size_t set_count;
	unsigned int low_bit;
	unsigned int high_bit;
	size_t most_lines;
	size_t most_alike;
	double false_yes;
	double false_no;
};

/**
 * index_find() - masks, kind and rank of an index
 * @seed: of the order of questions
 * @found: (out) always valid; INDEX_UNKNOWN with a reason where it is open
 * Return: 0, -ENOMEM, or what the oracle returned.
 */
int index_find(const struct index_oracle *oracle, uint64_t seed,
	       struct index_function *found, struct failure *f);

/** index_agree() - do two lines that differ in known bits share a set?
 *
 * Return: VERDICT_NON_COMPACT: they do, VERDICT_COMPACT: they do not,
 * VERDICT_UNDECIDED: cannot be told from what is known.
 */
enum verdict index_agree(const struct index_function *function, uint64_t a,
			 uint64_t b);

/** index_check_count() - one pair more
 * @congruent: what was predicted
 * @said: what it is: non-compact: congruent
 */
void index_check_count(struct index_check *c, bool congruent,
		       enum verdict said);

/** index_check_rates() - bounds on how often it errs: Wilson's, 95 % */
void index_check_rates(struct index_check *check);

/**
 * index_verify() - predict @pairs fresh random pairs, half of each kind
 *
 * Of those predicted apart half differ from a congruent line by one or two of
 * the masks' parities: what a wrong function confuses first; the rest is any
 * line. The oracle is asked once for each.
 * Return: 0; -EINVAL with @f set when nothing is known to predict from; or what
 * the oracle returned.
 */
int index_verify(const struct index_oracle *oracle,
		 const struct index_function *function, size_t pairs,
		 uint64_t seed, struct index_check *check, struct failure *f);

#endif
