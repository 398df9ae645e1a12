/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lost_mean.h - how long lines take that a level has lost, where a single load is
 * no longer than what disturbs the clock.
 *
 * Several lines of one page are timed together, and often: so the mean is as exact
 * as is needed. Each line's set is filled with lines at odd distances alone. These
 * leave none of its lines there, whatever comes in where (EVICT_WAYS), and evict it
 * from no level of twice as many sets. (The sequence is ours.)
 */
#ifndef PROBE_PHYS_METHOD_LEVELS_LOST_MEAN_H
#define PROBE_PHYS_METHOD_LEVELS_LOST_MEAN_H

#include "method/levels/place.h"
#include "result/outcome.h"

/**
 * lost_mean_between() - are lost lines faster than those of what is known below?
 * @at: a place, lines at odd distances
 * @here: ticks of a line that is still there
 * @memory: ticks of memory
 * @below: (in) ticks of what is known below, without translations; INFINITY: memory
 * @outcome: (out) OUTCOME_DECIDED: they are, and come from a level between;
 *           OUTCOME_OPEN: they are not; OUTCOME_VOID: the clock is too coarse
 * Return: as prober_observe(), or -ENOMEM with @f set.
 */
int lost_mean_between(const struct place *at, double here, double memory,
		      double below, enum outcome *outcome, struct failure *f);

/**
 * lost_mean_control() - ticks of lines of a shape that is walked over and over, their
 * translations there
 * @ticks: (out) INFINITY: it does not fit
 * Return: as lost_mean_between().
 */
int lost_mean_control(struct prober *p, const struct shape *control,
		      double *ticks, struct failure *f);

#endif
