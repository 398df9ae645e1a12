// SPDX-License-Identifier: GPL-2.0
/* xray_own.c - what a level does to those around it. */
#include <errno.h>
#include <math.h>

#include "xray.h"

/* What does not fit misses at least that share, whatever the policy:
 * (N - A) / (N - 1) with N = 2 A. Interruptions leave less in.
 */
#define MISSES_WHEN_FOLDED 0.5
#define WHEN_FITTING (0.7 * MISSES_WHEN_FOLDED)
/* Disturbance only adds, so the best of some attempts counts; and a policy
 * that seldom lets a new line in needs many rounds.
 */
#define CAPACITY_ATTEMPTS 3
/* Of so many pairs expected, fewer than these are there once in a thousand
 * times; of five placements in most of them, once in thirty millions.
 */
#define PAIRS_EXPECTED 16
#define PAIRS_FEW 5.5
/* A set is cleared when nearly as many lines miss as of three times as many. */
#define NEARLY_ALL 0.93

/* The best of some attempts. -EAGAIN: none was undisturbed. */
static int least_excess(struct xray *x, const struct shape *w, double *least,
			struct failure *f)
{
	int undisturbed = 0;

	*least = INFINITY;
	for (int i = 0; i < CAPACITY_ATTEMPTS; i++) {
		double misses = 0;
		int error = xray_excess(x, w, i ? PROBER_LONG_WARMUP : 0,
					&misses, f);

		/* Too long for a busy CPU: maybe the next one is not. */
		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		undisturbed++;
		*least = fmin(*least, misses);
		if (*least < WHEN_FITTING)
			break;
	}
	return undisturbed ? 0 : -EAGAIN;
}

/*
 * All ways of some sets, chosen at random, where all sets take too long to stay
 * undisturbed. If each set really is two or more of them folded into one, then
 * so many pairs of those chosen are expected to be one set, which misses as
 * often as it has ways at least.
 */
static int sets_fit(struct xray *x, const struct xray_level *level, size_t ways,
		    uint64_t line_bytes, bool *fits, struct failure *f)
{
	const struct xray_level unknown = { .ways = 0 };
	double sets = (double)(level->way_bytes / line_bytes);
	double chosen = ceil(sqrt(2 * PAIRS_EXPECTED * sets));
	const struct shape rows = { .inner = 1,
				    .stride = level->way_bytes,
				    .outer = ways };
	struct shape w = rows;
	double misses = 0;
	char why[64];
	int error;

	if (chosen > sets / 2 ||
	    !xray_shape_holds(x, &rows, &unknown, why, sizeof(why)))
		return -EAGAIN;
	w.inner = (size_t)chosen;
	w.inner_stride = line_bytes;
	w.scatter = level->way_bytes;
	error = least_excess(x, &w, &misses, f);
	*fits = !error && misses * chosen < PAIRS_FEW * 2 * WHEN_FITTING;
	return error;
}

int xray_check_capacity(struct xray *x, const struct xray_level *level,
			uint64_t line_bytes, bool *fits, struct failure *f)
{
	size_t ways = level->own ? level->own : level->ways;
	const struct shape all = {
		.inner = 1,
		.stride = line_bytes,
		.outer = ways * level->way_bytes / line_bytes,
	};
	double misses = 0;
	int error, some;

	*fits = false;
	prober_progress(x->prober, "L%zu: whether %llu KiB fit",
			x->upper_count + 1,
			(unsigned long long)(ways * level->way_bytes >> 10));
	error = least_excess(x, &all, &misses, f);
	*fits = !error && misses < WHEN_FITTING;
	if (*fits || (error && error != -EAGAIN))
		return error;
	/* The longer, the more of it is taken away meanwhile. */
	some = sets_fit(x, level, ways, line_bytes, fits, f);
	return some == -EAGAIN ? error : some;
}

/* Misses per load of @count lines in one set. */
static int excess_of(struct xray *x, const struct xray_level *level,
		     size_t count, double *excess, struct failure *f)
{
	struct shape w = xray_shape(x, level->way_bytes, count);

	return xray_excess(x, &w, 0, excess, f);
}

int xray_find_clearing(struct xray *x, struct xray_level *level, bool *clears,
		       struct failure *f)
{
	const size_t counts[] = { level->ways + 1, 2 * level->ways,
				  3 * level->ways, 6 * level->ways };
	double excess[4] = { 0 };
	int error = 0;

	*clears = true;
	for (int i = 0; !error && i < 4; i++)
		error = excess_of(x, level, counts[i], &excess[i], f);
	if (error)
		return error == -ERANGE ? 0 : error;
	level->clearing = counts[0];
	if (level->ways == 1 || excess[0] >= NEARLY_ALL * excess[2])
		return 0;
	level->clearing = counts[1];
	if (excess[1] >= NEARLY_ALL * excess[2])
		return 0;
	/* At random: the share that stays falls as a power of the count. What
	 * hardly lets new lines in keeps A - 1 whatever comes.
	 */
	level->clearing = 4 * level->ways;
	*clears = excess[2] >= NEARLY_ALL * excess[3];
	return 0;
}
