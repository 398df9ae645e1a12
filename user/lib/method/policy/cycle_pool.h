/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cycles.h - circles to ask sets that throw dice.
 *
 * Those of a catalogue are long, so that a single answer tells many policies apart.
 * Where dice are thrown, one early throw changes all that comes later in such a
 * round. Short ones, of which some happen to show what is let in seldom, tell
 * more in the same time; which these are, candidates say.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_CYCLES_H
#define PROBE_PHYS_METHOD_POLICY_CYCLES_H

#include <stdint.h>

#include "method/set/oracle.h"

/** CYCLE_POOL_MOST - of a pool, at most */
#define CYCLE_POOL_MOST 256

/**
 * struct cycle_pool - a pool
 * @cycles: warm ones, @count of them: fewer where few fit
 * @numbers: blocks of all of them
 */
struct cycle_pool {
	struct cycle cycles[CYCLE_POOL_MOST];
	size_t count;
	unsigned int *numbers;
};

/**
 * cycle_pool_make() - a pool for an oracle
 * @seed: of what is drawn
 * Return: 0 or -ENOMEM. cycle_pool_free() in either case.
 */
int cycle_pool_make(struct cycle_pool *c, const struct set_oracle *oracle,
		    uint64_t seed);
void cycle_pool_free(struct cycle_pool *c);

#endif
