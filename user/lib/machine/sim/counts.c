// SPDX-License-Identifier: GPL-2.0
#include "machine/sim/counts.h"

#include <math.h>

static const enum profile_counter in_profile[MACHINE_COUNTERS] = {
	[COUNTER_CYCLES] = PROFILE_COUNTER_CYCLES,
	[COUNTER_LOADS] = PROFILE_COUNTER_LOADS,
	[COUNTER_L1D_MISS] = PROFILE_COUNTER_L1D_MISS,
	[COUNTER_L2_MISS] = PROFILE_COUNTER_L2_MISS,
	[COUNTER_L3_MISS] = PROFILE_COUNTER_L3_MISS,
	[COUNTER_DTLB_MISS] = PROFILE_COUNTER_DTLB_MISS,
	[COUNTER_STLB_MISS] = PROFILE_COUNTER_STLB_MISS,
	[COUNTER_ITLB_MISS] = PROFILE_COUNTER_ITLB_MISS,
	[COUNTER_L1I_MISS] = PROFILE_COUNTER_L1I_MISS,
	[COUNTER_INSTRUCTIONS] = PROFILE_COUNTER_INSTRUCTIONS,
	[COUNTER_L1D_WRITE_MISS] = PROFILE_COUNTER_L1D_WRITE_MISS,
	[COUNTER_L2_WRITE_MISS] = PROFILE_COUNTER_L2_WRITE_MISS,
	[COUNTER_L3_WRITE_MISS] = PROFILE_COUNTER_L3_WRITE_MISS,
};

static const unsigned int handler_counters =
	1U << COUNTER_LOADS | 1U << COUNTER_L1D_MISS | 1U << COUNTER_L2_MISS |
	1U << COUNTER_L3_MISS;

unsigned int sim_counts_available(const struct profile *p)
{
	unsigned int available = 0;

	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		available |= (p->counters >> in_profile[i] & 1) << i;
	return available;
}

static uint64_t now(const struct sim_counts *c, unsigned int counter)
{
	return model_counter(c->model, c->cpu, in_profile[counter]);
}

void sim_counts_begin(struct sim_counts *c)
{
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (c->wanted >> i & 1)
			c->before[i] = now(c, i);
}

void sim_counts_end(const struct sim_counts *c, uint64_t handler_lines,
		    struct sample *sample)
{
	sample->counted = c->wanted;
	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++) {
		const struct profile_counter_fault *fault =
			&c->profile->faults[in_profile[i]];
		uint64_t count;

		if (!(c->wanted >> i & 1))
			continue;
		count = now(c, i) - c->before[i];
		if (handler_counters >> i & 1)
			count += handler_lines;
		sample->counts[i] = fmax(0, (double)count + fault->overhead -
						    c->overhead[i]);
		if (fault->busy > 0 && rng_uniform(c->rng) < fault->busy)
			sample->counted &= ~(1U << i);
	}
}
