/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compact_map.h - which <m0, S, N> are compact in a level, stride by stride and
 * number by number: the picture behind Theorem 1 of X-Ray (Yotov, Pingali,
 * Stodghill, section 4.1.1).
 */
#ifndef PROBE_PHYS_METHOD_COMPACT_MAP_H
#define PROBE_PHYS_METHOD_COMPACT_MAP_H

#include "method/probe/prober.h"
#include "result/compactness_map.h"

struct hierarchy;

/**
 * compact_map_measure() - the map of one level
 * @h: X-Ray's results: which lines miss in the levels above, the range of the
 *     map, and the boundary to draw. No verdict depends on them
 * @level: from 1
 * @most_loads: no test begins after this number of loads; 0: a few seconds'
 *              worth
 * @map: (out) so far, also when it ends early
 * Return: 0, also when there is no map (@map->reason); -EINTR when stopped;
 * other -errno with @f set.
 */
int compact_map_measure(struct prober *p, const struct hierarchy *h,
			size_t level, double most_loads,
			struct compactness_map *map, struct failure *f);

#endif
