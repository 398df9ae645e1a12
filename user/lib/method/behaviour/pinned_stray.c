// SPDX-License-Identifier: GPL-2.0
/* pinned_stray.c - how far lines that have to hit in a level are from a hit. */
#include <math.h>

#include "method/behaviour/pinned.h"
#include "method/behaviour/tuning.h"
#include "method/probe/hit_range.h"
#include "method/level/resident_lines.h"

/* By time: looks at lines that have to hit, until they are near enough. */
#define LEAST_PAGE_BYTES 4096

static int stray_by_counters(const struct pinned *k,
			     const struct pinned_place *at, unsigned int misses,
			     unsigned int arrivals, double *stray,
			     struct failure *f)
{
	double above = 0, off = 0;
	int error = pinned_present(k, at, PINNED_UPPER, misses, &off, f);

	if (!error)
		error = pinned_present(k, at, PINNED_UPPER, arrivals, &above,
				       f);
	*stray = isnan(off + above) ? INFINITY :
				      fmax(fabs(off), fabs(1 - above));
	return error;
}

/* Sets of the first level that lines are in which are used beside the kept ones.
 */
static bool is_used(const struct pinned *k, const struct pinned_place *at,
		    uint64_t line, uint64_t way_bytes, uint64_t line_bytes)
{
	uint64_t set = line % way_bytes / line_bytes;

	for (size_t i = 0; i < k->count; i++)
		for (size_t j = 0; j < at->counts[PINNED_UPPER]; j++) {
			uint64_t other = at->offsets[PINNED_UPPER][j];

			if ((other ^ k->apart[i]) % way_bytes / line_bytes ==
			    set)
				return true;
		}
	return false;
}

/* A line of the page of the first kept one that stays in the first level, and so
 * do those of the others; 0: none is known to.
 */
static uint64_t aside_of(const struct pinned *k, const struct pinned_place *at)
{
	const struct cache_result *c = &k->h->caches[0];
	uint64_t line_bytes = (uint64_t)c->line_bytes.value, way_bytes, move;

	if (!resident_lines_sets_known(c) ||
	    !parameter_is_measured(&c->line_bytes))
		return 0;
	way_bytes = resident_lines_way_bytes(c);
	for (move = line_bytes; move < LEAST_PAGE_BYTES; move += line_bytes) {
		uint64_t line = at->offsets[PINNED_X][0] ^ move;
		bool used = false;

		for (size_t i = 0; i < k->count && !used; i++)
			used = is_used(k, at, line ^ k->apart[i], way_bytes,
				       line_bytes);
		if (!used)
			return line;
	}
	return 0;
}

/* What translations that miss add to each kept line. */
static int find_translation(const struct pinned *k,
			    const struct pinned_place *at, double *added,
			    struct failure *f)
{
	const struct hit_range hit = hit_range_now(k->p, &k->h->caches[0]);
	struct pinned_place aside = *at;
	uint64_t line = aside_of(k, at);
	int error;

	*added = 0;
	if (!line)
		return 0;
	aside.offsets[PINNED_X] = &line;
	error = pinned_present(k, &aside, PINNED_UPPER, 0, added, f);
	*added = hit_range_off(&hit, *added);
	return error;
}

static bool is_near(const struct pinned *k, double off)
{
	/* Not a number: fmax() would have it be 0. */
	const double shown = fmax(0, fabs(off) - k->off.grain);

	return !isnan(off) &&
	       stray_scale(&k->off, copysign(shown, off)) <= PINNED_STRAY;
}

/* The least of some looks, in ticks; NAN: nothing was undisturbed. What disturbs
 * lines once need not do so again.
 */
static int stray_by_time(const struct pinned *k, const struct pinned_place *at,
			 double *least, struct failure *f)
{
	const struct hit_range now =
		hit_range_now(k->p, &k->h->caches[k->level]);
	int error = 0;

	*least = NAN;
	for (int i = 0; !error && !is_near(k, *least) && i < STRAY_LOOKS; i++) {
		double off = 0, added = 0;

		error = pinned_present(k, at, PINNED_UPPER, 0, &off, f);
		if (!error)
			error = find_translation(k, at, &added, f);
		off = hit_range_off(&now, off - added);
		if (isnan(*least) || fabs(off) < fabs(*least))
			*least = off;
	}
	return error;
}

/* One placement shows nothing finer than the clock's steps, all together do. */
static int add_times(struct pinned *k, const struct pinned_place *at,
		     struct failure *f)
{
	const struct cache_result *c = &k->h->caches[k->level];
	double least;
	int error;

	k->off.more = k->miss_ticks;
	k->off.less =
		k->alone ?
			INFINITY :
			prober_load_ticks(k->p, c->latency_ns.value) -
				prober_load_ticks(k->p, c[-1].latency_ns.value);
	k->off.grain = k->p->m->timer.resolution_ticks / 2 / (double)k->count;
	error = stray_by_time(k, at, &least, f);
	if (isnan(least))
		k->off.most = INFINITY;
	else
		latency_deviation_add(&k->off, least);
	k->stray = fmax(k->off.most, latency_deviation_most(&k->off));
	return error;
}

/* The counter of the level right above counts those that got past it. */
static unsigned int arrivals_of(const struct pinned *k)
{
	return k->level ? sampler_miss_counter(k->p->counters, k->level - 1) :
			  0;
}

int pinned_calibrate(struct pinned *k, const struct pinned_place *at,
		     struct failure *f)
{
	struct pinned_scale *here = &k->scales[PINNED_HERE];
	unsigned int arrivals = arrivals_of(k);
	double off = 0;
	int error = pinned_present(k, at, PINNED_UPPER, here->counter,
				   &here->base, f);

	if (error)
		return error;
	if (!here->counter || !arrivals)
		return add_times(k, at, f);
	error = stray_by_counters(k, at, here->counter, arrivals, &off, f);
	k->stray = fmax(k->stray, off);
	return error;
}
