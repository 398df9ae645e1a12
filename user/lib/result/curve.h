/* SPDX-License-Identifier: GPL-2.0 */
/* curve.h - a curve of latency, and the levels that were found in it. */
#ifndef PROBE_PHYS_RESULT_CURVE_H
#define PROBE_PHYS_RESULT_CURVE_H

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
 * @latency: height of the step, in the unit of y: the middle of the points on the
 *           level, where the paper takes the highest, which one disturbed point
 *           is enough for
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
 * @raw: points of each bin, each stretch between two spread over what it crosses
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
 * @steps: @step_count of them, from the fastest on; a single one: flat, a level
 *         that the sweep has not left, so there is no capacity
 * @open: latency still rises at the last point: what the last step would become
 *        is not known, and its latency is no more than that of the last point
 * @density: what they were counted by; no @bins where it did not come to that
 */
struct curve_result {
	bool decided;
	char reason[256];
	struct curve_step steps[CURVE_MOST_STEPS];
	size_t step_count;
	bool open;
	struct curve_density density;
};

#endif
