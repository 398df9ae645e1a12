/* SPDX-License-Identifier: GPL-2.0 */
/* rate_bounds.h - from counts of groups of random lines to a number of sets. */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_RATE_BOUNDS_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_RATE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** EVSET_RATE_MOST_SETS - sets that are asked, at most */
#define EVSET_RATE_MOST_SETS 8
/** EVSET_RATE_LEAST_SETS - fewer do not tell whether others have as many lines */
#define EVSET_RATE_LEAST_SETS 3

/**
 * struct evset_tally - what groups said of one set
 * @lines: of each group
 * @groups: that were clear
 * @congruent: of these, overflowed the set
 * @unclear: others
 */
struct evset_tally {
	size_t lines;
	uint64_t groups;
	uint64_t congruent;
	uint64_t unclear;
};

/**
 * struct evset_rate_counts - all that was counted
 * @of: groups at places of which sets have lines, by set; @count of them
 * @negative: groups of which none has a line of the set
 * @positive: groups that have one for sure
 * @places: pages that lines come from
 * @offsets: lines of a page
 * @congruent: of these, those at which a set has lines
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
 * @low: (out)
 * @high: (out) INFINITY: any
 *
 * 4.75 standard deviations (one in a million) of what groups say by chance, of how
 * many pages of each set there are by chance, and of both rates of errors, which are
 * taken off; groups that were unclear may be either.
 * While errors are more than may be, but may be so by chance, any number is possible.
 * Return: whether the sets do not contradict each other, nor are errors surely too many.
 */
bool evset_rate_bounds(const struct evset_rate_counts *s, double *low,
		       double *high);

/** EVSET_RATE_WRONG - probability that the number lies beyond bounds */
#define EVSET_RATE_WRONG 2e-6

/**
 * evset_rate_number() - the only number of sets between bounds
 *
 * A power of two, or of 1,024 for each of some slices: those are the numbers that
 * caches have (of 30 processors since 2008 no slice has fewer). Numbers a fourth
 * apart are told apart in any case.
 * Return: 0: none, more than one, or none that is a power of two.
 */
uint64_t evset_rate_number(double low, double high);

#endif
