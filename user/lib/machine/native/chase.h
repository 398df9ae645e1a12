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

#endif
