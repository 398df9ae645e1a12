// SPDX-License-Identifier: GPL-2.0
/* The parts of the analysis of a curve, against all that can be tried. */
#include <errno.h>
#include <math.h>

#include "base/rng.h"
#include "method/curve/parts.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

#define MOST 7
#define VALUES 5

static double differences(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += fabs(a[i] - b[i]);
	return sum;
}

/* The nearest of all rising functions of 0 to VALUES - 1. */
static double nearest_by_trial(const double *y, size_t count, double least,
			       double so_far)
{
	double best = INFINITY;

	if (!count)
		return so_far;
	for (double value = least; value < VALUES; value++)
		best = fmin(best, nearest_by_trial(y + 1, count - 1, value,
						   so_far + fabs(*y - value)));
	return best;
}

START_TEST(isotonic_is_nearest)
{
	struct rng rng = { from_environment("PROBE_PHYS_SEED", 1) };
	double y[MOST], rising[MOST], room[2 * MOST];
	size_t blocks[MOST];

	for (int i = 0; i < 2000; i++) {
		size_t count = 1 + rng_below(&rng, MOST);

		for (size_t k = 0; k < count; k++)
			y[k] = (double)rng_below(&rng, VALUES);
		curve_isotonic(y, count, rising, room, blocks);
		for (size_t k = 1; k < count; k++)
			ck_assert_double_ge(rising[k], rising[k - 1]);
		ck_assert_double_eq(differences(y, rising, count),
				    nearest_by_trial(y, count, 0, 0));
	}
}
END_TEST

START_TEST(isotonic_by_hand)
{
	static const struct {
		double y[MOST];
		double rising[MOST];
	} table[] = {
		{ { 1, 2, 3, 4, 5, 6, 7 }, { 1, 2, 3, 4, 5, 6, 7 } },
		{ { 7, 6, 5, 4, 3, 2, 1 }, { 4, 4, 4, 4, 4, 4, 4 } },
		/* Raised, before the rise; the lower one of a tie. */
		{ { 4, 4, 4, 9, 4, 12, 12 }, { 4, 4, 4, 4, 4, 12, 12 } },
		{ { 4, 90, 4, 4, 4, 12, 12 }, { 4, 4, 4, 4, 4, 12, 12 } },
		/* Lowered. */
		{ { 4, 4, 12, 12, 12, 6, 12 }, { 4, 4, 12, 12, 12, 12, 12 } },
	};
	double rising[MOST], room[2 * MOST];
	size_t blocks[MOST];

	curve_isotonic(table[_i].y, MOST, rising, room, blocks);
	ck_assert_double_eq(differences(rising, table[_i].rising, MOST), 0);
}
END_TEST

static double cost_of(const double *y, size_t first, size_t last)
{
	double sum = 0;

	for (size_t i = first; i <= last; i++)
		sum += (y[last] - y[i]) * (y[last] - y[i]);
	return sum;
}

/* The cheapest of all ways to cut what begins at @first. */
static double steps_by_trial(const double *y, size_t first, size_t count,
			     const struct curve_band *bands, size_t steps)
{
	double best = INFINITY;

	if (steps == 1)
		return first < count ? cost_of(y, first, count - 1) : INFINITY;
	for (size_t end = first; end + 1 < count; end++)
		if (y[end] >= bands->low && y[end] <= bands->high)
			best = fmin(best,
				    cost_of(y, first, end) +
					    steps_by_trial(y, end + 1, count,
							   bands + 1,
							   steps - 1));
	return best;
}

START_TEST(steps_are_nearest)
{
	struct rng rng = { from_environment("PROBE_PHYS_SEED", 1) };
	unsigned int none = 0;

	for (int i = 0; i < 2000; i++) {
		size_t count = 1 + rng_below(&rng, 10), ends[4], first = 0;
		size_t steps = 1 + rng_below(&rng, 4);
		struct curve_band bands[4];
		double y[10], best, cost = 0, at = -5;
		int error;

		for (size_t k = 0; k < count; k++)
			y[k] = at +=
				(double)rng_below(&rng, 4) * rng_uniform(&rng);
		for (size_t k = 0; k < steps; k++) {
			bands[k].low = -8 + 8 * rng_uniform(&rng);
			bands[k].high = bands[k].low + 12 * rng_uniform(&rng);
		}
		best = steps_by_trial(y, 0, count, bands, steps);
		error = curve_fit_steps(y, count, bands, steps, ends);
		if (isinf(best)) {
			ck_assert_int_eq(error, -ENOENT);
			none++;
			continue;
		}
		ck_assert_int_eq(error, 0);
		ck_assert_uint_eq(ends[steps - 1], count - 1);
		for (size_t k = 0; k < steps; first = ends[k++] + 1) {
			ck_assert_uint_ge(ends[k], first);
			if (k + 1 < steps)
				ck_assert(y[ends[k]] >= bands[k].low &&
					  y[ends[k]] <= bands[k].high);
			cost += cost_of(y, first, ends[k]);
		}
		ck_assert_double_eq_tol(cost, best, 1e-9);
	}
	ck_assert(none > 100 && none < 1900);
}
END_TEST

/* Either end costs as much: the smaller capacity is the safe one. */
START_TEST(of_a_tie_the_earlier_end)
{
	double y[] = { 0, 1, 2 };
	struct curve_band any = { -INFINITY, INFINITY };
	size_t ends[2];

	ck_assert_int_eq(curve_fit_steps(y, 3, &any, 2, ends), 0);
	ck_assert_uint_eq(ends[0], 0);
}
END_TEST

START_TEST(smooth_still_rises)
{
	struct rng rng = { from_environment("PROBE_PHYS_SEED", 1) };
	double x[60], y[60], smooth[60];

	for (int i = 0; i < 200; i++) {
		double octave = 0, level = 0;

		for (size_t k = 0; k < 60; k++) {
			octave += 0.01 + 0.3 * rng_uniform(&rng);
			level += !rng_below(&rng, 10);
			x[k] = octave;
			y[k] = level;
		}
		curve_smooth(x, y, 60, smooth);
		for (size_t k = 1; k < 60; k++)
			ck_assert_double_ge(smooth[k], smooth[k - 1] - 1e-12);
		ck_assert_double_ge(smooth[0], y[0] - 1e-12);
		ck_assert_double_le(smooth[59], y[59] + 1e-12);
	}
}
END_TEST

START_TEST(smooth_reaches_half_a_window)
{
	double x[] = { 0, 0.3, 0.6, 1, 1.4, 1.7, 2 };
	double y[] = { 0, 0, 0, 7, 0, 0, 0 }, smooth[7];

	curve_smooth(x, y, 7, smooth);
	ck_assert_double_eq(smooth[0], 0);
	ck_assert_double_eq(smooth[1], 0);
	ck_assert_double_gt(smooth[2], 0);
	ck_assert_double_gt(smooth[3], smooth[2]);
	ck_assert_double_lt(smooth[3], 7);
	ck_assert_double_eq_tol(smooth[4], smooth[2], 1e-9);
	ck_assert_double_eq(smooth[5], 0);
}
END_TEST

/* Two levels and a steep slope, over which there are as many points. */
START_TEST(peaks_are_levels)
{
	static struct curve_density d;
	double x[18], y[18], raw = 0, smooth = 0;

	for (size_t i = 0; i < 18; i++) {
		x[i] = (double)i / 4;
		y[i] = i < 6 ? 2 : i > 11 ? 9 : 2 + (double)(i - 5);
	}
	ck_assert_uint_eq(curve_density(x, y, 18, &d), 2);
	ck_assert_uint_eq(d.peak_count, 2);
	ck_assert_uint_le(d.bins, CURVE_BINS);
	for (size_t i = 0; i < 2; i++) {
		double at = d.low + ((double)d.peaks[i] + 0.5) * d.width;

		ck_assert_double_eq_tol(at, i ? 9 : 2, d.width);
	}
	for (size_t i = 0; i < d.bins; i++) {
		raw += d.raw[i];
		smooth += d.smooth[i];
	}
	ck_assert_double_eq_tol(raw, 17, 1e-9);
	ck_assert_double_eq_tol(smooth, 17, 1e-3);
}
END_TEST

/* Two levels are distinguished from 25 % on, and one point is no level. */
START_TEST(least_level)
{
	static struct curve_density d;
	double x[24], y[24];

	for (int percent = 5; percent < 60; percent += 5) {
		for (size_t i = 0; i < 24; i++) {
			x[i] = (double)i / 4;
			y[i] = i < 12 ? 2 : 2 + log2(1 + percent / 100.0);
		}
		if (percent < 10 || percent >= 25)
			ck_assert_uint_eq(curve_density(x, y, 24, &d),
					  1 + (percent >= 25));
	}
	for (size_t i = 0; i < 24; i++)
		y[i] = i < 12 ? 2 : i > 12 ? 8 : 5;
	ck_assert_uint_eq(curve_density(x, y, 24, &d), 2);
	/* More than there are bins for. */
	for (size_t i = 0; i < 24; i++)
		y[i] = i < 12 ? 2 : 200;
	ck_assert_uint_eq(curve_density(x, y, 24, &d), 0);
}
END_TEST

TCase *make_curve_parts_case(void)
{
	TCase *t = tcase_create("curve parts");

	tcase_add_test(t, isotonic_is_nearest);
	tcase_add_loop_test(t, isotonic_by_hand, 0, 5);
	tcase_add_test(t, steps_are_nearest);
	tcase_add_test(t, of_a_tie_the_earlier_end);
	tcase_add_test(t, smooth_still_rises);
	tcase_add_test(t, smooth_reaches_half_a_window);
	tcase_add_test(t, peaks_are_levels);
	tcase_add_test(t, least_level);
	return t;
}
