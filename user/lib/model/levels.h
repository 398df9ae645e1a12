/* SPDX-License-Identifier: GPL-2.0 */
/*
 * levels.h - caches above each other: the level that serves an access, the
 * levels that keep the line, and where victims go. There is no coherence
 * traffic: a store does not take the line away from other CPUs.
 */
#ifndef PROBE_PHYS_MODEL_LEVELS_H
#define PROBE_PHYS_MODEL_LEVELS_H

#include "model/access.h"
#include "model/cache.h"

enum side {
	SIDE_DATA,
	SIDE_FETCH,
	SIDES
};

/**
 * struct chain - the caches that one CPU's loads (or fetches) pass, nearest
 * first
 * @levels: them
 * @ticks: cost of a hit in each; [depth]: of memory
 * @above: CPUs that share any cache above level k with this one
 * @quiet: an unmodified line that leaves level k changes no other level
 * @conflicts: misses of one set right after each other cost more in some level
 * @plain: no level is exclusive, and lines do not get shorter downwards: a load
 *         fills all levels that it has missed with a line each
 * @shorter: they do
 * @depth: their number
 */
struct chain {
	struct cache *levels[PROFILE_MAX_CACHES];
	uint32_t ticks[PROFILE_MAX_CACHES + 1];
	uint64_t above[PROFILE_MAX_CACHES];
	bool quiet[PROFILE_MAX_CACHES];
	bool conflicts;
	bool plain;
	bool shorter;
	unsigned int depth;
};

/** struct uppers - the caches nearer to one CPU than a level, both sides' */
struct uppers {
	struct cache *caches[PROFILE_MAX_CACHES];
	unsigned int count;
};

/** struct levels - all caches; @caches are those of profile cache i at
 * first[i] and after; @uppers are [cpu][profile cache]
 */
struct levels {
	const struct profile *profile;
	struct cache *caches;
	size_t cache_count;
	size_t first[PROFILE_MAX_CACHES];
	struct chain (*chains)[SIDES];
	struct uppers *uppers;
	unsigned int cpus;
	uint64_t foreign;
	struct rng rng;
};

/** levels_init() - empty. Return: 0 or -errno; levels_free() either way */
int levels_init(struct levels *h, const struct profile *p);
void levels_free(struct levels *h);

/* levels_miss(): it is not known whether the first level has the line. */
#define LEVELS_UNKNOWN UINT64_MAX

/**
 * levels_miss() - an access from level @from of a chain on, in full
 *
 * @from is 0 but for prefetches; @missed is the set of that level in which the
 * line is not, or LEVELS_UNKNOWN. Return: level that served it, chain.depth:
 * memory.
 */
unsigned int levels_miss(struct levels *h, const struct chain *chain,
			 const struct place *at, unsigned int from, bool store,
			 uint64_t missed);

/** levels_miss_load() - the same for a load of a plain chain of which level 0
 * does not have the line, in set @missed
 */
unsigned int levels_miss_load(struct levels *h, const struct chain *chain,
			      const struct place *at, uint64_t missed);

/** levels_access() - the same from level 0, quick when that has it */
static inline unsigned int levels_access(struct levels *h,
					 const struct chain *chain,
					 const struct place *at, bool store)
{
	if (chain->depth && !store) {
		struct cache *c = chain->levels[0];
		uint64_t set = cache_set(c, at);
		int way = array_find(&c->array, set, cache_tag(c, at->phys));

		if (way != ARRAY_NONE) {
			policy_hit(&c->array.policy, set, (unsigned int)way);
			return 0;
		}
		if (chain->plain)
			return levels_miss_load(h, chain, at, set);
		return levels_miss(h, chain, at, 0, false, set);
	}
	return levels_miss(h, chain, at, 0, store, LEVELS_UNKNOWN);
}

/** levels_conflicts() - what an access that level @served has served takes
 * longer, since the last one missed in the same set; ticks
 */
uint32_t levels_conflicts(const struct chain *chain, const struct place *at,
			  unsigned int served);

/** levels_holds() - is the line at level @k of the chain? */
bool levels_holds(const struct chain *chain, const struct place *at,
		  unsigned int k);

void levels_flush_line(struct levels *h, uint64_t phys);
void levels_flush_cpu(struct levels *h, unsigned int cpu);
/** levels_evict_random() - foreign lines replace @lines random ones of each
 * cache of
 * @cpu
 */
void levels_evict_random(struct levels *h, unsigned int cpu,
			 unsigned int lines);

#endif
