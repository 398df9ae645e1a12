/* SPDX-License-Identifier: GPL-2.0 */
/* next.h - the search for one level, and the strategies that it tries in turn. */
#ifndef PROBE_PHYS_METHOD_LEVELS_NEXT_H
#define PROBE_PHYS_METHOD_LEVELS_NEXT_H

#include "method/levels/internal.h"

/**
 * struct next - the search for a level
 * @x: its measurement
 * @above: the result of the level above; NULL: this is the first one
 * @memory_ticks: what a load of memory takes
 * @found: what is known of the level
 * @level: the same, for what lies below
 * @steady: lines that should all hit take the same time
 * @ends: OUTCOME_DECIDED: memory lies below
 */
struct next {
	struct xray *x;
	const struct cache_result *above;
	double memory_ticks;
	struct level_finding *found;
	struct xray_level *level;
	bool steady;
	enum outcome ends;
};

/** next_result() - the level as it would be reported now */
struct cache_result next_result(const struct next *n);

/** next_has_ways() - are its ways known by now? */
bool next_has_ways(const struct next *n);

/**
 * next_find_geometry() - the geometry by one strategy, by eviction sets where strides
 * end without one
 * Return: as level_find().
 */
int next_find_geometry(struct next *n, const struct strategy *by,
		       struct failure *f);

/**
 * next_try_evictions() - lines are evicted one by one from the level above, where
 * nothing else gets past it
 *
 * found->evicted: they were, and what is found stands.
 * Return: as level_find().
 */
int next_try_evictions(struct next *n, struct failure *f);

/** next_evict_or_leave() - the same, or the level is open because of @why */
int next_evict_or_leave(struct next *n, const char *why, struct failure *f);

#endif
