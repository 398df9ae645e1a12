/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cycle_pool.h - cycles for sets whose policy draws lots.
 *
 * Cycles of a catalogue are long, so that one answer distinguishes many
 * policies. Under a random policy an early draw changes all later accesses of
 * such a round. Short cycles distinguish more per time, if they happen to show
 * rare insertions; the candidates say which of them do.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_CYCLES_H
#define PROBE_PHYS_METHOD_POLICY_CYCLES_H

#include <stdint.h>

#include "method/set/oracle.h"

/** CYCLE_POOL_MOST - most cycles of a pool */
#define CYCLE_POOL_MOST 256

/**
 * struct cycle_pool - a pool of cycles
 * @cycles: warm ones, @count of them; fewer where few fit
 * @numbers: blocks of all of them
 */
struct cycle_pool {
	struct cycle cycles[CYCLE_POOL_MOST];
	size_t count;
	unsigned int *numbers;
};

/**
 * cycle_pool_make() - a pool for an oracle
 * @seed: of all draws
 * Return: 0 or -ENOMEM. cycle_pool_free() in either case.
 */
int cycle_pool_make(struct cycle_pool *c, const struct set_oracle *oracle,
		    uint64_t seed);
void cycle_pool_free(struct cycle_pool *c);

#endif
