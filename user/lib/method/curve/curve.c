// SPDX-License-Identifier: GPL-2.0
#include "method/curve/curve.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/curve/parts.h"
#include "observe/sampler.h"

/* Two levels have at least two points each. */
#define FEWEST_POINTS 4
/* With more than one point in this many off every rising curve, it is noise. */
#define OFF_ONE_IN 5
/*
 * With fewer than one point in this many on levels, it is a slope without
 * steps.
 */
#define LEVEL_ONE_IN 3
/*
 * A point is on a level if it is nearer to it than to the nearest possible
 * other level.
 */
#define NEAR (CURVE_WINDOW_Y / 2)
/*
 * Latency has begun to rise when one load in this many costs as much as in the
 * next level.
 */
#define RISE_ONE_IN 24
/* Deviations from a level that are noise. */
#define DEVIATIONS 2
#define DEVIATION_OF_MEDIAN 1.4826

/**
 * struct work - a curve during the analysis
 * @x: log2 of x; @count values
 * @y: log2 of latency
 * @rising: @y without decreases
 * @smooth: @rising, smoothed
 * @room: for 2 * @count values
 */
struct work {
	size_t count;
	double *x;
	double *y;
	double *rising;
	double *smooth;
	double *room;
	size_t *blocks;
};

/**
 * struct level - a peak of the density
 * @first, @last: points on it
 * @height: log2 of its latency
 * @noise: deviation of its points, in log2
 */
struct level {
	size_t first;
	size_t last;
	double height;
	double noise;
};

__attribute__((format(printf, 2, 3))) static bool
undecided(struct curve_result *r, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	vsnprintf(r->reason, sizeof(r->reason), why, args);
	va_end(args);
	return false;
}

static bool is_number(double value)
{
	return isfinite(value) && value > 0;
}

static bool are_data(const struct curve_point *points, size_t count,
		     struct curve_result *r)
{
	if (!count)
		return undecided(r, "the curve has no points");
	if (count > CURVE_MOST_POINTS)
		return undecided(r, "%zu points are more than %d", count,
				 CURVE_MOST_POINTS);
	for (size_t i = 0; i < count; i++) {
		if (!is_number(points[i].x) || !is_number(points[i].y))
			return undecided(r, "point %zu (%g, %g) is not above 0",
					 i + 1, points[i].x, points[i].y);
		if (i && points[i].x <= points[i - 1].x)
			return undecided(r, "x of point %zu does not ascend",
					 i + 1);
	}
	if (count < FEWEST_POINTS)
		return undecided(r,
				 "%zu points are too few for a level "
				 "and a rise",
				 count);
	if (points[count - 1].x < 2 * points[0].x)
		return undecided(r, "the points span less than an octave");
	return true;
}

static int begin(struct work *w, const struct curve_point *points, size_t count)
{
	w->count = count;
	w->x = malloc(6 * count * sizeof(*w->x));
	w->blocks = malloc(count * sizeof(*w->blocks));
	if (!w->x || !w->blocks)
		return -ENOMEM;
	w->y = w->x + count;
	w->rising = w->y + count;
	w->smooth = w->rising + count;
	w->room = w->smooth + count;
	for (size_t i = 0; i < count; i++) {
		w->x[i] = log2(points[i].x);
		w->y[i] = log2(points[i].y);
	}
	return 0;
}

static void end(struct work *w)
{
	free(w->x);
	free(w->blocks);
}

static size_t count_off(const struct work *w)
{
	size_t off = 0;

	for (size_t i = 0; i < w->count; i++)
		off += fabs(w->y[i] - w->rising[i]) > NEAR;
	return off;
}

static void mirror(double *y, size_t count)
{
	for (size_t i = 0; i < count; i++)
		y[i] = -y[i];
}

static bool rises(struct work *w, struct curve_result *r)
{
	size_t off, off_falling;

	mirror(w->y, w->count);
	curve_isotonic(w->y, w->count, w->rising, w->room, w->blocks);
	off_falling = count_off(w);
	mirror(w->y, w->count);
	curve_isotonic(w->y, w->count, w->rising, w->room, w->blocks);
	off = count_off(w);
	if (off <= w->count / OFF_ONE_IN)
		return true;
	if (off_falling < off)
		return undecided(r, "latency falls as x grows");
	return undecided(r,
			 "%zu of %zu points are away from any rising curve: "
			 "noise",
			 off, w->count);
}

/* Points around a peak of the density that are nearer to no other peak. */
static bool find_level(const struct work *w, const struct curve_density *d,
		       size_t peak, struct level *level, struct curve_result *r)
{
	double at = d->low + ((double)d->peaks[peak] + 0.5) * d->width;
	double low = at - NEAR, high = at + NEAR;
	size_t i = 0, n;

	if (peak)
		low = fmax(low,
			   at - (double)(d->peaks[peak] - d->peaks[peak - 1]) *
					   d->width / 2);
	if (peak + 1 < d->peak_count)
		high = fmin(high,
			    at + (double)(d->peaks[peak + 1] - d->peaks[peak]) *
					    d->width / 2);
	while (i < w->count && w->rising[i] < low)
		i++;
	level->first = i;
	while (i < w->count && w->rising[i] <= high)
		i++;
	n = i - level->first;
	if (n < 2)
		return undecided(r,
				 "fewer than two points are on the level "
				 "of %.3g cycles",
				 exp2(at));
	level->last = i - 1;
	level->height = w->rising[level->first + (n - 1) / 2];
	for (size_t k = 0; k < n; k++)
		w->room[k] = fabs(w->y[level->first + k] - level->height);
	level->noise = DEVIATIONS * DEVIATION_OF_MEDIAN *
		       statistics_quantile(w->room, n, 0.5);
	return true;
}

/* Range of the last point of a level. @next: height of the next level. */
static struct curve_band band_of(const struct level *l, double next)
{
	double latency = exp2(l->height);
	double rise = (exp2(next) - latency) / RISE_ONE_IN;
	double most = log2(1 + rise / latency);

	most = fmin(fmax(most, l->noise), NEAR);
	return (struct curve_band){ l->height - NEAR, l->height + most };
}

/*
 * Find levels. Return: number of steps, one more if the curve still rises at
 * its end; 0: undecided
 */
static size_t find_levels(const struct work *w, struct level *levels,
			  struct curve_result *r)
{
	struct curve_density *d = &r->density;
	size_t peaks = curve_density(w->x, w->smooth, w->count, d);
	size_t last = w->count - 1, on = 0;

	if (peaks > CURVE_MOST_STEPS) {
		undecided(r, "%zu levels are more than %d", peaks,
			  CURVE_MOST_STEPS);
		return 0;
	}
	if (!peaks) {
		undecided(r, "no latency stands out as a level");
		return 0;
	}
	for (size_t i = 0; i < peaks; i++) {
		if (!find_level(w, d, i, &levels[i], r))
			return 0;
		on += levels[i].last - levels[i].first + 1;
	}
	if (w->rising[2] < levels[0].height - CURVE_WINDOW_Y) {
		undecided(r, "latency rises from the first point on");
		return 0;
	}
	if (on * LEVEL_ONE_IN < w->count) {
		undecided(r, "only %zu of %zu points are on levels: a slope",
			  on, w->count);
		return 0;
	}
	r->open = w->rising[last - 1] >
		  levels[peaks - 1].height + CURVE_WINDOW_Y;
	if (!r->open)
		return peaks;
	if (peaks == CURVE_MOST_STEPS) {
		undecided(r, "%d levels, and latency still rises at the end",
			  CURVE_MOST_STEPS);
		return 0;
	}
	levels[peaks] = (struct level){ .height = w->rising[last] };
	return peaks + 1;
}

static int find_ends(const struct work *w, const struct level *levels,
		     size_t steps, const struct curve_point *points,
		     struct curve_result *r)
{
	struct curve_band bands[CURVE_MOST_STEPS];
	size_t ends[CURVE_MOST_STEPS];
	int error;

	for (size_t i = 0; i + 1 < steps; i++)
		bands[i] = band_of(&levels[i], levels[i + 1].height);
	error = curve_fit_steps(w->rising, w->count, bands, steps, ends);
	if (error == -ENOENT) {
		undecided(r, "no step function has the levels' heights");
		return 0;
	}
	if (error)
		return error;
	for (size_t i = 0; i < steps; i++)
		r->steps[i] = (struct curve_step){ points[ends[i]].x,
						   exp2(levels[i].height) };
	r->step_count = steps;
	r->decided = true;
	return 0;
}

int curve_analyse(const struct curve_point *points, size_t count,
		  struct curve_result *r)
{
	struct level levels[CURVE_MOST_STEPS];
	struct work w = { .x = NULL };
	size_t steps = 0;
	int error;

	memset(r, 0, sizeof(*r));
	if (!are_data(points, count, r))
		return 0;
	error = begin(&w, points, count);
	if (!error && rises(&w, r)) {
		curve_smooth(w.x, w.rising, count, w.smooth);
		steps = find_levels(&w, levels, r);
	}
	if (!error && steps)
		error = find_ends(&w, levels, steps, points, r);
	end(&w);
	return error;
}
