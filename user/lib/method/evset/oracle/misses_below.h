/* SPDX-License-Identifier: GPL-2.0 */
/* misses_below.h - do lines that miss in a level, by its counter, miss further
 * below?
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_MISSES_BELOW_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_MISSES_BELOW_H

#include "method/evset/oracle/session.h"

/** EVSET_BELOW_TIMES - lines of a set that take as long as this many misses
 * each miss in the level below, too
 */
#define EVSET_BELOW_TIMES 2

/**
 * evset_misses_below_learn() - ticks of a miss of a level that is counted
 * @lines: candidates, as of evset_miss_penalty()
 *
 * e->scale.counted_penalty stays 0 if misses are not counted, if the next level
 * has a counter, if no level below has one, or if no length is slow.
 * Return: 0 or -errno with @f set.
 */
int evset_misses_below_learn(struct evset_machine *e, const uint64_t *lines,
			     size_t count, struct failure *f);

/**
 * evset_misses_below() - may lines of a set be those of an inclusive level
 * below?
 * @lines: more lines of the set of @set than it has ways
 * @below: (out) they miss there, too: by that level's counter, or by time if it
 *         has none; false if misses are not counted
 *
 * An inclusive level that loses a line takes it from the levels above, too: the
 * counter of this level counts that as its own miss. Lines of a set of this
 * level alone hit in the next one.
 * Return: 0, -EAGAIN, other -errno with @f set.
 */
int evset_misses_below(struct evset_machine *e, const struct evset_set *set,
		       const uint64_t *lines, size_t count, bool *below,
		       struct failure *f);

#endif
