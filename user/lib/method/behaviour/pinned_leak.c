// SPDX-License-Identifier: GPL-2.0
/* pinned_leak.c - does the holder keep the line at all? */
#include "method/behaviour/pinned.h"

/* Moments, times the holder's ways: a line that is dropped at all is then missing
 * at two of them on average (FIFO: once in as many fills as there are ways).
 */
#define TIMES_WAYS 2
/* Half of what a holder that drops lines would show. */
#define SHARE_OF_LEAK 0.5

/* Lines right from the holder, after @rounds pushing lines; 0: after a load. */
static int misses_after(const struct pinned *k, const struct pinned_place *at,
			size_t rounds, double *misses, struct failure *f)
{
	const struct timer_info *t = &k->p->m->timer;
	unsigned int counter = k->scales[PINNED_ABOVE].counter;
	struct pinned_steps s = { .count = 0 };
	struct readings r = { .count = 0 };
	int error;

	pinned_begin(k, at, &s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_X, &s);
	if (rounds)
		pinned_rounds(k, at, PINNED_PUSH, rounds, &s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_OVER_HOLDER, &s);
	error = pinned_observe(k, at, &s, counter, &r, f);
	*misses = statistics_near_middle(
		r.values, r.count,
		counter ? 0 : t->resolution_ticks / (double)k->count);
	return error;
}

/* What a miss of the holder adds at least: a hit of the level below. */
static double unit_of(const struct pinned *k)
{
	const struct cache_result *c = &k->h->caches[k->holder];

	if (k->scales[PINNED_ABOVE].counter)
		return 1;
	return (c[1].latency_ns.value - c->latency_ns.value) *
	       k->p->m->timer.ticks_per_ns;
}

int pinned_leak(const struct pinned *k, const struct pinned_place *at,
		bool *leaks, struct failure *f)
{
	size_t ways = (size_t)k->h->caches[k->holder].ways.value;
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
