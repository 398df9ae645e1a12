/* SPDX-License-Identifier: GPL-2.0 */
/*
 * find.h - the index function of a cache, from lines that conflict.
 *
 * Knows only an oracle that answers questions about lines; no machine, no
 * eviction sets. Called by evset/index.c. Results are in
 * result/index_function.h; functions return 0 or -errno with @f set, and an
 * undecided index is no error.
 *
 * The only question: does any of these lines belong to a set whose eviction set
 * is known? For an index that XORs address bits, differences of lines of one
 * set form a space K, and the masks are orthogonal to it (algorithms 3). One
 * false member of K ruins the answer. So each is confirmed from other lines of
 * the set, K is tested on lines that the search has not used, and
 * contradictions leave it undecided.
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
 * struct index_oracle - answers questions about lines
 *
 * With an eviction set E of A + 1 lines of which no A conflict, the answer is
 * whether E without one of them, with @lines added, is non-compact. Lines of
 * one question select different sets if the search is right so far, so they do
 * not conflict among themselves.
 *
 * @test: VERDICT_NON_COMPACT: at least one of @count lines belongs to the set
 *       number
 * @set; VERDICT_COMPACT: none does. Lines may be those of E. Return: 0, or
 * -errno with @f set, which ends the search.
 * @context: first argument of @test
 * @sets: eviction sets. A linear search uses the first; those of other slices
 *        with the same bits inside a slice make a base sequence longer
 * @set_count: their number, at least one
 * @low_bit: lines may differ from those of @sets in bits from here ...
 * @high_bit: ... to here, in any combination: aligned, contiguous memory
 * @most_lines: most lines of one question, at least 1
 * @most_alike: most of them that may share a set, at least 1, at most the ways
 * @false_yes: bound on the rate of wrong NON_COMPACT answers; repeated
 *             questions are answered independently
 * @false_no: bound on the rate of wrong COMPACT answers
 */
struct index_oracle {
	int (*test)(void *context, size_t set, const uint64_t *lines,
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
 * @found: (out) always valid; INDEX_UNKNOWN with a reason if undecided
 * Return: 0, -ENOMEM, or the error of the oracle.
 */
int index_find(const struct index_oracle *oracle, uint64_t seed,
	       struct index_function *found, struct failure *f);

/**
 * index_agree() - do two lines that differ in known bits share a set?
 *
 * Return: VERDICT_NON_COMPACT: yes; VERDICT_COMPACT: no; VERDICT_UNDECIDED: too
 * little is known.
 */
enum verdict index_agree(const struct index_function *function, uint64_t a,
			 uint64_t b);

/**
 * index_check_count() - count one more pair
 * @congruent: prediction
 * @said: answer; VERDICT_NON_COMPACT: congruent
 */
void index_check_count(struct index_check *c, bool congruent,
		       enum verdict said);

/** index_check_rates() - bounds on how often it errs: Wilson's, 95 % */
void index_check_rates(struct index_check *check);

/**
 * index_verify() - predict @pairs random pairs, half of each kind
 *
 * Of the pairs predicted not to share a set, half differ from a congruent line
 * by one or two of the masks' parities, which a wrong function confuses first;
 * the others are random. Each is one question.
 * Return: 0; -EINVAL with @f set: nothing is known to predict from; or the
 * error of the oracle.
 */
int index_verify(const struct index_oracle *oracle,
		 const struct index_function *function, size_t pairs,
		 uint64_t seed, struct index_check *check, struct failure *f);

/** index_withhold() - masks that are not believed become INDEX_UNKNOWN, for a
 * printf-like reason
 * @found: (in, out) the bits that were varied and the check stay
 */
void index_withhold(struct index_function *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** index_judge() - withhold masks that predict fresh pairs badly
 * @found: (in, out) its check is done
 */
void index_judge(struct index_function *found);

/**
 * index_check_sets() - withhold masks that would give more sets than there are
 * @found: (in, out)
 * @sets: counted in another way; 0: not known
 *
 * Fresh pairs hardly show a mask too many: those that are predicted to conflict
 * do, and of the others only one in as many as there are sets does, too.
 */
void index_check_sets(struct index_function *found, uint64_t sets);

#endif
