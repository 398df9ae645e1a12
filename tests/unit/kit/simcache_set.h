/* SPDX-License-Identifier: GPL-2.0 */
/*
 * simcache_set.h - index and replacement of the small simulated machine. Knows
 * no time and no other level. simcache.c calls it.
 */
#ifndef PROBE_PHYS_UNIT_KIT_SIMCACHE_SET_H
#define PROBE_PHYS_UNIT_KIT_SIMCACHE_SET_H

#include "base/rng.h"
#include "kit/simcache.h"

/** No line. */
#define NOTHING UINT64_MAX

/**
 * struct simcache - the lines of one level
 * @level: its geometry and policy
 * @lines: [sets][ways] line numbers, or NOTHING; of LRU and FIFO the next
 *	victim is last
 * @trees: [sets] bits of the tree, or one for each way
 * @noted: [sets] struct rounds.generation when rounds_note() was last given the
 *	set
 */
struct simcache {
	const struct sim_level *level;
	uint64_t *lines;
	uint64_t *trees;
	unsigned int *noted;
};

/** simcache_set_of() - the set of line number @line */
uint64_t simcache_set_of(const struct sim_level *l, uint64_t line);

/**
 * simcache_to_front() - the last line before @end becomes the first of @lines
 */
void simcache_to_front(uint64_t *lines, const uint64_t *end);

/** simcache_touch() - way @way of a set was used, or @filled */
void simcache_touch(struct simcache *c, uint64_t set, unsigned int way,
		    bool filled);

/**
 * simcache_victim() - the way that the next line of a set is filled into
 * @c: level
 * @set: set
 * @rng: of random replacement
 * @drawn: counts the numbers that were drawn
 */
unsigned int simcache_victim(const struct simcache *c, uint64_t set,
			     struct rng *rng, uint64_t *drawn);

#endif
