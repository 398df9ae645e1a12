/* SPDX-License-Identifier: GPL-2.0 */
/* tuning.h - what accessed bits spend on rounds and trials: time, no answer. */
#ifndef PROBE_PHYS_METHOD_ACCESSED_TUNING_H
#define PROBE_PHYS_METHOD_ACCESSED_TUNING_H

#include "base/tuned.h"

/**
 * FILL_ROUNDS - rounds until all ways are in use: policies that are not LRU need
 * several
 */
#define FILL_ROUNDS TUNED_FROM(3, 6)
/** TESTED_PAGES - pages that are tested in each trial, or all where there are fewer */
#define TESTED_PAGES TUNED(256)
/** FEW_TRIALS - trials of an estimate that another test confirms */
#define FEW_TRIALS TUNED_FROM(3, 5)
/** TRIAL_PATIENCE - times as many trials, with those that were disturbed */
#define TRIAL_PATIENCE TUNED(4)
/**
 * SETTLE_ROUNDS - rounds of a cycle until what was in the set before has no effect
 */
#define SETTLE_ROUNDS TUNED_FROM(32, 32)

#endif
