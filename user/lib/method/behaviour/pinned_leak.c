// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/pinned_leak.h"

#include <math.h>

#include "observe/sampler.h"

/* Moments, times the keeper's ways: a line that is dropped at all is then missing
 * at two of them on average (FIFO: every so many fills as there are ways).
 */
#define TIMES_WAYS 2
/* Half of what a keeper that drops lines would show. */
#define SHARE_OF_LEAK 0.5

/* Lines right from the keeper, after @rounds pushing lines; 0: after a load. */
static int misses_after(const struct kept *k, const struct kept_place *at,
			size_t rounds, double *misses, struct failure *f)
{
	const struct timer_info *t = &k->p->m->timer;
	unsigned int counter = kept_counter(k, k->keeper);
	struct kept_steps s = { .count = 0 };
	double values[KEPT_SAMPLES], step;
	size_t count = 0;
	int error;

	kept_step(k, at, STEP_FLUSH, KEPT_X, 0, 1, &s);
	kept_step(k, at, STEP_FLUSH, KEPT_PUSH, 0, k->wanted, &s);
	kept_step(k, at, STEP_LOAD, KEPT_FILL, 0,
		  at->counts[KEPT_PUSH] - k->wanted, &s);
	kept_step(k, at, STEP_LOAD, KEPT_X, 0, 1, &s);
	if (rounds)
		kept_rounds(k, at, KEPT_PUSH, rounds, &s);
	kept_step(k, at, STEP_LOAD, KEPT_SHED, 0, at->counts[KEPT_SHED], &s);
	error = kept_observe(k, at, &s, counter, values, &count, f);
	step = counter ? 0 : t->resolution_ticks / (double)k->count;
	*misses = sampler_near_middle(values, count, step);
	return error;
}

/* What a miss of the keeper adds at least: a hit of the level below. */
static double unit_of(const struct kept *k)
{
	const struct cache_result *c = &k->h->caches[k->keeper];

	if (kept_counter(k, k->keeper))
		return 1;
	return (c[1].latency_ns.value - c->latency_ns.value) *
	       k->p->m->timer.ticks_per_ns;
}

int kept_leak(const struct kept *k, const struct kept_place *at, bool *leaks,
	      struct failure *f)
{
	size_t ways = (size_t)k->h->caches[k->keeper].ways.value;
	size_t moments = TIMES_WAYS * ways;
	double sum = 0;
	int error = 0;

	for (size_t i = 0; !error && i < moments; i++) {
		double kept = 0, loaded = 0;

		error = misses_after(k, at, k->wanted + i, &kept, f);
		if (!error)
			error = misses_after(k, at, 0, &loaded, f);
		sum += kept - loaded;
	}
	/* Also where nothing was seen (NAN). */
	*leaks = !(sum / unit_of(k) <
		   SHARE_OF_LEAK * (double)moments / (double)ways);
	return error;
}
