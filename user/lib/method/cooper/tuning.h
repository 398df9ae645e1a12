/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - lengths of samples and steps that the paper does not give: time,
 * no answer.
 */
#ifndef PROBE_PHYS_METHOD_COOPER_TUNING_H
#define PROBE_PHYS_METHOD_COOPER_TUNING_H

#include "base/tuned.h"

/** RISE_PARTS - parts of the step between two footprints where latency rises */
#define RISE_PARTS TUNED(8)
/** RISE_PARTS_LONG - the same of footprints that take long */
#define RISE_PARTS_LONG TUNED(4)
/** COLD_SAMPLES - samples of flushed lines */
#define COLD_SAMPLES TUNED(16)
/**
 * STEPS_PER_SAMPLE - steps of the clock in a sample of the fastest string: the
 * paper's 1,000 (IV-A) are more than whole cycles need
 */
#define STEPS_PER_SAMPLE TUNED(200)
/** LEAST_LOADS - loads of a sample, at least */
#define LEAST_LOADS TUNED(2000)
/** MOST_LOADS - loads of a sample, at most */
#define MOST_LOADS TUNED((1U << 20))
/**
 * ADDS - additions of the clock's control: long, for coarse clocks; few, as it
 * runs before each pass
 */
#define ADDS TUNED((1U << 14))
/** ADD_TRIALS - trials of these, at first */
#define ADD_TRIALS TUNED(15)
/** ADD_TRIALS_AGAIN - and before each pass */
#define ADD_TRIALS_AGAIN TUNED(3)
/**
 * TIME_WARM_ROUNDS - rounds before a sample: policies that are not LRU settle
 * meanwhile
 */
#define TIME_WARM_ROUNDS TUNED(2)
/** SHORT_WARMUP_LOADS - strings of more loads have one sample */
#define SHORT_WARMUP_LOADS TUNED((1U << 16))
/**
 * LONG_LOADS - strings of more loads have fewer trials, for equal total time,
 * ...
 */
#define LONG_LOADS TUNED((1U << 12))
/** LEAST_PATIENCE - ... but at least this many after the first one */
#define LEAST_PATIENCE TUNED(2)
/** REFINED - strings between two of the grid that are timed together */
#define REFINED TUNED(16)
/** BRIEF - samples are shorter by this factor than those of caches */
#define BRIEF TUNED(16)
/** TLB_LEAST_LOADS - loads of a sample, at least */
#define TLB_LEAST_LOADS TUNED(2000)

#endif
