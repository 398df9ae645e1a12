/* SPDX-License-Identifier: GPL-2.0 */
/*
 * curve.h - where a curve of latency rises, without a threshold (Cooper,
 * Sandoval: Portable Techniques to Find Effective Memory Hierarchy Parameters,
 * section V).
 */
#ifndef PROBE_PHYS_METHOD_CURVE_CURVE_H
#define PROBE_PHYS_METHOD_CURVE_CURVE_H

#include "result/curve.h"

/**
 * curve_analyse() - the levels of a curve
 * @points: @count of them
 * @r: (out) undecided, with a reason, where the data are none: empty, few points,
 *     not a number, not above 0, not ascending, too many, falling, noise, a
 *     slope without levels, more levels than can be told
 *
 * Isotonic regression, Gaussian smoothing over log2 x, peaks of the density of
 * log2 latency, and the nearest step function to what was not smoothed, found by
 * dynamic programming (V-A to V-C). What the paper leaves open is said in
 * parts.h. A step ends at the last point that one load in 24 at most
 * paid the next level's price for, or that noise does not let be told from it;
 * never where latency is 12 % above the level.
 *
 * At most CURVE_MOST_STEPS * CURVE_MOST_POINTS^2 steps of work.
 * Return: 0 or -ENOMEM.
 */
int curve_analyse(const struct curve_point *points, size_t count,
		  struct curve_result *r);

#endif
