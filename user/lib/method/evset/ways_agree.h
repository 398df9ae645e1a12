/* SPDX-License-Identifier: GPL-2.0 */
/* ways_agree.h - the ways of a minimal set, counted in two more ways. */
#ifndef PROBE_PHYS_METHOD_EVSET_WAYS_AGREE_H
#define PROBE_PHYS_METHOD_EVSET_WAYS_AGREE_H

#include "method/evset/oracle/session.h"

/** EVSET_MORE - lines of a set beyond a minimal one, for the counts that check
 * it
 */
#define EVSET_MORE 4

/** evset_gather_more() - lines of the set of a minimal one that are not in it
 * @more: (out) room for EVSET_MORE; *count of them, fewer if lines are rare
 * Return: 0 or the oracle's -errno.
 */
int evset_gather_more(struct evset_machine *e, const struct evset_set *set,
		      uint64_t *more, size_t *count, struct failure *f);

/** evset_ways_crosscheck() - do other counts of the ways agree with a minimal
 * set?
 * @sets: verified, of as many lines each; @count of them. If one is contended
 *        the next one is tried, or in splintered pages one that is moved in its
 *        pages; (out) the first one agrees
 * @ways: (out) A: any A lines of the set are compact, and at most A lines of a
 *        longer list hit; 0: @reason says why
 * Return: 0 or the oracle's -errno.
 */
int evset_ways_crosscheck(struct evset_machine *e, struct evset_set *sets,
			  size_t count, uint64_t *ways, char *reason,
			  size_t size, struct failure *f);

/** evset_is_still_minimal() - by one question, also of an interrupted run */
bool evset_is_still_minimal(struct evset_machine *e,
			    const struct evset_set *set);

/**
 * evset_ways_recheck() - a minimal set of more lines, where a known one is
 * moved in its pages
 * @set: verified
 * @larger: (out) verified; count 0: at none of some places
 *
 * A neighbour takes room from a set and never adds any: if lines overflow a set
 * here and fit in another one there, there are more ways, provided that some
 * more lines of the same set overflow the other one. If these fit, too, the
 * index may not be linear in a page, and nothing is known.
 * Return: 0 or the oracle's -errno.
 */
int evset_ways_recheck(struct evset_machine *e, const struct evset_set *set,
		       struct evset_set *larger, struct failure *f);

#endif
