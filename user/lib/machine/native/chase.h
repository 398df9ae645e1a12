/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase.h - walk a sequence in mapped memory by following pointers: each
 * element holds the address of the next, so no two loads overlap (X-Ray
 * section 4.2).
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_H

#include "machine/native/chase_loop.h"

/**
 * chase_sample() - warm up and take plan->samples samples of a path
 *
 * The calling thread must be pinned to m->cpu. A sample during which the
 * thread ran on another CPU or was switched out is marked disturbed.
 */
void chase_sample(struct machine *m, const struct timer *timer,
		  const struct chase_path *path, const struct walk_plan *plan,
		  struct sample *samples);

/**
 * chase_walk() - struct machine_ops.walk for memory mapped at @base
 * @m: its region bounds the offsets, its conditions are counted up
 * @base: address of offset 0
 * @timer: clock of the samples
 * @meter: counters, NULL: none
 *
 * Return: 0; -ERANGE, -EINVAL (empty or misaligned sequence) with @f set.
 */
int chase_walk(struct machine *m, char *base, const struct timer *timer,
	       const struct chase_meter *meter, const struct sequence *s,
	       const struct walk_plan *plan, struct sample *samples,
	       struct failure *f);

/**
 * chase_pin() - bind the calling thread to one CPU
 * @cpu: CPU, or -1 for the last one that the process may run on
 * Return: the CPU, or -errno with @f set.
 */
int chase_pin(int cpu, struct failure *f);

/** chase_others() - list in @m the CPUs that the process may run on beside @cpu,
 * -1: the last one; before chase_pin()
 */
void chase_others(struct machine *m, int cpu);

/** chase_pause() - struct machine_ops.pause of machines in real time */
void chase_pause(struct machine *m, unsigned int ms);

/** chase_clock_ns() - struct machine_ops.clock_ns of the same */
double chase_clock_ns(const struct machine *m);

#endif
