/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - how often frequency and registers are timed: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_CORE_TUNING_H
#define PROBE_PHYS_METHOD_CORE_TUNING_H

#include "base/tuned.h"

/** FREQUENCY_TRIALS - timings of each chain */
#define FREQUENCY_TRIALS TUNED(15)
/** CHAINS - chains of additions that have to agree */
#define CHAINS TUNED(5)
/** FREQUENCY_ADDS - additions of a chain: long, for coarse timers */
#define FREQUENCY_ADDS TUNED((1 << 17))
/** FREQUENCY_PAUSE_MS - pause between two chains */
#define FREQUENCY_PAUSE_MS TUNED(2)
/** SEARCHES - searches for the step */
#define SEARCHES TUNED(3)
/** REGISTER_ATTEMPTS - at each type, until one is clear */
#define REGISTER_ATTEMPTS TUNED_FROM(2, 4)
/** PAIRS - timings of each pair */
#define PAIRS TUNED(5)

#endif
