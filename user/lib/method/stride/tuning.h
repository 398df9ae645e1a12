/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what the searches by strides spend, and where they begin: time
 * and memory, no answer.
 */
#ifndef PROBE_PHYS_METHOD_STRIDE_TUNING_H
#define PROBE_PHYS_METHOD_STRIDE_TUNING_H

#include "base/tuned.h"

/**
 * STRIDE_STEP - the first stride of a level, in ways of the level above: near
 * the way size of most caches, and each doubling takes a question
 */
#define STRIDE_STEP TUNED(16)
/** FIRST_STRIDE - the first stride of the first level, in bytes */
#define FIRST_STRIDE TUNED(128 * 1024)
/** FIRST_STRIDE_LOWER - the least first stride of a lower level, in bytes */
#define FIRST_STRIDE_LOWER TUNED(64 * 1024)
/**
 * NEAR_STEP - where translations are missed: from one stride that shares pages
 * to the next smaller one
 */
#define NEAR_STEP TUNED(4)
/**
 * QUIET_TRIES - looks at a sequence whose excess over hits fell, until it is
 * steady
 */
#define QUIET_TRIES TUNED(8)
/**
 * QUIET_APART_MS - pause between two of them, longer than a burst of other
 * load
 */
#define QUIET_APART_MS TUNED(2)
/** CONTENTION_SETS - sets of one look for contention */
#define CONTENTION_SETS TUNED(96)
/** CONTENTION_LOOKS - looks, where the first finds no contention */
#define CONTENTION_LOOKS TUNED(2)
/**
 * CONTENTION_LOOKS_IN_DOUBT - looks, where there was contention before: it
 * must not be missed once by chance
 */
#define CONTENTION_LOOKS_IN_DOUBT TUNED(4)
/** CONTENTION_WARM_ROUNDS - rounds before a set is timed */
#define CONTENTION_WARM_ROUNDS TUNED(200)
/** CONTENTION_ROUNDS - rounds of one sample of a set */
#define CONTENTION_ROUNDS TUNED(20)
/** CONTENTION_SAMPLES - samples of each set; their mean counts */
#define CONTENTION_SAMPLES TUNED(16)
/** LATER_LOOKS - later looks at levels that contention spoiled */
#define LATER_LOOKS TUNED(2)
/** LATER_MS - how much later than all levels the last look begins */
#define LATER_MS TUNED(300)
/**
 * CAPACITY_ATTEMPTS - attempts at a capacity; disturbance only adds, so the
 * best counts
 */
#define CAPACITY_ATTEMPTS TUNED(3)
/**
 * CAPACITY_PLACES - attempts beyond these, each at one place, where others load
 * into the level
 */
#define CAPACITY_PLACES TUNED(16)
/**
 * LINES_AT_ONCE - lines over which the rounds of a patient policy take
 * minutes; above, a sample of the sets is used or fewer rounds
 */
#define LINES_AT_ONCE TUNED(100000)
/** CLEARING_AGAIN - attempts to clear a level, by time */
#define CLEARING_AGAIN TUNED(4)
/** CLEARING_APART_MS - pause between two of them */
#define CLEARING_APART_MS TUNED(30)
/**
 * COLORS_PLACES - placements of a sequence, in ways of the first level: frames
 * that a search wants
 */
#define COLORS_PLACES TUNED(4)
/** COLORS_ATTEMPTS - attempts at a level whose frames are sorted by colour */
#define COLORS_ATTEMPTS TUNED(3)
/** COLORS_APART_MS - pause between two of them */
#define COLORS_APART_MS TUNED(40)
/**
 * REUSE_PASSES - passes in which lines are used twice: what comes in later
 * must not find room at the expense of what is in
 */
#define REUSE_PASSES TUNED(3)
/** REUSE_SAMPLES - samples at each place */
#define REUSE_SAMPLES TUNED(6)
/** REUSE_PLACES - places of the lines */
#define REUSE_PLACES TUNED(8)

/* Thresholds: these decide, and are not scaled. */

/**
 * LEAST_FIRST_STRIDE - the first stride of the first level where memory is
 * short, in bytes
 */
#define LEAST_FIRST_STRIDE 1024
/** LOST_PLACES - places of a line that others have driven out; their median counts */
#define LOST_PLACES TUNED(8)
/** LOST_SAMPLES - samples of each */
#define LOST_SAMPLES TUNED(16)

/** SLOW_TRIES - looks at lines that were slow once, each beside a look at hits */
#define SLOW_TRIES TUNED_FROM(2, 3)

#endif
