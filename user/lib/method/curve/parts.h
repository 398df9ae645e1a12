/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parts.h - the parts of the analysis of a curve (curve.h), each by
 * itself.
 *
 * Latencies are log2 of cycles in all of them: levels lie factors apart, and a
 * cycle more matters beside 4 cycles, not beside 300.
 */
#ifndef PROBE_PHYS_METHOD_CURVE_PARTS_H
#define PROBE_PHYS_METHOD_CURVE_PARTS_H

#include "method/curve/curve.h"

/** CURVE_WINDOW_X - a level is at least twice as large as the one before (V-B):
 * the width of the filter, in octaves of x
 */
#define CURVE_WINDOW_X 1.0
/** CURVE_WINDOW_Y - a miss costs at least 25 % more (V-B): log2(1.25) */
#define CURVE_WINDOW_Y 0.32192809488736235

/**
 * curve_isotonic() - the rising function that is nearest to @y
 * @y: @count values
 * @rising: (out) the same number, none below the one before
 * @scratch: room for 2 * @count values
 * @blocks: room for @count numbers
 *
 * Pool adjacent violators (Robertson, Wright, Dykstra 1988) for the sum of
 * absolute differences: a pool has its lower median. The paper pools by means,
 * and then one disturbed point raises all that follow it up to the next rise.
 * Of a tie the lower side holds, as what disturbs only adds time. At most
 * @count^2 steps.
 */
void curve_isotonic(const double *y, size_t count, double *rising,
		    double *scratch, size_t *blocks);

/**
 * curve_smooth() - a Gaussian filter over log2 x, CURVE_WINDOW_X wide
 * @x: log2 of x, ascending; @count of them
 * @smooth: (out) what rises still rises
 *
 * Points off the ends are not made up: the weights of those there are add up to
 * one. At most @count^2 steps.
 */
void curve_smooth(const double *x, const double *y, size_t count,
		  double *smooth);

/**
 * curve_density() - how much of the curve lies at which latency, and its peaks
 * @x: log2 of x, ascending; @count of them, at least 2
 * @y: log2 of latency, rising
 * @d: (out) all but what does not fit: peaks beyond CURVE_MOST_STEPS
 *
 * What lies between two points counts, too: each stretch is spread evenly over
 * the bins between its ends. Points alone would each make a peak on a steep
 * slope. A peak stands out by more than one point does, and by more than a
 * quarter of an octave, which is a point of the paper's sweeps.
 * Return: peaks there are, also those that do not fit; 0: the latencies span too
 * much for the bins, or nothing stands out.
 */
size_t curve_density(const double *x, const double *y, size_t count,
		     struct curve_density *d);

/** struct curve_band - what the height of a step may be */
struct curve_band {
	double low;
	double high;
};

/**
 * curve_fit_steps() - the step function that is nearest
 * @y: @count values, rising
 * @bands: of each step but the last; @steps at least 1
 * @ends: (out) the index of each step's last point; of the last one @count - 1
 *
 * A step is as high as its last point, which is its highest (V-C: worst-case
 * latency), and costs the sum of squares that its points lie below it: so a
 * long level is not stretched into the rise behind it. Dynamic programming,
 * O(steps * count^2) with sums of prefixes. Of a tie the earlier ends hold.
 * Return: 0; -ENOENT when no step function has such heights; -ENOMEM.
 */
int curve_fit_steps(const double *y, size_t count,
		    const struct curve_band *bands, size_t steps, size_t *ends);

#endif
