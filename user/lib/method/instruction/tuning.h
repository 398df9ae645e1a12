/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - what measuring code spends on memory and jumps: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_INSTRUCTION_TUNING_H
#define PROBE_PHYS_METHOD_INSTRUCTION_TUNING_H

#include "base/tuned.h"

/** CONTROL_TRIES - times of what may be the control, of which the least counts */
#define CONTROL_TRIES TUNED(3)

/** FEW_TRIES - more of these, while fewer lines take less */
#define FEW_TRIES TUNED(16)

/** COST_TRIES - times of what misses and of what hits, of which the least count */
#define COST_TRIES TUNED(5)

/** MISS_ATTEMPTS - at what a miss costs, of which two ways have to agree in one */
#define MISS_ATTEMPTS TUNED(3)

/**
 * SAMPLE_RETURNS - of each sample: microseconds, as each costs a misprediction. A
 * hypervisor that took over 33,000 times a second left next to no sample of 500 alone
 */
#define SAMPLE_RETURNS TUNED(200)
/** AGAIN_MS - pause before what was unclear is looked at again */
#define AGAIN_MS TUNED(100)

#endif
