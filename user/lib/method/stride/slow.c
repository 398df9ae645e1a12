// SPDX-License-Identifier: GPL-2.0
/* slow.c - a number of lines that is clearly slow, and what a miss costs. */
#include <errno.h>
#include <math.h>

#include "method/stride/compact.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"
#include "observe/sampler.h"

/* No cache known has more ways (Power 3: 128; with what an exclusive
 * hierarchy adds, POWER7: 64), and longer sequences run into translation.
 */
#define MOST_LINES_FIRST 256
#define MOST_LINES_LOWER 128
/* A clear rise of the average, not a decision: it only bounds the search. Lines of one
 * level differ by less where its slices lie at different distances.
 */
#define RISE_ONE_IN 5
#define CLEARLY_SLOW (1 + 1.0 / RISE_ONE_IN)
/* What makes the excess fall so far is looked at so often again. */
#define CLEARLY_LESS 0.7

size_t stride_most_lines(const struct xray *x)
{
	return x->upper_count ? MOST_LINES_LOWER : MOST_LINES_FIRST;
}

/*
 * Latencies are whole cycles: a rise that is just as large as the limit, one cycle on
 * five, is neither more nor less by what averages are off.
 */
static bool clearly_slow(struct xray *x, double hit, double ticks)
{
	double cycle;

	if (ticks >= CLEARLY_SLOW * hit)
		return true;
	if (!(ticks > hit))
		return false;
	cycle = sampler_cycle_ticks(x->prober->m);
	return cycle > 0 && round(hit / cycle) <= RISE_ONE_IN &&
	       round((ticks - hit) / cycle) >= 1;
}

/* Excess over a hit; 0 when not clearly slow. */
static int excess_of(struct xray *x, const struct shape *w, unsigned int flags,
		     double *ticks, struct failure *f)
{
	double t;
	int error = prober_time(x->prober, w, flags, &t, f);

	if (!error)
		*ticks = clearly_slow(x, x->hit_ticks, t) ? t - x->hit_ticks :
							    0;
	return error;
}

/* The same of @count lines @stride apart. */
static int excess(struct xray *x, uint64_t stride, size_t count, double *ticks,
		  struct failure *f)
{
	struct shape w = xray_shape(x, stride, count);

	return excess_of(x, &w, 0, ticks, f);
}

/*
 * By time something may have passed by: slow once is not enough. Nor is it if what hits
 * is as slow by now, as it is where the clock of the core has changed its pace.
 */
static int is_slow(struct xray *x, uint64_t stride, size_t count,
		   enum outcome *outcome, struct failure *f)
{
	struct shape w = xray_shape(x, stride, count);
	double ticks = 0, hit = 0;
	int error = excess_of(x, &w, 0, &ticks, f);

	*outcome = OUTCOME_OPEN;
	if (error || ticks <= 0)
		return error;
	/* What passes by makes hits slow as well. */
	for (int i = 0; !error && *outcome != OUTCOME_DECIDED && i < SLOW_TRIES;
	     i++) {
		error = prober_time(x->prober, &x->reference.control, 0, &hit,
				    f);
		if (!error)
			error = prober_time(x->prober, &w, 0, &ticks, f);
		*outcome = outcome_if(
			!error &&
				clearly_slow(x, fmax(hit, x->hit_ticks), ticks),
			OUTCOME_OPEN);
	}
	return error;
}

/*
 * Other work makes lines slow that fit, though seldom everywhere and all the
 * time; lines that do not fit are never fast.
 */
static int quietest_excess(struct xray *x, const struct shape *w, double *ticks,
			   struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && *ticks > 0 && i < QUIET_TRIES; i++) {
		double again = *ticks;

		x->prober->m->ops->pause(x->prober->m, QUIET_APART_MS);
		error = excess_of(x, w, PROBER_ONE_PLACE, &again, f);
		*ticks = fmin(*ticks, again);
	}
	return error;
}

/* Ends early when the counter turns out to lie. Few lines at a short stride may have
 * no room for the copies that make them miss above, where more lines need none.
 */
static int double_lines(struct xray *x, uint64_t stride, size_t *slow_count,
			size_t *most_tried, struct failure *f)
{
	unsigned int counter = xray_counter(x);

	for (size_t n = 2; n <= stride_most_lines(x); n *= 2) {
		struct shape w = xray_shape(x, stride, n);
		enum outcome outcome = OUTCOME_OPEN;
		int error = counter ? xray_try_missing(x, &w, &outcome, f) :
				      is_slow(x, stride, n, &outcome, f);

		if (error == -ERANGE)
			continue;
		if (error || xray_counter(x) != counter)
			return error;
		*most_tried = n;
		if (outcome == OUTCOME_DECIDED) {
			*slow_count = n;
			return 0;
		}
	}
	return 0;
}

int xray_find_slow(struct xray *x, uint64_t stride, size_t *slow_count,
		   size_t *most_tried, struct failure *f)
{
	double ticks = 0;
	int error;

	*slow_count = 0;
	if (xray_counter(x)) {
		*most_tried = 0;
		error = double_lines(x, stride, slow_count, most_tried, f);
		if (error || xray_counter(x))
			return error;
	}
	/* What a counter has tried that lies is not tried. */
	*most_tried = 0;
	error = excess(x, stride, stride_most_lines(x), &ticks, f);
	if (!error && ticks <= 0)
		*most_tried = stride_most_lines(x);
	/* When the most lines fit, so do fewer. */
	if (*most_tried || (error && error != -ERANGE))
		return error;
	return double_lines(x, stride, slow_count, most_tried, f);
}

/*
 * What a miss costs at least. Far apart, lines that miss here may miss below
 * as well; the closer together they are, the more sets of the level below they
 * have, until they fit into this level. So the smallest excess on the way is
 * taken: too small only makes the test stricter.
 */
int xray_find_penalty(struct xray *x, uint64_t stride, size_t slow_count,
		      struct failure *f)
{
	const struct xray_level unknown = { .ways = 0 };
	uint64_t nearest = XRAY_LEAST_STRIDE;
	double least = 0;
	char why[64];

	/* Code that fits may take longer at some strides: there no line misses. */
	if (x->reference.code_bytes)
		nearest = stride / 2;
	for (; stride >= nearest; stride /= 2) {
		struct shape w = xray_shape(x, stride, 2 * slow_count);
		double ticks;
		int error;

		if (w.inner > 1 && w.inner * w.inner_stride > stride)
			break;
		if (w.folds.count &&
		    !xray_shape_holds(x, &w, &unknown, why, sizeof(why)))
			break;
		error = excess(x, stride, 2 * slow_count, &ticks, f);
		if (error == -ERANGE)
			continue;
		if (!error && least > 0 && ticks < CLEARLY_LESS * least)
			error = quietest_excess(x, &w, &ticks, f);
		if (error)
			return error;
		if (ticks <= 0)
			break;
		if (least <= 0 || ticks < least)
			least = ticks;
	}
	x->reference.penalty_ticks = least;
	return 0;
}

/* Slow, with one verdict that it is not compact: not by translations. */
static int is_pair_slow(struct xray *x, uint64_t stride, enum outcome *outcome,
			struct failure *f)
{
	const struct shape w = xray_shape(x, stride, 2);
	enum verdict verdict = VERDICT_UNDECIDED;
	struct evidence e;
	double ticks = 0;
	int error = excess_of(x, &w, 0, &ticks, f);

	*outcome = OUTCOME_OPEN;
	if (error || ticks <= 0)
		return error;
	x->reference.penalty_ticks = ticks;
	error = xray_compact_shape(x, &w, &verdict, &e, f);
	*outcome = outcome_if(verdict == VERDICT_NON_COMPACT, OUTCOME_OPEN);
	return error;
}

int xray_find_slow_pair(struct xray *x, uint64_t *stride, size_t *slow_count,
			struct failure *f)
{
	const double before = x->reference.penalty_ticks;
	enum outcome outcome = OUTCOME_OPEN;
	int error = 0;

	*slow_count = 0;
	for (; *stride < x->prober->arena_bytes; *stride *= 2) {
		error = is_pair_slow(x, *stride, &outcome, f);
		if (error || outcome == OUTCOME_DECIDED)
			break;
	}
	if (!error && outcome == OUTCOME_DECIDED)
		*slow_count = 2;
	else
		x->reference.penalty_ticks = before;
	return error == -ERANGE ? 0 : error;
}
