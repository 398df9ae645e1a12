/* SPDX-License-Identifier: GPL-2.0 */
/* minimal.h - minimal eviction sets out of candidates.
 * Must not know of sorting by set, or of numbers of ways and sets.
 * Called by sort, count, the top of evset, and method/set.
 * Returns verified sets; count 0: none was found.
 * Errors: those of the oracle.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_MINIMAL_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_MINIMAL_H

#include "method/evset/oracle/session.h"

/**
 * evset_overflow() - a short prefix of a list that is not compact
 * @lines: candidates in random order
 * @least: prefixes up to here are known to be compact
 * @length: (out) of that prefix, at most a sixteenth longer than the shortest
 *          one; 0: all prefixes are compact
 *
 * Tries lists twice as long until one is not compact, then halves. One verdict
 * is not enough: another list that is no longer has to be non-compact, too.
 * Return: 0 or the oracle's -errno.
 */
int evset_overflow(struct evset_oracle *o, const uint64_t *lines, size_t count,
		   size_t least, size_t *length, struct failure *f);

/**
 * evset_reduce() - the lines that make a list non-compact
 * @lines: not compact; reordered
 * @set: (out) not verified yet; count 0: the answers contradict each other, or
 *       more than EVSET_MOST_WAYS are needed
 *
 * Bisection for the last straw (Zhao et al., ASPLOS 2024), turned to lists that
 * conflict among themselves: the smallest prefix that is not compact beside the
 * members so far ends with a member. Each question has two equally likely
 * answers, given how far from each other members lay. If an answer turns out to
 * be wrong, the search goes back to a longer prefix; an answer that would
 * discard all members is checked.
 * Return: 0 or the oracle's -errno.
 */
int evset_reduce(struct evset_oracle *o, uint64_t *lines, size_t count,
		 struct evset_set *set, struct failure *f);

/**
 * evset_verify() - controls that a set has to pass before it counts
 * @outcome: (out) OUTCOME_DECIDED: not compact with all its lines, compact without
 *           any one of them, and not compact with either half of the evictors,
 *           which has to be enough for the levels above: so no evictor is of the
 *           set, and no line of the set hits above
 * Return: 0 or the oracle's -errno.
 */
int evset_verify(struct evset_oracle *o, const struct evset_set *set,
		 enum outcome *outcome, struct failure *f);

/** evset_find() - a verified set from random candidates, from candidates that
 * conflict with each other, or from clusters
 * @set: (out) count 0: none
 * Return: 0 or the oracle's -errno.
 */
int evset_find(struct evset_machine *e, struct evset_set *set,
	       struct failure *f);

#endif
