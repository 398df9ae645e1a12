/* SPDX-License-Identifier: GPL-2.0 */
/* evset.h - a level whose index no stride follows. */
#ifndef PROBE_PHYS_METHOD_EVSET_EVSET_H
#define PROBE_PHYS_METHOD_EVSET_EVSET_H

#include "method/level/level.h"

/**
 * evset_measure() - a level that strides do not find
 * @x: its hits and those above; X-Ray has not found its geometry. (out) what a
 *     miss costs
 * @c: (in, out) result of the level; what is decided here replaces the reason
 *     why X-Ray could not
 * @seen_bytes: it has been seen to hold so much; 0: nothing is known
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_measure(struct xray *x, struct cache_result *c, uint64_t seen_bytes,
		  struct failure *f);

#endif
