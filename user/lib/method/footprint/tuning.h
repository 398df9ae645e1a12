/* SPDX-License-Identifier: GPL-2.0 */
/* tuning.h - what footprints spend on samples and placements: time, no answer. */
#ifndef PROBE_PHYS_METHOD_FOOTPRINT_TUNING_H
#define PROBE_PHYS_METHOD_FOOTPRINT_TUNING_H

#include "base/tuned.h"

/** FOOTPRINT_LOADS - loads of a sample */
#define FOOTPRINT_LOADS TUNED(4096)
/** FOOTPRINT_SAMPLES - samples of a latency */
#define FOOTPRINT_SAMPLES TUNED_FROM(2, 2)
/** SWEEP_SAMPLES - samples of a footprint of the curve */
#define SWEEP_SAMPLES TUNED_FROM(2, 4)
/** COLD_SAMPLES - of a footprint that is flushed; no more than SWEEP_SAMPLES */
#define COLD_SAMPLES TUNED_FROM(1, 2)
/** WARM_ROUNDS - before the first sample */
#define WARM_ROUNDS TUNED_FROM(1, 1)
/** MOST_SWEEPS - of which two have to agree */
#define MOST_SWEEPS TUNED_FROM(2, 6)
/** EACH_ROUNDS - of lines that are timed one by one, and as many before */
#define EACH_ROUNDS TUNED_FROM(2, 4)
/** DROP_ROUNDS - lists of which lines that hit above are dropped */
#define DROP_ROUNDS TUNED(12)
/** LATENCY_ATTEMPTS - looks at a plateau while other load disturbs them */
#define LATENCY_ATTEMPTS TUNED(3)
/** LATENCY_APART_MS - pause between two of them */
#define LATENCY_APART_MS TUNED(40)

#endif
