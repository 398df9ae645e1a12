/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase_steps.h - the steps of a walk that follows pointers, and how to count
 * the loads after them without evicting the lines that the steps have loaded.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_STEPS_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_STEPS_H

#include "machine/native/chase_loop.h"

/** chase_take_steps() - do all steps of the plan, and its code
 * Return: false: the thread could not move to the CPU of a step.
 */
bool chase_take_steps(const struct machine *m, const struct chase_path *path,
		      const struct walk_plan *plan);

/** chase_steps_move() - some are another CPU's: moving there and back looks
 * like a disturbance
 */
bool chase_steps_move(const struct walk_plan *plan);

/** chase_differs() - whether chase_difference() is the way to count here */
bool chase_differs(const struct chase_path *path, const struct walk_plan *plan);

/**
 * chase_difference() - a sample after steps, which were just taken once
 * @p: where to go on, and then
 * @sample: (out) counts are those of the steps and the loads together less
 *          those of the steps alone; time is that of the loads
 *
 * Return: false: an interrupt came each time.
 */
bool chase_difference(struct machine *m, void **p, const struct timer *timer,
		      const struct chase_path *path,
		      const struct walk_plan *plan, uint64_t loads,
		      struct sample *sample);

#endif
