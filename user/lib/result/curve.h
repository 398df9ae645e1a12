/* SPDX-License-Identifier: GPL-2.0 */
/* curve.h - a curve of latency, and the levels that were found in it. */
#ifndef PROBE_PHYS_RESULT_CURVE_H
#define PROBE_PHYS_RESULT_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/** CURVE_MOST_STEPS - most levels of a curve, memory included */
#define CURVE_MOST_STEPS 8
/** CURVE_BINS - most bins of the histogram of latencies */
#define CURVE_BINS 1024
/** CURVE_MOST_POINTS - most points of a curve; longer curves are refused */
#define CURVE_MOST_POINTS 4096

/**
 * struct curve_point - one reference string
 * @x: bytes of its footprint, or its reach in bytes; above 0, ascending
 * @y: cycles per load, above 0
 */
struct curve_point {
	double x;
	double y;
};

/**
 * struct curve_step - a level
 * @end: the last x before latency begins to rise: the effective capacity. The
 *       last step ends at the last point, which is no capacity
 * @latency: height of the step: the median of its points, in the unit of y.
 *           (The paper takes the highest point, which a single disturbance can
 *           raise.)
 */
struct curve_step {
	double end;
	double latency;
};

/**
 * struct curve_density - the distribution of latencies, whose peaks are levels
 * @low: log2 of the y that the first bin begins at
 * @width: width of a bin, in log2 of y
 * @bins: number of bins in use
 * @raw: points per bin; the stretch between two points is spread over the bins
 *       it crosses
 * @smooth: @raw after a Gaussian filter of window log2(1.25)
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
 * struct curve_result - the levels of a curve
 * @decided: @steps are valid
 * @reason: why they are not
 * @steps: @step_count of them, fastest first; a single one: the curve is flat,
 *         so there is no capacity
 * @open: latency still rises at the last point: the last step is incomplete and
 *        has the latency of that point
 * @density: the distribution whose peaks are the levels; without bins if it was
 *           not needed
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
