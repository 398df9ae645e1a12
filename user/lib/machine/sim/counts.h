/* SPDX-License-Identifier: GPL-2.0 */
/* counts.h - the counters of a simulated machine, around one sample. */
#ifndef PROBE_PHYS_MACHINE_SIM_COUNTS_H
#define PROBE_PHYS_MACHINE_SIM_COUNTS_H

#include "base/rng.h"
#include "machine/machine.h"
#include "model/model.h"

/**
 * struct sim_counts - the model's counters at the beginning of a sample
 * @model: what counts
 * @profile: which of them lie
 * @rng: whether somebody else has one of them
 * @overhead: what reading adds to each, by role; it is subtracted
 * @cpu: whose counters
 * @wanted: the counters, bits 1 << enum machine_counter
 * @before: their values then
 */
struct sim_counts {
	const struct model *model;
	const struct profile *profile;
	struct rng *rng;
	const double *overhead;
	unsigned int cpu;
	unsigned int wanted;
	uint64_t before[MACHINE_COUNTERS];
};

/** sim_counts_available() - those of the profile that methods know */
unsigned int sim_counts_available(const struct profile *p);

/** sim_counts_begin() - read; all but c->before is set */
void sim_counts_begin(struct sim_counts *c);

/**
 * sim_counts_end() - fill in sample->counts and sample->counted
 * @strangers: lines that interrupt handlers brought in meanwhile: they miss
 *             every level, and the counters do not know whose loads they were
 */
void sim_counts_end(const struct sim_counts *c, uint64_t strangers,
		    struct sample *sample);

#endif
