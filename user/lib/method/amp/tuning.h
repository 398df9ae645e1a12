/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - lengths of samples and numbers of placements: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_AMP_TUNING_H
#define PROBE_PHYS_METHOD_AMP_TUNING_H

#include "base/tuned.h"

/** LOADS_PER_SAMPLE - loads of a sample */
#define LOADS_PER_SAMPLE TUNED(2000)
/**
 * LOADS_WHEN_CONTENDED - the same under contention: lines that counting evicts
 * miss once per sample
 */
#define LOADS_WHEN_CONTENDED TUNED(8000)
/**
 * MOST_UNREAD - observations in a row that are lost, which chance does not do
 */
#define MOST_UNREAD TUNED(12)
/**
 * SIZE_PARTS - steps between the last power of two that fits and the next one
 */
#define SIZE_PARTS TUNED(4)
/** FLUSHINGS - flushes of halves, until nearly all other halves are lost */
#define FLUSHINGS TUNED(5)
/** PAGE_WARM_ROUNDS - rounds over the pages before they are counted */
#define PAGE_WARM_ROUNDS TUNED(2)
/** ENTER_ROUNDS - rounds until all pages are entered */
#define ENTER_ROUNDS TUNED(4)
/** SWEEP_ROUNDS - rounds until all are evicted */
#define SWEEP_ROUNDS TUNED(1)
/** VICTIM_WARM_LOADS - loads until as many pages as entries are all entered */
#define VICTIM_WARM_LOADS TUNED(65536)
/** WARM_ROUNDS_MOST - rounds of these, at most */
#define WARM_ROUNDS_MOST TUNED(256)
/** WARM_ROUNDS_LEAST - rounds of these, at least */
#define WARM_ROUNDS_LEAST TUNED(8)
/** FEW_SETS - sets that are measured at once, first */
#define FEW_SETS TUNED(64)
/** VICTIM_SETS - and at most */
#define VICTIM_SETS TUNED(1024)
/** KEPT - lines x that are measured at once */
#define KEPT TUNED(8)
/** BACK_PLACES - placements, at most */
#define BACK_PLACES TUNED(28)
/** FEW_VOID - void ones, at most */
#define FEW_VOID TUNED(6)

#endif
