/* SPDX-License-Identifier: GPL-2.0 */
/*
 * grain.h - how far lines are from what they have to take.
 *
 * A sample after steps is one round of a few lines. Where that is as long as a
 * step of the clock, one placement shows nothing that is finer than half a step
 * of it; all of them together do.
 */
#ifndef PROBE_PHYS_METHOD_PROBE_GRAIN_H
#define PROBE_PHYS_METHOD_PROBE_GRAIN_H

#include <math.h>
#include <stddef.h>

/**
 * struct stray - lines of several placements
 * @more: ticks that stand for 1 where a line takes longer: a miss
 * @less: the same where it takes less: a hit above
 * @grain: ticks of a line that the clock does not show
 * @most: of a placement, in these units, beyond the grain
 * @sum: of all, in ticks, signed; @count of them
 */
struct stray {
	double more;
	double less;
	double grain;
	double most;
	double sum;
	size_t count;
};

static inline double stray_scale(const struct stray *s, double off)
{
	return off > 0 ? off / s->more : -off / s->less;
}

/** latency_deviation_add() - each line of one placement takes @off ticks more */
static inline void latency_deviation_add(struct stray *s, double off)
{
	double shown = fmax(0, fabs(off) - s->grain);

	s->most = fmax(s->most, stray_scale(s, copysign(shown, off)));
	s->sum += off;
	s->count++;
}

/** latency_deviation_most() - 0: none seen, or none astray */
static inline double latency_deviation_most(const struct stray *s)
{
	return s->count ? fmax(s->most,
			       stray_scale(s, s->sum / (double)s->count)) :
			  0;
}

#endif
