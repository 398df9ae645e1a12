// SPDX-License-Identifier: GPL-2.0
/* xray_own.c - what a level does to those around it. */
#include <errno.h>
#include <stdio.h>

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
/* A set is cleared when nearly as many lines miss as of three times as many. */
#define NEARLY_ALL 0.93

int xray_check_capacity(struct xray *x, const struct xray_level *level,
			uint64_t line_bytes, bool *fits, struct failure *f)
{
	size_t ways = level->own ? level->own : level->ways;
	const struct shape all = {
		.inner = 1,
		.stride = line_bytes,
		.outer = ways * level->way_bytes / line_bytes,
	};

	*fits = false;
	prober_progress(x->prober, "L%zu: whether %llu KiB fit",
			x->upper_count + 1,
			(unsigned long long)(ways * level->way_bytes >> 10));
	for (int i = 0; i < CAPACITY_ATTEMPTS && !*fits; i++) {
		double misses = 0;
		int error = xray_excess(x, &all, i ? PROBER_LONG_WARMUP : 0,
					&misses, f);

		/* Too long for a busy CPU: maybe the next one is not. */
		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		*fits = misses < WHEN_FITTING;
	}
	return 0;
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
