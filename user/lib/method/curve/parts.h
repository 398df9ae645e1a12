/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parts.h - the steps of the analysis of a curve (curve.h). Private to this
 * folder.
 *
 * All latencies are log2 of cycles: levels differ by factors, and one cycle
 * matters for a latency of 4 cycles, not of 300.
 */
#ifndef PROBE_PHYS_METHOD_CURVE_PARTS_H
#define PROBE_PHYS_METHOD_CURVE_PARTS_H

#include "method/curve/curve.h"

/**
 * CURVE_WINDOW_X - width of the filter, in octaves of x: a level is at least
 * twice as large as the one before (V-B)
 */
#define CURVE_WINDOW_X 1.0
/** CURVE_WINDOW_Y - log2(1.25): a miss costs at least 25 % more (V-B) */
#define CURVE_WINDOW_Y 0.32192809488736235

/**
 * curve_isotonic() - the rising function that is nearest to @y
 * @y: @count values
 * @rising: (out) the same number, none below the one before
 * @scratch: room for 2 * @count values
 * @blocks: room for @count numbers
 *
 * Pool adjacent violators (Robertson, Wright, Dykstra 1988) for the sum of
 * absolute differences: the value of a pool is its lower median. With the means
 * of the paper, one disturbed point raises all later ones up to the next rise.
 * Ties go to the lower side, because disturbance only adds time. At most
 * @count^2 steps.
 */
void curve_isotonic(const double *y, size_t count, double *rising,
		    double *scratch, size_t *blocks);

/**
 * curve_smooth() - a Gaussian filter over log2 x, CURVE_WINDOW_X wide
 * @x: log2 of x, ascending; @count of them
 * @smooth: (out) rising, if @y is
 *
 * Beyond the ends there are no points: the weights of the existing ones add up
 * to one. At most @count^2 steps.
 */
void curve_smooth(const double *x, const double *y, size_t count,
		  double *smooth);

/**
 * curve_density() - distribution of latencies, and its peaks
 * @x: log2 of x, ascending; @count of them, at least 2
 * @y: log2 of latency, rising
 * @d: (out) without peaks beyond CURVE_MOST_STEPS
 *
 * The stretch between two points counts too, spread evenly over the bins
 * between its ends: points alone would make peaks on a steep slope. A peak must
 * be higher than that of one point, and of a quarter of an octave, the distance
 * of points in the paper.
 * Return: number of peaks, which may exceed CURVE_MOST_STEPS; 0: latencies span
 * too much for the bins, or nothing stands out.
 */
size_t curve_density(const double *x, const double *y, size_t count,
		     struct curve_density *d);

/** struct curve_band - range of the height of a step */
struct curve_band {
	double low;
	double high;
};

/**
 * curve_fit_steps() - the nearest step function
 * @y: @count values, rising
 * @bands: range of each step but the last; @steps at least 1
 * @ends: (out) index of the last point of each step; of the last step @count -
 *        1
 *
 * A step is as high as its last point, which is its highest (V-C: worst-case
 * latency). Its cost is the sum of squares of its points' distances from that
 * height: so a long level is not stretched into the next rise. Dynamic
 * programming, O(steps * count^2) with prefix sums. Of ties the earlier ends
 * win.
 * Return: 0; -ENOENT: no step function has such heights; -ENOMEM.
 */
int curve_fit_steps(const double *y, size_t count,
		    const struct curve_band *bands, size_t steps, size_t *ends);

#endif
