/* SPDX-License-Identifier: GPL-2.0 */
/* misses_below.h - do lines that miss in a level, by its counter, miss further
 * below?
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_MISSES_BELOW_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_MISSES_BELOW_H

#include "method/evset/oracle/session.h"

/** EVSET_BELOW_TIMES - a line of a set that takes as long as so many misses misses
 * in the level below, too
 */
#define EVSET_BELOW_TIMES 2

/**
 * evset_misses_below_learn() - what a miss takes, of a level that is counted
 * @lines: candidates, as evset_miss_penalty() takes them
 *
 * e->scale.counted_penalty stays 0 where nothing counts misses, the next level has a counter or
 * none is known for any level below, or no length is slow.
 * Return: 0 or -errno with @f set.
 */
int evset_misses_below_learn(struct evset_machine *e, const uint64_t *lines,
			     size_t count, struct failure *f);

/**
 * evset_misses_below() - may lines of a set be those of an inclusive level below?
 * @lines: more of the set of @set than it has ways
 * @below: (out) they miss there, too: by that level's counter, or where it has none by
 *         what they take; false where misses are not counted
 *
 * What an inclusive level loses is lost to those above: a counter counts both in the
 * same way. Lines of a set of this level alone are found in the next one.
 * Return: 0, -EAGAIN, other -errno with @f set.
 */
int evset_misses_below(struct evset_machine *e, const struct evset_set *set,
		       const uint64_t *lines, size_t count, bool *below,
		       struct failure *f);

#endif
