/* SPDX-License-Identifier: GPL-2.0 */
/*
 * congruence_rate.h - what part of groups of random lines is congruent with a
 * known set.
 *
 * A group of lines makes a full set overflow if and only if one of them is
 * congruent, and then lines of the set miss in a round in which each load is
 * timed: Prime+Probe (Liu et al., S&P 2015), with the set's own lines walked
 * along. Of groups of N random lines in a level of S sets a part of 1 - (1 -
 * 1/S)^N do. One sample that fits proves that a list fits; an overflow is
 * believed while the same set fits beside other lines. So a neighbour has to
 * leave one set alone now and then, and nothing else.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_CONGRUENCE_RATE_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_CONGRUENCE_RATE_H

#include "method/evset/oracle/session.h"

/** EVSET_RATE_GROUP - lines of a group, at most */
#define EVSET_RATE_GROUP 512

/** EVSET_RATE_ERROR - error of a verdict of evset_rate_ask(), of either kind, while
 * what disturbs the list disturbs its control as often. Counts of groups bound it by
 * controls of their own (rate_bounds.h).
 */
#define EVSET_RATE_ERROR (1.0 / 200)

/**
 * struct evset_rate - a set that groups are held against
 * @e: the level
 * @set: verified, with evictors
 * @moved: @set, moved within its pages to the least contended place
 * @rounds: of a sample
 * @middle: threshold, in misses per load of the set's lines
 * @group: lines of a group; a fair part of groups overflow the set
 * @control: lines at the set's place, none of which is congruent
 * @control_count: their number
 * @fits: share of recent samples of the control that fit
 * @samples: taken so far
 * @wrong: failed calls of evset_rate_check() in a row
 */
struct evset_rate {
	struct evset_machine *e;
	const struct evset_set *set;
	struct evset_set moved;
	unsigned int rounds;
	double middle;
	size_t group;
	uint64_t control[EVSET_RATE_GROUP];
	size_t control_count;
	double fits;
	uint64_t samples;
	unsigned int wrong;
};

/**
 * evset_rate_begin() - learn the threshold, and how large a group has to be
 * @group: least size, that of another set of the level; 0: not known
 * @outcome: (out) OUTCOME_OPEN: overflowing makes no difference, or groups are undecided
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_rate_begin(struct evset_rate *r, struct evset_machine *e,
		     const struct evset_set *set, size_t group,
		     enum outcome *outcome, struct failure *f);

/** evset_rate_draw() - a group of lines of random pages
 * @by: distance from the set's place in pages
 * @lines: (out) r->group of them, none of which is one of the set
 */
void evset_rate_draw(struct evset_rate *r, uint64_t by, uint64_t *lines);

/**
 * evset_rate_ask() - is a line of a group congruent with the set?
 * @lines: @count of them
 * @positive: positive control: one more line of the set, which makes it
 *            overflow
 * @verdict: (out) NON_COMPACT: one is; UNDECIDED: the set never fitted,
 *           whatever was beside it
 * Return: as evset_rate_begin().
 */
int evset_rate_ask(struct evset_rate *r, const uint64_t *lines, size_t count,
		   bool positive, enum verdict *verdict, struct failure *f);

/**
 * evset_rate_check() - does the set pass its controls?
 * @outcome: (out) OUTCOME_VOID unless it fits beside the control, and overflows
 *           with one line more
 *
 * After some failures in a row the threshold is learnt again.
 * Return: as evset_rate_begin().
 */
int evset_rate_check(struct evset_rate *r, enum outcome *outcome,
		     struct failure *f);

#endif
