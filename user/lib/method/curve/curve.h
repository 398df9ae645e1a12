/* SPDX-License-Identifier: GPL-2.0 */
/*
 * curve.h - levels of a curve of latency, without a threshold (Cooper,
 * Sandoval: Portable Techniques to Find Effective Memory Hierarchy Parameters,
 * section V).
 *
 * Pure computation on points; knows no machine. Called by cooper/ and by
 * fuzzing. Returns the levels or the reason why there are none
 * (result/curve.h); -ENOMEM is the only error. parts.h is private to this
 * folder.
 */
#ifndef PROBE_PHYS_METHOD_CURVE_CURVE_H
#define PROBE_PHYS_METHOD_CURVE_CURVE_H

#include "result/curve.h"

/**
 * curve_analyse() - find the levels of a curve
 * @points: @count of them
 * @r: (out) undecided, with a reason, for: no or few points, values that are
 *     not numbers above 0, x not ascending, too many points, falling latency,
 *     noise, a slope without levels, too many levels
 *
 * Isotonic regression, Gaussian smoothing over log2 x, peaks of the density of
 * log2 latency, and the nearest step function to the curve before smoothing, by
 * dynamic programming (V-A to V-C). parts.h says where the paper leaves details
 * open. A step ends at the last point at which at most one load in 24 paid the
 * price of the next level, or whose difference is within noise; never where
 * latency is 12 % above the level.
 *
 * At most CURVE_MOST_STEPS * CURVE_MOST_POINTS^2 steps of work.
 * Return: 0 or -ENOMEM.
 */
int curve_analyse(const struct curve_point *points, size_t count,
		  struct curve_result *r);

#endif
