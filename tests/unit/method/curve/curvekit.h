/* SPDX-License-Identifier: GPL-2.0 */
/* curvekit.h - curves of latency whose steps are known. */
#ifndef PROBE_PHYS_UNIT_METHOD_CURVE_CURVEKIT_H
#define PROBE_PHYS_UNIT_METHOD_CURVE_CURVEKIT_H

#include "base/rng.h"
#include "method/curve/curve.h"

/** KNOWN_LEVELS - most levels of a known curve */
#define KNOWN_LEVELS 5
/** KNOWN_POINTS - most points of one */
#define KNOWN_POINTS 400

/**
 * struct known_level - a step as it was drawn
 * @latency: cycles
 * @first_end: index of the last point before the curve leaves it
 * @last_end: that of the last point that noise, or rounding to whole cycles,
 *            does not distinguish from it: the same where the rise is sharp
 */
struct known_level {
	double latency;
	size_t first_end;
	size_t last_end;
};

/**
 * struct known_curve - a curve, and what it was made of
 *
 * 2 to 5 levels, each 1.25 to 4.6 times slower than the one before and an
 * octave of x or more long behind its shoulder, which is up to an octave; 4 to
 * 12 points in each octave, evenly spaced over x or over log2 x; noise of up to
 * 3 % in all points, one in 50 raised up to fourfold, one in 100 lowered by up
 * to 30 %; of every third curve whole cycles.
 */
struct known_curve {
	struct curve_point points[KNOWN_POINTS];
	size_t count;
	struct known_level levels[KNOWN_LEVELS];
	size_t level_count;
};

/** known_curve_draw() - another one with each state of @rng */
void known_curve_draw(struct rng *rng, struct known_curve *k);

#endif
