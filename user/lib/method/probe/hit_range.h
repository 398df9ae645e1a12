/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hit_range.h - what a hit in a measured level costs by now.
 *
 * The core's clock may run at another pace than when the level was measured. What
 * a level costs stays the same in cycles of the core where it shares that clock, and
 * in time where it has a clock of its own, and nothing says which.
 */
#ifndef PROBE_PHYS_METHOD_PROBE_HIT_RANGE_H
#define PROBE_PHYS_METHOD_PROBE_HIT_RANGE_H

#include "method/probe/prober.h"
#include "result/result.h"

/** struct hit_range - ticks of one load, from ... to */
struct hit_range {
	double least;
	double most;
};

/** hit_range_now() - of a level whose latency_ns is measured: by the clock that it
 * was measured with, and by the core's clock as it is now, where that can be timed
 */
struct hit_range hit_range_now(const struct prober *p,
			       const struct cache_result *c);

/** hit_range_off() - how much longer than a hit, or shorter (negative); 0: in range */
double hit_range_off(const struct hit_range *r, double ticks);

#endif
