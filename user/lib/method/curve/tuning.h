/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuning.h - how finely densities are drawn: time, no answer.
 */
#ifndef PROBE_PHYS_METHOD_CURVE_TUNING_H
#define PROBE_PHYS_METHOD_CURVE_TUNING_H

#include "base/tuned.h"

/** BINS_OF_WINDOW - bins of a window, where there are enough points */
#define BINS_OF_WINDOW TUNED(64)
/** REACH - reach of the filter, in standard deviations */
#define REACH TUNED(5)

#endif
