// SPDX-License-Identifier: GPL-2.0
/* density.c - levels are latencies that much of a curve lies at. */
#include "method/curve/parts.h"
#include "method/curve/tuning.h"

#include <math.h>
#include <string.h>

/* The window is as wide as two deviations to each side: two levels that are one
 * window apart are four deviations apart, and two peaks.
 */
#define DEVIATION_Y (CURVE_WINDOW_Y / 4)
/* Bins of a window, where there are enough of them; and the fewest. */
#define FEWEST_OF_WINDOW 8
/*
 * Part of an octave between points of the paper's sweeps (note 2: four per
 * octave).
 */
#define POINT_OCTAVES 0.25

/* Bins from @low on, with the reach of the filter at both ends. */
static bool lay_bins(double low, double high, struct curve_density *d)
{
	double margin = REACH * DEVIATION_Y;
	double span = high - low + 2 * margin;

	d->width =
		fmax(CURVE_WINDOW_Y / BINS_OF_WINDOW, span / (CURVE_BINS - 1));
	d->low = low - margin;
	d->bins = (size_t)ceil(span / d->width);
	if (d->bins > CURVE_BINS)
		d->bins = CURVE_BINS;
	return d->width * FEWEST_OF_WINDOW <= CURVE_WINDOW_Y;
}

/* Spread @points evenly between two latencies. */
static void spread(struct curve_density *d, double from, double to,
		   double points)
{
	double a = (from - d->low) / d->width, b = (to - d->low) / d->width;
	size_t first = (size_t)a, last = (size_t)b;

	if (first == last) {
		d->raw[first] += points;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		double begin = fmax(a, (double)i);
		double end = fmin(b, (double)(i + 1));

		d->raw[i] += points * (end - begin) / (b - a);
	}
}

static void filter(struct curve_density *d)
{
	double deviation = DEVIATION_Y / d->width;
	size_t reach = (size_t)(REACH * deviation);

	for (size_t i = 0; i < d->bins; i++) {
		size_t first = i > reach ? i - reach : 0;
		double sum = 0;

		for (size_t j = first; j < d->bins && j <= i + reach; j++) {
			double off = ((double)j - (double)i) / deviation;

			sum += d->raw[j] * exp(-off * off / 2);
		}
		d->smooth[i] = sum / (deviation * sqrt(2 * M_PI));
	}
}

/*
 * Prominence: the least descent on any way from a peak to a higher one. Of two
 * equal peaks the first one counts as higher.
 */
static double stands_out(const struct curve_density *d, size_t peak)
{
	double height = d->smooth[peak], left = height, right = height;
	size_t i = peak;

	while (i && d->smooth[i - 1] < height)
		left = fmin(left, d->smooth[--i]);
	if (!i)
		left = 0;
	for (i = peak + 1; i < d->bins && d->smooth[i] <= height; i++)
		right = fmin(right, d->smooth[i]);
	if (i == d->bins)
		right = 0;
	return height - fmax(left, right);
}

static size_t find_peaks(struct curve_density *d, double least)
{
	size_t found = 0;

	for (size_t i = 1; i + 1 < d->bins; i++) {
		/* From not falling to falling. */
		if (d->smooth[i] < d->smooth[i - 1] ||
		    d->smooth[i] <= d->smooth[i + 1] ||
		    stands_out(d, i) < least)
			continue;
		if (found < CURVE_MOST_STEPS)
			d->peaks[d->peak_count++] = i;
		found++;
	}
	return found;
}

size_t curve_density(const double *x, const double *y, size_t count,
		     struct curve_density *d)
{
	double octave = (double)(count - 1) / (x[count - 1] - x[0]);
	double least = fmax(1, octave * POINT_OCTAVES);

	memset(d, 0, sizeof(*d));
	if (!lay_bins(y[0], y[count - 1], d))
		return 0;
	for (size_t i = 0; i + 1 < count; i++)
		spread(d, y[i], y[i + 1], octave * (x[i + 1] - x[i]));
	filter(d);
	return find_peaks(d, least * d->width / (DEVIATION_Y * sqrt(2 * M_PI)));
}
