/* SPDX-License-Identifier: GPL-2.0 */
/* minimal.h - minimal sets out of candidates. */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_MINIMAL_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_MINIMAL_H

#include "method/evset/oracle/session.h"

/**
 * evset_overflow() - a short prefix of a list that is not compact
 * @lines: candidates in random order
 * @least: prefixes up to here are known to be compact
 * @length: (out) of that prefix, by a sixteenth longer than the shortest one at
 *          most: what comes next finds the rest as cheaply; 0: all of them are
 *          compact
 *
 * Lists twice as long until one is not compact, then halves. One answer is not
 * enough: another list that is no longer has to be not compact as well.
 * Return: 0 or the oracle's -errno.
 */
int evset_overflow(struct evset_oracle *o, const uint64_t *lines, size_t count,
		   size_t least, size_t *length, struct failure *f);

/**
 * evset_reduce() - the lines that make a list non-compact
 * @lines: not compact; reordered
 * @set: (out) not verified yet; count 0: the answers contradicted each other,
 *       or more than EVSET_MOST_WAYS are needed
 *
 * Search by search the smallest prefix that is not compact beside what has been
 * found; its last line is one of the set. Each question is one whose answers are
 * as likely as each other, given how far apart members lay. Where an answer
 * turns out to have been wrong, the search goes back to a longer prefix; an
 * answer that would spoil what has been found is asked for again.
 * Return: 0 or the oracle's -errno.
 */
int evset_reduce(struct evset_oracle *o, uint64_t *lines, size_t count,
		 struct evset_set *set, struct failure *f);

/**
 * evset_verify() - controls that a set has to pass before it counts
 * @good: (out) not compact with all its lines, compact without any one of them,
 *        and not compact with either half of the padding, which has to be
 *        enough to clear the levels above: so no line of that is one of the
 *        set, and none of the set is left above
 * Return: 0 or the oracle's -errno.
 */
int evset_verify(struct evset_oracle *o, const struct evset_set *set,
		 bool *good, struct failure *f);

/** evset_find() - a verified set from random candidates, or from pools of lines that
 * are alike
 * @set: (out) count 0: none
 */
int evset_find(struct evset_machine *e, struct evset_set *set,
	       struct failure *f);

#endif
