/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - how the files of this folder call each other, from the bottom up. */
#ifndef PROBE_PHYS_METHOD_LEVELS_INTERNAL_H
#define PROBE_PHYS_METHOD_LEVELS_INTERNAL_H

#include "method/evict/evict.h"
#include "method/levels/finding.h"

/**
 * struct strategy - one way to find the geometry of a level
 * @agree: ways and way size, reproduced
 * @find_line: its line size
 * @check_capacity: whether as much fits as ways and way size say
 * @context: the first argument of each: struct xray or struct evictor
 * @by_strides: sequences at fixed strides are walked
 */
struct strategy {
	int (*agree)(void *context, struct xray_geometry *g, struct failure *f);
	int (*find_line)(void *context, struct xray_geometry *g,
			 struct parameter *line_bytes, struct failure *f);
	int (*check_capacity)(void *context, const struct xray_level *level,
			      uint64_t line_bytes, enum outcome *outcome,
			      struct failure *f);
	void *context;
	bool by_strides;
};

/** strategy_strides() - for any level */
struct strategy strategy_strides(struct xray *x);

/** strategy_evictions() - for a level below a hashed one that keeps lines */
struct strategy strategy_evictions(struct evictor *ev);

/**
 * level_search() - the geometry of a level and its line size, as often as it takes
 * @g: (out) found or with a reason
 * @line: (out) decided or with a reason, where @g was found meanwhile
 * Return: 0; -EAGAIN when no sample was undisturbed; -EINTR; another -errno.
 */
int level_search(struct xray *x, const struct strategy *by,
		 struct xray_geometry *g, struct parameter *line,
		 struct failure *f);

/**
 * level_measure_latency() - as xray_measure_latency(), in narrow lists where longer ones do
 * not all hit: they may be too long for a level that holds little more than what is above
 * @x: (in, out) narrow where those are steady
 */
int level_measure_latency(struct xray *x, struct latency_finding *found,
			  struct failure *f);

/**
 * xray_go_below() - get past a level that eviction sets have found
 * @c: what they say; what it holds of the index is kept by reference in @level
 * @level: (out) valid where it is decided
 * @outcome: (out) OUTCOME_DECIDED: sequences get past it
 *
 * What lies below a hashed level can be reached when lines that share a set of it
 * are known by their addresses: the arena is a window from then on.
 */
int xray_go_below(struct xray *x, const struct cache_result *c,
		  struct xray_level *level, enum outcome *outcome,
		  struct failure *f);

/**
 * xray_go_by_evictions() - lines have to be evicted from a level one by one, as its
 * policy keeps some whatever comes
 * @level: (in, out) what is known of it
 * @linear: its masks, if it is linear: kept by reference
 * Return: false: they cannot be. Else the arena is a window from then on.
 */
bool xray_go_by_evictions(struct xray *x, struct xray_level *level,
			  struct index_function *linear);

/**
 * level_find() - the level below those that are known, if there is one
 * @x: as xray_prepare() left it
 * @above: the result of the level above; NULL: this is the first one
 * @memory_ticks: of a load of memory; INFINITY: not known
 * @found: all zero; (out) also when it ends early
 * @level: (out) filled in when found->more
 */
int level_find(struct xray *x, const struct cache_result *above,
	       double memory_ticks, struct level_finding *found,
	       struct xray_level *level, struct failure *f);

#endif
