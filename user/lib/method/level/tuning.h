/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what measuring a level spends on samples, repetition and pauses:
 * time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_TUNING_H
#define PROBE_PHYS_METHOD_LEVEL_TUNING_H

#include "base/tuned.h"

/** REPEAT_ATTEMPTS - searches until AGREEING of them agree */
#define REPEAT_ATTEMPTS TUNED(8)
/**
 * REPEAT_APART_MS - pause between two searches: a burst of other load lasts
 * longer than one
 */
#define REPEAT_APART_MS TUNED(40)
/** HOST_PAGES_TRIALS - samples of a piece; the fastest counts */
#define HOST_PAGES_TRIALS TUNED(5)
/**
 * HOST_PAGES_ATTEMPTS - attempts at a piece while other load makes all of its
 * lines slow
 */
#define HOST_PAGES_ATTEMPTS TUNED(8)
/** HOST_PAGES_APART_MS - pause between two of them */
#define HOST_PAGES_APART_MS TUNED(5)
/**
 * PAGE_SHARE_TRIALS - comparisons of the region and the view; the median
 * counts
 */
#define PAGE_SHARE_TRIALS TUNED(9)
/** PAGE_SHARE_SAMPLES - samples of each */
#define PAGE_SHARE_SAMPLES TUNED(8)
/** PAGE_SHARE_WARM_ROUNDS - rounds before the samples */
#define PAGE_SHARE_WARM_ROUNDS TUNED(16)
/**
 * PAGE_SHARE_LOADS - loads of a sample, before the clock's step is taken into
 * account
 */
#define PAGE_SHARE_LOADS TUNED(2000)
/**
 * COLD_ATTEMPTS - flushed lines are timed again where all samples were
 * disturbed
 */
#define COLD_ATTEMPTS TUNED(3)
/** COLD_PAUSE_MS - pause before that */
#define COLD_PAUSE_MS TUNED(20)
/** LATENCY_TRIALS - samples of a latency; the median counts */
#define LATENCY_TRIALS TUNED(9)
/** LINES_LOADS - loads of a sample */
#define LINES_LOADS TUNED(2000)
/** LINES_SAMPLES - samples of a walk */
#define LINES_SAMPLES TUNED(8)
/** LINES_ROUNDS - rounds before a sample */
#define LINES_ROUNDS TUNED(64)
/**
 * ASIDE_TRIALS - placements whose mean is what a latency has beside the
 * level's
 */
#define ASIDE_TRIALS TUNED(3)
/** LATENCY_TURNS - sets that take turns in a latency */
#define LATENCY_TURNS TUNED(8)
/** SPREAD_LINES - lines of all controls of one page; more take seconds */
#define SPREAD_LINES TUNED(6000)
/** SPREAD_TRIES - draws of a place for another control */
#define SPREAD_TRIES TUNED(200)
/**
 * MORE_FOLDS - copies of a control, times the fewest: what comes last in a row
 * may be found in an exclusive level below
 */
#define MORE_FOLDS TUNED(8)
/**
 * XOR_COPIES_TIMES - lines of a set that are tried, times as many as overflow
 * it: policies that seldom let a line in need more
 */
#define XOR_COPIES_TIMES TUNED(8)
/**
 * FLUSH_PIECE - lines that are flushed at a time, in memory for their
 * addresses
 */
#define FLUSH_PIECE TUNED(65536)

/* Thresholds: these decide, and are not scaled. */

/**
 * RESIDENT_FEW_LINES - lines that surely fit, while the first level is unknown
 */
#define RESIDENT_FEW_LINES 16
/**
 * RESIDENT_LINES - lines of the first level that are stored to and timed. With
 * half as many, stores of a Cortex-A76 in a guest are left undecided
 */
#define RESIDENT_LINES 64

#endif
