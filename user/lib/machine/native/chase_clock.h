/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase_clock.h - samples of a walk at one frequency of the core's clock.
 *
 * A miss in the first cache of code is half a percent of a round of mispredicted
 * returns, and the clock of a core moves by several percent between two walks. So the
 * clock is timed on both sides of a sample (a chain of additions, one a cycle), and the
 * sample is scaled. The pace of code is timed as well, if wanted (pace.h). Called by
 * chase.c.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_CLOCK_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_CLOCK_H

#include "machine/native/code/pace.h"
#include "machine/native/timer.h"

/**
 * struct chase_clock - the core's clock about a sample; all zero: not timed
 * @cycle_ticks: of the plan
 * @adds: of a chain
 * @before: ticks of the chain before the sample
 * @pace: of code; NULL: not timed
 * @pace_before: cycles of its step before the sample
 * @until: when samples are no longer taken again
 */
struct chase_clock {
	double cycle_ticks;
	unsigned int adds;
	double before;
	struct pace *pace;
	double pace_before;
	uint64_t until;
};

/** chase_clock_choose() - a chain long enough for the timer
 * @pace: timed, too, where the clock is; NULL: it is not
 */
struct chase_clock chase_clock_choose(const struct timer *timer,
				      const struct walk_plan *plan,
				      struct pace *pace);

/** chase_clock_begin() - time the clock before a sample
 * Return: false: code is slower than at its best: the sample would be disturbed.
 */
bool chase_clock_begin(struct chase_clock *c, const struct timer *timer);

/**
 * chase_clock_end() - time it again, and scale the sample between
 * Return: false: the clock, or the pace, was not the same before and after.
 */
bool chase_clock_end(const struct chase_clock *c, const struct timer *timer,
		     struct sample *sample);

/** chase_clock_waits() - is a disturbed sample to be taken again? */
bool chase_clock_waits(const struct chase_clock *c, const struct timer *timer);

/** chase_clock_finish() - the walk is over; @lacking: with disturbed samples */
void chase_clock_finish(const struct chase_clock *c, bool lacking);

#endif
