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
/** WALK_ROUNDS - the same of caches of page walks, which are emptied before */
#define WALK_ROUNDS TUNED_FROM(2, 3)
/** TESTED_PAGES - pages that are tested in each trial, or all where there are fewer */
#define TESTED_PAGES TUNED(256)
/** FEW_TRIALS - trials of an estimate that another test confirms */
#define FEW_TRIALS TUNED_FROM(3, 5)
/** TESTS - tests of a trial without a pause, where clearing the bits disturbs */
#define TESTS TUNED(2)
/** FEW_QUIET_TRIALS - the same as FEW_TRIALS, where others disturb */
#define FEW_QUIET_TRIALS TUNED_FROM(4, 8)
/** SHORT_TRIALS - of these, until more is kept than is looked for */
#define SHORT_TRIALS TUNED_FROM(2, 2)
/** PROOFS - trials of whether accessed bits follow page walks */
#define PROOFS TUNED_FROM(2, 4)
/** SEARCH_ATTEMPTS - at an array for which two numbers of ways are possible */
#define SEARCH_ATTEMPTS TUNED_FROM(2, 4)
/** ALIKE_ATTEMPTS - at two shapes that should keep as many */
#define ALIKE_ATTEMPTS TUNED_FROM(2, 3)
/** LATER_ATTEMPTS - looks until one is quiet enough */
#define LATER_ATTEMPTS TUNED_FROM(2, 4)
/**
 * COLUMN_LOOKS - looks at single sets: a fifth of them decides, where these alone are
 * undisturbed
 */
#define COLUMN_LOOKS TUNED_FROM(256, 256)
/** COLUMN_ATTEMPTS - times as many, until they decide */
#define COLUMN_ATTEMPTS TUNED_FROM(4, 5)
/** MOST_AGAIN - looks at a set that keeps the most pages */
#define MOST_AGAIN TUNED_FROM(2, 64)
/** LOW_AGAIN - looks in a row that show fewer, and end these */
#define LOW_AGAIN TUNED(1)
/** FIT_LOOKS - sets at a time that are looked at for whether a number of pages fits */
#define FIT_LOOKS TUNED_FROM(128, 256)
/** FIT_AGAIN - looks at one of them, as long as they fit */
#define FIT_AGAIN TUNED(8)
/** TRIAL_PATIENCE - times as many trials, with those that were disturbed */
#define TRIAL_PATIENCE TUNED(4)
/**
 * SETTLE_ROUNDS - rounds of a cycle until what was in the set before has no effect
 */
#define SETTLE_ROUNDS TUNED_FROM(32, 32)

#endif
