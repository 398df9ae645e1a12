/* SPDX-License-Identifier: GPL-2.0 */
/*
 * find.h - the index function of a cache, from lines that conflict.
 *
 * The folder knows only an oracle that tests lists of lines; no machine, no
 * eviction sets. evset/index.c calls it. Results are in
 * result/index_function.h; functions return 0 or -errno with @f set, and an
 * undecided index is no error.
 *
 * The oracle decides whether any of the given lines belongs to the set of a
 * known eviction set. For an index that XORs address bits, the differences of
 * lines of one set form a space K, and the masks are orthogonal to it
 * (algorithms 3). One false member of K makes all masks wrong. So each member
 * is confirmed from other lines of the set, K is tested on lines that the
 * search has not used, and contradictions make the index undecided.
 */
#ifndef PROBE_PHYS_METHOD_INDEX_FIND_H
#define PROBE_PHYS_METHOD_INDEX_FIND_H

#include "base/error.h"
#include "base/rng.h"
#include "observe/budget.h"
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
 * struct index_oracle - decides whether lines belong to a set
 *
 * E is an eviction set of A + 1 lines of which no A conflict. A test removes
 * one line of E, adds @lines, and decides whether the list is non-compact. If
 * the search is right so far, the lines of one test select different sets, so
 * they do not conflict among themselves.
 *
 * @test: VERDICT_NON_COMPACT: at least one of @count lines belongs to the set
 *       number @set; VERDICT_COMPACT: none does. Lines may be those of E.
 *       Return: 0, or -errno with @f set, which ends the search.
 * @context: first argument of @test
 * @sets: eviction sets. A linear search uses the first. Sets of other slices
 *        that agree in the bits inside a slice extend the base sequence
 * @set_count: their number, at least one
 * @low_bit: lines may differ from those of @sets in bits from here ...
 * @high_bit: ... to here, in any combination: aligned, contiguous memory
 * @most_lines: most lines of one test, at least 1
 * @most_alike: most of them that may share a set, at least 1, at most the ways
 * @false_yes: bound on the rate of wrong NON_COMPACT results; errors of
 *             repeated tests are independent
 * @false_no: bound on the rate of wrong COMPACT results
 * @budget: each decided test draws its error from it; NULL: 1e-6 each
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
	struct budget *budget;
};

/**
 * index_find() - masks, kind and rank of an index
 * @seed: of the order of tests
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
 * @said: result of the test; VERDICT_NON_COMPACT: congruent
 */
void index_check_count(struct index_check *c, bool congruent,
		       enum verdict said);

/**
 * index_check_rates() - 95 % Wilson bounds on the rates of wrong predictions
 */
void index_check_rates(struct index_check *check);

/**
 * index_verify() - predict @pairs random pairs, half of each kind
 *
 * Of the pairs predicted not to share a set, half differ from a congruent line
 * in one or two parities of the masks: a wrong function is most likely to fail
 * on them. The others are random. Each pair takes one test.
 * Return: 0; -EINVAL with @f set: the function is not known; or the error of
 * the oracle.
 */
int index_verify(const struct index_oracle *oracle,
		 const struct index_function *function, size_t pairs,
		 uint64_t seed, struct index_check *check, struct failure *f);

/** index_withhold() - replace masks by INDEX_UNKNOWN, with a printf-like reason
 * @found: (in, out) the bits that were varied and the check are kept
 */
void index_withhold(struct index_function *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** index_judge() - withhold masks that predict too many fresh pairs wrongly
 * @found: (in, out) with its check
 */
void index_judge(struct index_function *found);

/**
 * index_check_sets() - withhold masks that would give more sets than there are
 * @found: (in, out)
 * @sets: number of sets from another method; 0: not known
 *
 * Fresh pairs hardly show a surplus mask: pairs that are predicted to conflict
 * do conflict, and of the other pairs only one in the number of sets does.
 */
void index_check_sets(struct index_function *found, uint64_t sets);

#endif
