/* SPDX-License-Identifier: GPL-2.0 */
/* evset.h - eviction sets: a level whose index no stride follows.
 * Must not know of strides, of levels below, or of who measures what next.
 * Called by method/levels, for a level that strides did not find.
 * Returns ways, line size, sets, index and lines of a set in its result.
 * Errors: -EINTR when stopped, other -errno with the failure set.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_EVSET_H
#define PROBE_PHYS_METHOD_EVSET_EVSET_H

#include "method/level/level.h"

/**
 * evset_measure() - a level that strides do not find
 * @x: its hits, and the levels above. (out) the miss penalty
 * @c: (in, out) result of the level; a decided parameter replaces the reason
 *     why strides could not decide it
 * @seen_bytes: the level is known to hold as much; 0: nothing is known
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_measure(struct xray *x, struct cache_result *c, uint64_t seen_bytes,
		  struct failure *f);

#endif
