/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - lengths of samples and of rounds before them: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_PROBE_TUNING_H
#define PROBE_PHYS_METHOD_PROBE_TUNING_H

#include <stdint.h>

#include "base/tuned.h"

/**
 * PROBE_LOADS_PER_SAMPLE - a sample should last microseconds: long against a
 * step of the timer, short against the time between interrupts
 */
#define PROBE_LOADS_PER_SAMPLE TUNED(2000)
/** WARM_LOADS - loads before the first sample, at most */
#define WARM_LOADS TUNED(20000)
/**
 * WARM_ROUNDS - rounds until any deterministic policy has settled, and bimodal
 * insertion nearly so
 */
#define WARM_ROUNDS TUNED(64)
/** WARM_ROUNDS_LEAST - rounds of long sequences */
#define WARM_ROUNDS_LEAST TUNED(5)
/**
 * MANY_LINES - lines of which rounds for a patient policy take too long, and
 * no single one matters
 */
#define MANY_LINES TUNED(4000)
/** DISTURBED_ENOUGH - disturbed samples until their rate is used */
#define DISTURBED_ENOUGH TUNED(16)
/**
 * OFTEN - usual lengths of a sample between two disturbances, below which
 * samples become shorter ...
 */
#define OFTEN TUNED(4)
/** ONE_IN - ... until one of this number is disturbed */
#define ONE_IN TUNED(8)
/**
 * LEAST_LOADS - loads of a short sample, which takes longer than reading the
 * clock
 */
#define LEAST_LOADS TUNED(256)
/**
 * OUTLAST_TRIES - looks at lines that are slow while others load into their
 * level
 */
#define OUTLAST_TRIES TUNED(16)
/**
 * MANY_MISSED - of the lines of code that do not fit, those that show it at once: what is
 * like LRU misses all of them
 */
#define MANY_MISSED TUNED_REAL(0.25)
/** TIME_BLOCKS - placements whose median is a time */
#define TIME_BLOCKS TUNED(5)
/**
 * SHAKES - rounds in other orders, for policies that put a new line first in
 * the queue for eviction
 */
#define SHAKES TUNED(10)

/**
 * TIME_LIMIT_ACCESSES - of the search of each level, where no time limits it
 *
 * Most that a level of the simulated machines has taken that was decided is 1.8 billion
 * (30 MiB in 12 ways and 10 slices); searches that do not end take all they get.
 */
#define TIME_LIMIT_ACCESSES TUNED(UINT64_C(2000000000))

#endif
