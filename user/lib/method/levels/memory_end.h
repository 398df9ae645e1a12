/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memory_end.h - does memory lie right below a level that keeps some lines of
 * any sequence?
 *
 * A line is loaded, and then other lines of its set, one more each time. As soon as it
 * is not there any more it takes as long as a line that was flushed. A level
 * below would still have it: that has more sets, or more ways. (The sequence is
 * ours.)
 */
#ifndef PROBE_PHYS_METHOD_LEVELS_MEMORY_END_H
#define PROBE_PHYS_METHOD_LEVELS_MEMORY_END_H

#include "method/level/level.h"
#include "result/outcome.h"
#include "result/result.h"

/**
 * level_end_is_memory() - of a level whose sets are known by stride
 *
 * Half of the placements have lines an odd number of ways away only, which share
 * no set of a level with twice as many.
 * @c: with its geometry and latency; without these the answer is open
 * @memory_ticks: what a load of memory takes
 * @outcome: (out) OUTCOME_DECIDED: it does; OUTCOME_OPEN: something else may lie there
 * Return: 0, -EINTR when stopped, or another -errno with @f set.
 */
int level_end_is_memory(struct prober *p, const struct cache_result *c,
			double memory_ticks, enum outcome *outcome,
			struct failure *f);

/**
 * level_end_is_level() - does another level surely lie there?
 *
 * Lines that evict everything from a level may evict it from the next one, too, if
 * that has little more room: then only fewer lines distinguish it from what lies below.
 * @next_ticks: all those lines come from a level that is known, and take so long;
 *              INFINITY: from memory
 * @control: the lines that do; NULL: memory
 * @outcome: (out) OUTCOME_DECIDED: it does; OUTCOME_OPEN: no more than
 *           level_end_is_memory() is known; OUTCOME_VOID: nor would one have been
 *           seen, as readings of the clock are off by too much
 * Return: as level_end_is_memory().
 */
int level_end_is_level(struct prober *p, const struct cache_result *c,
		       double memory_ticks, double next_ticks,
		       const struct shape *control, enum outcome *outcome,
		       struct failure *f);

/**
 * level_end_of_set() - do most lines of one set, far more than its ways, come from memory?
 * @c: with the lines of a set that eviction sets have found; without, the answer is open
 * @outcome: (out) OUTCOME_DECIDED: they do
 * Return: as level_end_is_memory().
 */
int level_end_of_set(struct prober *p, const struct cache_result *c,
		     double memory_ticks, enum outcome *outcome,
		     struct failure *f);

#endif
