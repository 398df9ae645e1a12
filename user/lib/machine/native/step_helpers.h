/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step_helpers.h - threads on other CPUs that take their steps of a walk.
 *
 * While one takes a step the walking thread waits in a loop of two lines. Moving the
 * thread itself there and back lets the kernel, a hypervisor and other tasks run on
 * the measured CPU in between: on a Zen 5 guest no line was left in L1 then.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_STEP_HELPERS_H
#define PROBE_PHYS_MACHINE_NATIVE_STEP_HELPERS_H

#include "machine/native/step_lines.h"

struct step_helpers;

/**
 * step_helpers_start() - a thread on each other CPU that a step names
 * Return: NULL: there is none, or not all can be started
 */
struct step_helpers *step_helpers_start(const struct machine *m,
					const struct walk_plan *plan);

/**
 * step_helpers_take() - step_lines_take() on another CPU; finished on return
 * @other: its number as of struct walk_step, from 1; the plan names it
 */
void step_helpers_take(struct step_helpers *h, size_t other,
		       const struct step_lines *lines, char *base,
		       enum step_kind kind);

/** step_helpers_stop() - end the threads; NULL is allowed */
void step_helpers_stop(struct step_helpers *h);

#endif
