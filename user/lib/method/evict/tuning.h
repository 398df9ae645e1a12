/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what measuring below a hashed level spends on placements, lines
 * and pauses: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_EVICT_TUNING_H
#define PROBE_PHYS_METHOD_EVICT_TUNING_H

#include "base/tuned.h"

/**
 * CLEAR_ROOM - bytes from which clearing lines are taken, times the levels
 * above
 */
#define CLEAR_ROOM TUNED(8)
/** PREPARE_TRIES - draws of lines that clear */
#define PREPARE_TRIES TUNED(10000)
/** LATER_LOOKS - later looks at the level */
#define LATER_LOOKS TUNED(2)
/** LOOKS_APART_MS - pause between two of them */
#define LOOKS_APART_MS TUNED(300)
/**
 * MOST_FLUSHED - lines of a set that are flushed: more take longer than they
 * disturb
 */
#define MOST_FLUSHED TUNED(1024)
/** SPACER_TRIES - draws of a line beside a timed one: one in hundreds shares a set with
 * one of few lines that came back
 */
#define SPACER_TRIES TUNED(16)
/** KEPT_SHARE - lines that come back, one in this many ways */
#define KEPT_SHARE TUNED(4)
/** MOST_KEPT - lines that come back, at most */
#define MOST_KEPT TUNED(4)
/** CAPACITY_SAMPLES - samples of each placement */
#define CAPACITY_SAMPLES TUNED(2)
/** CAPACITY_LINES - lines of a walk: longer ones are always disturbed */
#define CAPACITY_LINES TUNED(400000)
/** PENALTY_PLACES - where what a miss costs is looked for, at each stride */
#define PENALTY_PLACES TUNED(3)
/** EVICT_SAMPLES - samples of one observation */
#define EVICT_SAMPLES TUNED(4)
/** EVICT_ROUNDS - rounds in which all lines are loaded and evicted */
#define EVICT_ROUNDS TUNED(2)

#endif
