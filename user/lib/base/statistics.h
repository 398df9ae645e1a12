/* SPDX-License-Identifier: GPL-2.0 */
/*
 * statistics.h - quantiles and robust means of a few values.
 *
 * For all that measures. Knows neither machines nor samples: a value is a
 * number of whatever unit, and the result has the same unit. No errors: of no
 * values the result is 0 where nothing else is said.
 */
#ifndef PROBE_PHYS_BASE_STATISTICS_H
#define PROBE_PHYS_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/** STATISTICS_MOST - most values of the functions that keep their order */
#define STATISTICS_MOST 64

/** statistics_quantile() - sorts @values and gives the q-quantile (0..1) */
double statistics_quantile(double *values, size_t count, double q);

/** statistics_peek() - the same of at most STATISTICS_MOST values, whose order
 * stays
 */
double statistics_peek(const double *values, size_t count, double q);

/**
 * statistics_low_mean() - mean of the lower half of at most STATISTICS_MOST
 * values, whose order stays
 *
 * Disturbance is in the upper half, and in a mean the steps of a coarse clock
 * are finer than in a quantile.
 */
double statistics_low_mean(const double *values, size_t count);

/**
 * statistics_overhead() - time of an empty measurement: the median of many
 * @pairs: @count measurements, sorted afterwards
 * @resolution_ticks: step of the clock
 *
 * A clock whose step is longer than this time shows one of two values,
 * and which of them comes more often is chance: the mean is right then.
 */
double statistics_overhead(double *pairs, size_t count,
			   double resolution_ticks);

/** statistics_middle() - mean of the values between the quartiles
 * @values: at most STATISTICS_MOST, whose order stays
 *
 * Bursts of disturbance are few, and the steps of a coarse clock average out.
 * Return: the mean; NAN of no values.
 */
double statistics_middle(const double *values, size_t count);

/** statistics_near_middle() - the same with all values that differ from the median
 * by one step of the clock at most
 * @step: what a step adds to a value; 0: statistics_middle()
 *
 * A time that is little more than a multiple of a step shows a step more in few
 * samples only; without these the mean is too small.
 */
double statistics_near_middle(const double *values, size_t count, double step);

/**
 * statistics_sigmas() - how many standard deviations a normal variable is off with
 * probability @alpha, to either side
 * @alpha: above 0, below 1
 */
double statistics_sigmas(double alpha);

/**
 * statistics_binomial_tail() - probability of @hits or more of @trials independent
 * events
 * @rate: of each, above 0, below 1
 * Return: at most 1, whatever rounding adds.
 */
double statistics_binomial_tail(uint64_t hits, uint64_t trials, double rate);

#endif
