/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what measuring a TLB spends on samples, pages and pauses: time
 * and memory, no answer.
 */
#ifndef PROBE_PHYS_METHOD_TLB_TUNING_H
#define PROBE_PHYS_METHOD_TLB_TUNING_H

#include "base/tuned.h"

/**
 * LONGER_SAMPLES - factor by which samples grow where few misses may come from
 * reading the clock
 */
#define LONGER_SAMPLES TUNED(8)
/** LENGTHENINGS - times that they grow */
#define LENGTHENINGS TUNED(2)
/** HIERARCHY_TRIALS - samples of a miss; the median counts */
#define HIERARCHY_TRIALS TUNED(5)
/** HIERARCHY_ATTEMPTS - attempts at a level, by time */
#define HIERARCHY_ATTEMPTS TUNED(3)
/**
 * FIRST_ATTEMPTS - attempts at a first level, of which the other thread of a core takes
 * entries for tenths of a second
 */
#define FIRST_ATTEMPTS TUNED(4)
/** FIRST_AGAIN - times that as many are made again, after those at the other arrays */
#define FIRST_AGAIN TUNED(2)
/**
 * FEW_VIEW_MS - where opening a view takes longer, and few pages are enough, there is no
 * longer one
 */
#define FEW_VIEW_MS TUNED(100)
/** ATTEMPTS_APART_MS - pause between two of these */
#define ATTEMPTS_APART_MS TUNED(100)
/** LAST_MS - the search for a last array may take, where other load disturbs */
#define LAST_MS TUNED(9000)
/** LAST_TIME_TRIALS - timings of rows that may refute what accessed bits show */
#define LAST_TIME_TRIALS TUNED_FROM(24, 40)
/**
 * LAST_TIME_ROUNDS - rounds before each of these: a Sapphire Rapids needs 16 until all
 * pages that fit are kept
 */
#define LAST_TIME_ROUNDS TUNED_FROM(16, 32)
/** LAST_LOOK_MS - pause before a later look at these */
#define LAST_LOOK_MS TUNED(300)
/**
 * MANY_PAGES - pages of the first view, enough for an index without XORs:
 * opening takes time per page
 */
#define MANY_PAGES TUNED(((UINT64_C(1) << 16)))
/** SHORT_PAGES - pages of the view in which what a page costs is timed */
#define SHORT_PAGES TUNED(4096)
/** FEW_PLACES - places at which a sequence can begin, if there is room */
#define FEW_PLACES TUNED(32)
/** LATER_LOOKS - later checks of a level */
#define LATER_LOOKS TUNED(2)
/** LOOKS_APART_MS - pause before each */
#define LOOKS_APART_MS TUNED(100)
/**
 * GLANCES - tests of each: what takes entries all the time does so for tenths of a
 * second, and is away for as long
 */
#define GLANCES TUNED(6)
/** GLANCES_APART_MS - pause before each of these */
#define GLANCES_APART_MS TUNED(20)
/** LOADS_PER_SAMPLE - loads of a sample */
#define LOADS_PER_SAMPLE TUNED(2000)
/**
 * RETURNS_PER_SAMPLE - the same of returns, each of which costs a misprediction: tens of
 * nanoseconds
 */
#define RETURNS_PER_SAMPLE TUNED(200)
/** STEPS_PER_SAMPLE - steps of the timer that a sample lasts, at least */
#define STEPS_PER_SAMPLE TUNED(100)
/** CONTROL_WORDS - words of the sequence without misses */
#define CONTROL_WORDS TUNED(64)
/** SHARE_TRIALS - trials whose median is a share */
#define SHARE_TRIALS TUNED(16)
/**
 * SHARE_PLACES - places of the pages: which lines are lost with translations
 * depends on them
 */
#define SHARE_PLACES TUNED(3)
/**
 * PIECES - pieces of a page that are tried while the smaller pages' array is
 * unknown
 */
#define PIECES TUNED(128)
/** PIECE_TRIALS - trials of these; the fastest counts */
#define PIECE_TRIALS TUNED(3)
/** VIEW_WARM_LOADS - loads before the first sample, at most */
#define VIEW_WARM_LOADS TUNED(16000)
/**
 * VIEW_WARM_ROUNDS - rounds before the first sample, at most: a fully
 * associative array with random replacement takes hundreds to fill
 */
#define VIEW_WARM_ROUNDS TUNED(256)
/** VIEW_WARM_ROUNDS_LEAST - rounds before the first sample, at least */
#define VIEW_WARM_ROUNDS_LEAST TUNED(3)
/** TIME_PLACES - placements whose median is a time */
#define TIME_PLACES TUNED(5)
/** VIEW_REPETITIONS - walks until enough samples are undisturbed */
#define VIEW_REPETITIONS TUNED(4)

#endif
