/* SPDX-License-Identifier: GPL-2.0 */
/* duelingkit.h - caches whose leader sets are known. */
#ifndef PROBE_PHYS_UNIT_METHOD_DUELING_DUELINGKIT_H
#define PROBE_PHYS_UNIT_METHOD_DUELING_DUELINGKIT_H

#include "method/dueling/dueling.h"
#include "model/cache.h"

#define DUELINGKIT_SETS 256

/**
 * struct duelingkit - a cache and nothing else, read like a level of a machine
 * @arrays: set s is set s / @count of array s % @count: with two, each half of
 *          the sets has a selector of its own
 * @wrong: share of readings that are off by any number of misses
 * @disturbances: accesses of another program between any two readings
 */
struct duelingkit {
	struct array arrays[2];
	unsigned int count;
	unsigned int ways;
	struct rng rng;
	double wrong;
	unsigned int disturbances;
};

/** duelingkit_seed() - PROBE_PHYS_SEED, or 1 */
uint64_t duelingkit_seed(void);

/** duelingkit_begin() - the oracle of a cache; @count, @wrong and @disturbances
 * are set
 */
struct dueling_oracle duelingkit_begin(struct duelingkit *c,
				       const struct profile_policy *policy,
				       unsigned int ways, uint64_t seed);

/** duelingkit_end() - release the cache and what was found of it */
void duelingkit_end(struct duelingkit *c, struct dueling_finding *found);

/** duelingkit_role() - the truth about a set */
enum dueling_role duelingkit_role(const struct duelingkit *c, uint64_t set);

/** duelingkit_policy() - of Ivy Bridge (0), of Haswell (1), DRRIP (2), and one with
 * leaders spread over all sets (3)
 */
struct profile_policy duelingkit_policy(int which);

#endif
