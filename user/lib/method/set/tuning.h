/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what opening a set for questions spends on candidates, controls
 * and repetition: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_SET_TUNING_H
#define PROBE_PHYS_METHOD_SET_TUNING_H

#include "base/tuned.h"

/** ASKER_FAILURES - void ones among them */
#define ASKER_FAILURES TUNED(12)
/**
 * WINDOW_PER_CAPACITY - memory that candidates come from, in capacities:
 * enough for all lines of a set, as chance spreads them
 */
#define WINDOW_PER_CAPACITY TUNED(8)
/** LEAST_WINDOW_BYTES - the same, at least: few pages take few translations */
#define LEAST_WINDOW_BYTES TUNED(((UINT64_C(4) << 20)))
/**
 * COLLECT_TRIES - eviction sets that are tried: contention may take lines of
 * one
 */
#define COLLECT_TRIES TUNED(8)
/** TRIES_OF_PART - of these from a part of the memory */
#define TRIES_OF_PART TUNED(2)
/** COLLECT_APART_MS - pause between two of them */
#define COLLECT_APART_MS TUNED(15)
/** MOST_CLEARING - lines that clear the levels above, at most */
#define MOST_CLEARING TUNED(256)
/** CHOICES - random choices that each line has to be in */
#define CHOICES TUNED(3)
/** FIRST_CHUNK - lines that are tried at once for clearing, first */
#define FIRST_CHUNK TUNED(8)
/** MOST_CHUNK - and at most */
#define MOST_CHUNK TUNED(32)
/**
 * MOST_REJECTED - candidates in a row that do not fit, after which a level
 * counts as full
 */
#define MOST_REJECTED TUNED(24)
/**
 * CLEAR_CHECKS - final checks of clearing lines, each with other lines of the
 * set
 */
#define CLEAR_CHECKS TUNED(3)
/**
 * CLEAR_TRIES - times that a share of the clearing lines is dropped after a
 * failed check
 */
#define CLEAR_TRIES TUNED(4)
/** CLEAR_LESS - the share: one in this many */
#define CLEAR_LESS TUNED_FROM(2, 4)
/** OPEN_LOADS - loads of a calibration */
#define OPEN_LOADS TUNED(4000)
/** OPEN_SAMPLES - samples of a calibration */
#define OPEN_SAMPLES TUNED(8)

/* Thresholds: these decide, and are not scaled. */

/**
 * MOST_ANSWERS - answers to one question, at most: twice the largest lead that
 * is accepted
 */
#define MOST_ANSWERS 28

#endif
