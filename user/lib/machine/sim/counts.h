/* SPDX-License-Identifier: GPL-2.0 */
/* counts.h - the counters of a simulated machine, around one sample. */
#ifndef PROBE_PHYS_MACHINE_SIM_COUNTS_H
#define PROBE_PHYS_MACHINE_SIM_COUNTS_H

#include "base/rng.h"
#include "machine/machine.h"
#include "model/model.h"

/**
 * struct sim_counts - the model's counters at the beginning of a sample
 * @model: the model
 * @profile: faults of the counters
 * @rng: draws whether another user has a counter
 * @overhead: what reading adds to each, by role; it is subtracted
 * @cpu: CPU whose counters are read
 * @wanted: the counters, bits 1 << enum machine_counter
 * @before: their values at the beginning
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

/** sim_counts_available() - the profile's counters, as roles */
unsigned int sim_counts_available(const struct profile *p);

/** sim_counts_begin() - read; all but c->before is set */
void sim_counts_begin(struct sim_counts *c);

/**
 * sim_counts_end() - fill in sample->counts and sample->counted
 * @handler_lines: lines that interrupt handlers brought in meanwhile: they miss
 *             every level, and the counters do not know whose loads they were
 */
void sim_counts_end(const struct sim_counts *c, uint64_t handler_lines,
		    struct sample *sample);

#endif
