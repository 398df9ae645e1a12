/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase_clock.h - samples of a walk at one frequency of the core's clock.
 *
 * A miss in the first cache of code is half a percent of a round of mispredicted
 * returns, and the clock of a core moves by several percent between two walks. So the
 * clock is timed on both sides of a sample (a chain of additions, one a cycle), and the
 * sample is scaled. Called by chase.c.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_CLOCK_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_CLOCK_H

#include "machine/native/timer.h"

/**
 * struct chase_clock - the core's clock about a sample; all zero: not timed
 * @cycle_ticks: of the plan
 * @adds: of a chain
 * @before: ticks of the chain before the sample
 */
struct chase_clock {
	double cycle_ticks;
	unsigned int adds;
	double before;
};

/** chase_clock_choose() - a chain long enough for the timer */
struct chase_clock chase_clock_choose(const struct timer *timer,
				      const struct walk_plan *plan);

/** chase_clock_begin() - time the clock before a sample */
void chase_clock_begin(struct chase_clock *c, const struct timer *timer);

/**
 * chase_clock_end() - time it again, and scale the sample between
 * Return: false: the clock was not the same before and after.
 */
bool chase_clock_end(const struct chase_clock *c, const struct timer *timer,
		     struct sample *sample);

#endif
