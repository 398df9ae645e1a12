/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk.h - walks inside the kernel: plans into ioctls, slices into
 * samples.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_WALK_H
#define PROBE_PHYS_MACHINE_MODULE_WALK_H

#include <linux/probe_phys.h>

#include "machine/machine.h"
#include "machine/module/counters.h"

/**
 * struct module_clock - how a slice of the kernel becomes ticks of the machine
 * @ticks_per_ns: 0: the machine's timer is the counter that the kernel reads;
 *                otherwise the slice's nanoseconds are taken, times this
 * @overhead_ticks: time of an empty slice, in ticks of the machine
 */
struct module_clock {
	double ticks_per_ns;
	double overhead_ticks;
};

/**
 * struct module_fold - slices on their way to samples
 * @clock: unit of the samples
 * @counters: their group, NULL: nothing is counted
 * @loads: loads that make a sample complete
 * @open: the sample that is not complete yet; no loads: none begun
 * @uncounted: a slice of it has no valid counts
 */
struct module_fold {
	const struct module_clock *clock;
	const struct module_counters *counters;
	uint64_t loads;
	struct sample open;
	bool uncounted;
};

/**
 * module_fold() - add slices up to samples of at least fold->loads loads
 * @slices: @slice_count slices, in order
 * @samples: room for @room samples
 *
 * A slice that ended early (PROBE_PHYS_SAMPLE_SPLIT) is completed by those
 * after it; the overhead is subtracted once for each slice. A sample with a
 * PROBE_PHYS_SAMPLE_LATE slice or a system management interrupt is disturbed;
 * in one with a multiplexed slice nothing is counted.
 * Return: samples completed.
 */
size_t module_fold(struct module_fold *fold,
		   const struct probe_phys_sample *slices, size_t slice_count,
		   struct sample *samples, size_t room);

/** module_rounds() - whole rounds of @length loads that make @loads or more */
uint32_t module_rounds(uint64_t length, unsigned int loads);

/**
 * struct module_walker - runs walks in the kernel
 * @buffer: descriptor
 * @cpu: CPU
 * @clock: unit of the samples
 * @counters: counters of the walks
 */
struct module_walker {
	int buffer;
	int cpu;
	struct module_clock clock;
	struct module_counters counters;
};

/** module_walker_calibrate() - measure clock.overhead_ticks */
int module_walker_calibrate(struct module_walker *w, struct failure *f);

/** module_walker_walk() - struct machine_ops.walk, in the kernel */
int module_walker_walk(struct module_walker *w, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f);

#endif
