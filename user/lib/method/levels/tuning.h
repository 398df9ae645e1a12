/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what going down the levels spends on waiting and on looking
 * again: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_LEVELS_TUNING_H
#define PROBE_PHYS_METHOD_LEVELS_TUNING_H

#include "base/tuned.h"

/**
 * CONTENTION_MS - wait before a first level under load is looked at again,
 * doubled each time
 */
#define CONTENTION_MS TUNED(300)
/** CONTENTIONS - looks at a first level under load */
#define CONTENTIONS TUNED(4)
/** PATIENCE - looks at a first level that contradicts itself */
#define PATIENCE TUNED(8)
/** PATIENCE_MS - longest pause between two of them: load lasts seconds */
#define PATIENCE_MS TUNED(1500)
/** PATIENCE_LEAST_MS - shortest pause: load takes milliseconds */
#define PATIENCE_LEAST_MS TUNED(50)
/** PATIENCE_GROWTH - factor from one pause to the next */
#define PATIENCE_GROWTH TUNED(2)
/**
 * STRIDES_SHARE - share of the time for a level that strides get, where
 * eviction sets come next
 */
#define STRIDES_SHARE TUNED_REAL(0.25)
/** END_SAMPLES - samples of each placement */
#define END_SAMPLES TUNED(6)
/**
 * END_MOST_UNCLEAR - placements that show nothing, until the question ends
 * without an answer
 */
#define END_MOST_UNCLEAR TUNED(20)
/** BETWEEN_TRIES - placements among which BETWEEN have to show a level */
#define BETWEEN_TRIES TUNED_FROM(3, 12)
/** MEAN_SAMPLES - samples of several lines at a time */
#define MEAN_SAMPLES TUNED(32)
/** MEAN_MOST - times as many at most, until the mean is exact enough */
#define MEAN_MOST TUNED(64)
/** MEAN_GROWTH - factor from one try to the next */
#define MEAN_GROWTH TUNED_FROM(2, 4)

#endif
