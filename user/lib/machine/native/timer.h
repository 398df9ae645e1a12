/* SPDX-License-Identifier: GPL-2.0 */
/*
 * timer.h - clocks that can time a few hundred loads, chosen by measurement.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_TIMER_H
#define PROBE_PHYS_MACHINE_NATIVE_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/machine.h"

/**
 * struct timer - a clock with a fenced start and stop
 * @info: its measured properties
 * @start: ticks now; no earlier load is still under way, no later one begun
 * @stop: ticks now; all earlier loads are done
 * @fd: counter that it reads, -1: none
 */
struct timer {
	struct timer_info info;
	uint64_t (*start)(const struct timer *t);
	uint64_t (*stop)(const struct timer *t);
	int fd;
};

/**
 * struct timer_trial - one candidate and the result of its test
 * @timer: the candidate, measured
 * @usable: it may be used
 * @second_hand: the kernel derives it from a counter that is a candidate, too
 * @reason: why it is not usable; empty when it is
 */
struct timer_trial {
	struct timer timer;
	bool usable;
	bool second_hand;
	char reason[120];
};

#define TIMER_MAX_CANDIDATES 4

/** timer_release() - close a timer's counter; a zeroed timer is allowed */
void timer_release(struct timer *t);

/**
 * timer_try_all() - measure every clock that this architecture has
 * @trials: room for TIMER_MAX_CANDIDATES
 *
 * Overhead and resolution come from back-to-back readings, the rate and the
 * disagreement from comparing with CLOCK_MONOTONIC_RAW over several intervals.
 * The core's cycle counter (perf) is a candidate too; it is one only where the
 * clock frequency is fixed. Takes about 50 ms. Each timer is released by the
 * caller. Return: number of trials.
 */
size_t timer_try_all(struct timer_trial *trials);

/**
 * timer_is_finer() - whether @other resolves shorter times than @info
 *
 * Compares resolution plus spread of the overhead, with a margin: clocks that
 * read the same counter differ by chance.
 */
bool timer_is_finer(const struct timer_info *other,
		    const struct timer_info *info);

/**
 * timer_best() - the usable clock that resolves the shortest times
 *
 * The first clock that no other is finer than. A second-hand clock only where
 * nothing else is usable: it is never finer than the counter that it is made
 * of, but may look so where the counter's step is about as long as a reading.
 * Return: its number; @count: none is usable.
 */
size_t timer_best(const struct timer_trial *trials, size_t count);

/**
 * timer_choose() - timer_best() of timer_try_all()
 * Return: 0, released by the caller; or -ENODEV with @f set.
 */
int timer_choose(struct timer *timer, struct failure *f);

/**
 * timer_add_chain() - time @adds dependent integer additions
 *
 * One addition takes one core cycle on every processor that this tool knows
 * (X-Ray section 7 uses the same unit), so this gives ticks per core cycle at
 * the present clock frequency. @adds is rounded up to a multiple of 64.
 * Return: ticks, overhead subtracted.
 */
double timer_add_chain(const struct timer *timer, unsigned int adds);

#endif
