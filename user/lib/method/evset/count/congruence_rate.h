/* SPDX-License-Identifier: GPL-2.0 */
/*
 * congruence_rate.h - how often lines of random pages are congruent with a set
 * that is known.
 *
 * A group of lines makes a full set overflow exactly if one of them is of it, and
 * then lines of the set are late in a round in which each load is timed by itself:
 * Prime+Probe (Liu et al., S&P 2015), with the set's own lines walked along. Of
 * groups of N random lines in a level of S sets a part of 1 - (1 - 1/S)^N do. What
 * has fitted once fits, and what has not is believed while the same set fits beside
 * other lines: somebody who uses the level has to leave that one set alone now and
 * then, and nothing else.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_CONGRUENCE_RATE_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_CONGRUENCE_RATE_H

#include "method/evset/oracle/session.h"

/** EVSET_RATE_GROUP - lines of a group, at most */
#define EVSET_RATE_GROUP 512

/**
 * struct evset_rate - a set, and how groups are held against it
 * @e: the level
 * @set: verified, with padding
 * @moved: its lines by so much within their pages, @set's own, where fewer use it
 * @rounds: of a look
 * @middle: misses per load of the set's lines, between those of one that fits and
 *          one that overflows
 * @group: lines of a group, such that a fair part of groups overflow the set
 * @control: lines at the place of the set's, none of which is of it: the control
 * @control_count: their number
 * @fits: part of late looks at the control that have told that it fits
 * @samples: that were taken
 * @wrong: times in a row that evset_rate_check() was not right
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
 * evset_rate_begin() - find out what overflowing looks like, and how large a group
 * has to be
 * @group: so many lines at least, as another set of the level has; 0: not known
 * @clear: (out) false: it does not look any different, or groups are not told
 *         apart in the end
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_rate_begin(struct evset_rate *r, struct evset_machine *e,
		     const struct evset_set *set, size_t group, bool *clear,
		     struct failure *f);

/** evset_rate_draw() - a group of lines of random pages
 * @by: distance from the place that the set's lines have in theirs
 * @lines: (out) r->group of them, none of which is one of the set
 */
void evset_rate_draw(struct evset_rate *r, uint64_t by, uint64_t *lines);

/**
 * evset_rate_ask() - is a line of a group congruent with the set?
 * @lines: @count of them
 * @positive: beside one more line of the set, which makes it overflow for sure
 * @verdict: (out) non-compact: one is; undecided: never was it seen that the set
 *           fits, whatever is beside it
 * Return: as evset_rate_begin().
 */
int evset_rate_ask(struct evset_rate *r, const uint64_t *lines, size_t count,
		   bool positive, enum verdict *verdict, struct failure *f);

/**
 * evset_rate_check() - does the set tell what is known?
 * @right: (out) the control fits, and does not beside one more line of the set
 *
 * Where it has not been told right for some time, what overflowing looks like is
 * learnt again.
 * Return: as evset_rate_begin().
 */
int evset_rate_check(struct evset_rate *r, bool *right, struct failure *f);

#endif
