// SPDX-License-Identifier: GPL-2.0
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step of a clock is itself measured: two values that differ by one step may
 * differ by a little more.
 */
#define NEARLY_ONE 1.01
#define SQRT_HALF 0.70710678118654752
#define SQRT_HALF_PI 1.2533141373155003
/* From Chernoff's bound five are exact, for any error above 1e-300. */
#define NEWTON_STEPS 8

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

double statistics_quantile(double *values, size_t count, double q)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), by_value);
	return values[(size_t)(q * (double)(count - 1) + 0.5)];
}

double statistics_peek(const double *values, size_t count, double q)
{
	double sorted[STATISTICS_MOST];

	for (size_t i = 0; i < count; i++)
		sorted[i] = values[i];
	return statistics_quantile(sorted, count, q);
}

double statistics_low_mean(const double *values, size_t count)
{
	double sorted[STATISTICS_MOST], sum = 0;
	size_t half = (count + 1) / 2;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = values[i];
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (size_t i = 0; i < half; i++)
		sum += sorted[i];
	return sum / (double)half;
}

static double mean_between(const double *sorted, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += sorted[i];
	return sum / (double)(to - from);
}

double statistics_overhead(double *pairs, size_t count, double resolution_ticks)
{
	double median = statistics_quantile(pairs, count, 0.5);
	size_t tail = count / 20;

	if (count <= 2 * tail || pairs[count - tail - 1] - pairs[tail] >
					 resolution_ticks * NEARLY_ONE)
		return median;
	return mean_between(pairs, tail, count - tail);
}

double statistics_middle(const double *values, size_t count)
{
	return statistics_near_middle(values, count, 0);
}

double statistics_near_middle(const double *values, size_t count, double step)
{
	double sorted[STATISTICS_MOST], median, reach = step * NEARLY_ONE;
	size_t from, to;

	if (count > STATISTICS_MOST)
		count = STATISTICS_MOST;
	if (!count)
		return NAN;
	memcpy(sorted, values, count * sizeof(*values));
	median = statistics_quantile(sorted, count, 0.5);
	from = count / 4;
	to = count - count / 4;
	/* Without a step equal values beyond a quartile would weigh one side.
	 */
	while (step > 0 && from && median - sorted[from - 1] <= reach)
		from--;
	while (step > 0 && to < count && sorted[to] - median <= reach)
		to++;
	return mean_between(sorted, from, to);
}

/* Newton's method on the logarithm, which is concave: from above, where Chernoff's
 * bound exp(-s * s / 2) begins, it does not overshoot.
 */
double statistics_sigmas(double alpha)
{
	double sigmas = sqrt(-2 * log(alpha));

	for (int i = 0; i < NEWTON_STEPS; i++) {
		const double tail = erfc(sigmas * SQRT_HALF);
		const double slope = exp(-sigmas * sigmas / 2) / tail;

		sigmas += log(tail / alpha) * SQRT_HALF_PI / slope;
	}
	return sigmas;
}

double statistics_binomial_tail(uint64_t hits, uint64_t trials, double rate)
{
	double sum = 0;

	for (uint64_t k = hits; k <= trials; k++)
		sum += exp(lgamma((double)trials + 1) - lgamma((double)k + 1) -
			   lgamma((double)(trials - k) + 1) +
			   (double)k * log(rate) +
			   (double)(trials - k) * log1p(-rate));
	return fmin(sum, 1);
}
