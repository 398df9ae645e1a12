/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampler.h - time, or a counter, per load of a sequence, repeated until
 * undisturbed.
 */
#ifndef PROBE_PHYS_OBSERVE_SAMPLER_H
#define PROBE_PHYS_OBSERVE_SAMPLER_H

#include "base/statistics.h"
#include "machine/machine.h"

/** SAMPLER_MAX - most samples of one call */
#define SAMPLER_MAX STATISTICS_MOST

/**
 * struct readings - undisturbed samples of one sequence
 * @values: ticks or counts per load; @count of them
 * @unread: undisturbed samples in which the counter did not count: others had it
 */
struct readings {
	double values[SAMPLER_MAX];
	size_t count;
	size_t unread;
};

/**
 * sampler_observe() - observe a sequence, by a counter or by time
 * @plan: how; plan->samples at most SAMPLER_MAX, plan->counters is ignored
 * @counter: a bit 1 << enum machine_counter that the machine has; 0: time
 * @r: (out) one value per sample in which the counter counted; fewer than
 *     plan->samples when samples stay disturbed after a few repetitions
 * Return: 0 or -errno with @f set.
 */
int sampler_observe(struct machine *m, const struct sequence *s,
		    const struct walk_plan *plan, unsigned int counter,
		    struct readings *r, struct failure *f);

/** sampler_miss_counter() - of loads that miss a level of cache
 * @counters: bits 1 << enum machine_counter to choose from
 * @level: from 0 on
 * Return: a bit of these; 0: there is none.
 */
unsigned int sampler_miss_counter(unsigned int counters, size_t level);

/**
 * sampler_add_ticks() - ticks of one of @adds dependent integer additions
 *
 * Smallest of @trials timings: additions can only be delayed. Return: <= 0
 * when the machine has no such clock.
 */
double sampler_add_ticks(struct machine *m, int trials, unsigned int adds);

/**
 * sampler_cycle_ticks() - ticks of one core cycle now: sampler_add_ticks()
 * that take a moment
 */
double sampler_cycle_ticks(struct machine *m);

#endif
