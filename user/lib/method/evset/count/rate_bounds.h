/* SPDX-License-Identifier: GPL-2.0 */
/* rate_bounds.h - from counts of groups of random lines to a number of sets. */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_RATE_BOUNDS_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_RATE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** EVSET_RATE_MOST_SETS - sets that groups are held against, at most */
#define EVSET_RATE_MOST_SETS 8
/** EVSET_RATE_LEAST_SETS - fewer do not show whether others have as many lines
 */
#define EVSET_RATE_LEAST_SETS 3

/**
 * struct evset_tally - verdicts on groups of one set
 * @lines: of each group
 * @groups: decided ones
 * @congruent: of these, overflowed the set
 * @unclear: undecided ones
 */
struct evset_tally {
	size_t lines;
	uint64_t groups;
	uint64_t congruent;
	uint64_t unclear;
};

/**
 * struct evset_rate_counts - all counts
 * @of: groups at places with lines of the set, by set; @count of them
 * @negative: negative controls: groups without a line of the set
 * @positive: positive controls: groups with one line of the set
 * @places: pages that lines come from
 * @offsets: lines of a page
 * @congruent: offsets at which a set has lines
 */
struct evset_rate_counts {
	struct evset_tally of[EVSET_RATE_MOST_SETS];
	size_t count;
	struct evset_tally negative;
	struct evset_tally positive;
	double places;
	size_t offsets;
	size_t congruent;
};

/**
 * evset_rate_bounds() - the numbers of sets that counts leave possible
 * @wrong: probability that the number may lie beyond the bounds, above 0
 * @low: (out)
 * @high: (out) INFINITY: any
 *
 * statistics_sigmas() standard deviations of the chance of groups, of the
 * chance of pages, and of both rates of errors, which are subtracted; undecided
 * groups may be either. While errors exceed their limits, but may do so by
 * chance, any number is possible.
 * Return: false if sets contradict each other, or errors surely exceed their
 * limits.
 */
bool evset_rate_bounds(const struct evset_rate_counts *s, double wrong,
		       double *low, double *high);

/** EVSET_RATE_WRONG - most error of one look at the bounds */
#define EVSET_RATE_WRONG 2e-6

/**
 * evset_rate_number() - the only number of sets between bounds
 *
 * Possible numbers are powers of two, and 1,024 times a number of slices: those
 * that caches have (of 30 processors since 2008 no slice has fewer sets).
 * Numbers a fourth apart are distinguished in any case.
 * Return: 0: none, more than one, or none that is a power of two.
 */
uint64_t evset_rate_number(double low, double high);

#endif
