/* SPDX-License-Identifier: GPL-2.0 */
/*
 * naive_levels.h - a hierarchy of data caches, written a second time from the
 * model's headers: plain arrays, linear search, LRU and FIFO by time stamps.
 */
#ifndef PROBE_PHYS_UNIT_MODEL_NAIVE_LEVELS_H
#define PROBE_PHYS_UNIT_MODEL_NAIVE_LEVELS_H

#include "model/profile/profile.h"

#define NAIVE_CPUS 2
#define NAIVE_LINES 512

/** struct naive_line - one way of one set; @number counts in lines, @above are
 * the CPUs that have asked for it since it came
 */
struct naive_line {
	bool used;
	bool dirty;
	bool above[NAIVE_CPUS];
	uint64_t number;
	uint64_t stamp;
};

/** struct naive_cache - one instance: [sets][ways]; @missed: its last access
 * did, in
 * @missed_set
 */
struct naive_cache {
	const struct profile_cache *is;
	unsigned int ways;
	bool missed;
	uint64_t missed_set;
	struct naive_line lines[NAIVE_LINES];
};

struct naive_levels {
	const struct profile *profile;
	struct naive_cache caches[PROFILE_MAX_CACHES][NAIVE_CPUS];
	uint64_t now;
};

void naive_levels_init(struct naive_levels *n, const struct profile *p);
/** naive_levels_access() - Return: who had it, 0 nearest, cache_count: memory
 */
size_t naive_levels_access(struct naive_levels *n, unsigned int cpu,
			   uint64_t address, bool store);
/** naive_levels_conflicts() - cycles that an access takes longer after misses
 * of the same sets; of each access once, in order
 * @served: what naive_levels_access() said
 */
double naive_levels_conflicts(struct naive_levels *n, unsigned int cpu,
			      uint64_t address, size_t served);
void naive_levels_flush_line(struct naive_levels *n, uint64_t address);
void naive_levels_flush_cpu(struct naive_levels *n, unsigned int cpu);

#endif
