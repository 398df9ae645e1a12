/* SPDX-License-Identifier: GPL-2.0 */
/*
 * curve.h - where a curve of latency rises, without a threshold (Cooper,
 * Sandoval: Portable Techniques to Find Effective Memory Hierarchy Parameters,
 * section V).
 */
#ifndef PROBE_PHYS_CURVE_H
#define PROBE_PHYS_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/** CURVE_MOST_STEPS - most levels that are told apart, memory included */
#define CURVE_MOST_STEPS 8
/** CURVE_BINS - most bins of the histogram of latencies */
#define CURVE_BINS 1024
/** CURVE_MOST_POINTS - more are refused */
#define CURVE_MOST_POINTS 4096

/**
 * struct curve_point - one reference string
 * @x: what grows: bytes of a footprint, reach in bytes; above 0, ascending
 * @y: cycles per load, above 0
 */
struct curve_point {
	double x;
	double y;
};

/**
 * struct curve_step - a level
 * @end: the last x before latency begins to rise: the effective capacity. Of
 *       the last step that of the last point: not a capacity
 * @latency: height of the step, in the unit of y
 */
struct curve_step {
	double end;
	double latency;
};

/**
 * struct curve_density - how many points have a latency: what levels come from
 * @low: log2 of the y that the first bin begins at
 * @width: of a bin, in log2 of y
 * @bins: in use
 * @raw: points of each bin
 * @smooth: the same behind a Gaussian filter of window log2(1.25)
 * @peaks: bins that are local maxima of @smooth, ascending; @peak_count of them
 */
struct curve_density {
	double low;
	double width;
	size_t bins;
	double raw[CURVE_BINS];
	double smooth[CURVE_BINS];
	size_t peaks[CURVE_MOST_STEPS];
	size_t peak_count;
};

/**
 * struct curve_result - what a curve says
 * @decided: @steps hold
 * @reason: in words, where they do not
 * @steps: @step_count of them, from the fastest on; a single one: flat
 * @density: what they were counted by
 */
struct curve_result {
	bool decided;
	char reason[256];
	struct curve_step steps[CURVE_MOST_STEPS];
	size_t step_count;
	struct curve_density density;
};

/**
 * curve_analyse() - the levels of a curve
 * @points: @count of them
 * @r: (out) undecided, with a reason, where the data are none: empty, one point,
 *     not a number, not ascending, too many, constant noise, more levels than
 *     can be told
 * Return: 0 or -ENOMEM.
 */
int curve_analyse(const struct curve_point *points, size_t count,
		  struct curve_result *r);

#endif
