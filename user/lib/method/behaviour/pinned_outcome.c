// SPDX-License-Identifier: GPL-2.0
/* pinned_outcome.c - what became of kept lines, and how often that may be
 * chance.
 */
#include <math.h>

#include "method/behaviour/pinned_line.h"
#include "method/level/flush_lines.h"
#include "method/level/resident_lines.h"
#include "observe/sampler.h"

/* Misses of a line that is not there, and of one that is. */
#define LOST 0.5
#define THERE 0.25
/* At lines that have to hit, by time. */
#define LOOKS 4
#define LEAST_PAGE_BYTES 4096
/* Placements that say nothing, at most. */
#define FEW 12

unsigned int kept_counter(const struct kept *k, size_t index)
{
	static const enum machine_counter of_level[] = { COUNTER_L1D_MISS,
							 COUNTER_L2_MISS,
							 COUNTER_L3_MISS };

	if (index >= sizeof(of_level) / sizeof(of_level[0]))
		return 0;
	return k->p->counters & 1U << of_level[index];
}

int kept_present(const struct kept *k, const struct kept_place *at,
		 enum kept_list list, unsigned int counter, double *value,
		 struct failure *f)
{
	struct kept_steps s = { .count = 0 };
	double values[KEPT_SAMPLES];
	size_t count = 0;
	int error;

	kept_step(k, at, STEP_FLUSH, KEPT_X, 0, 1, &s);
	kept_step(k, at, STEP_LOAD, KEPT_X, 0, 1, &s);
	kept_step(k, at, STEP_LOAD, list, 0, at->counts[list], &s);
	error = kept_observe(k, at, &s, counter, values, &count, f);
	*value = count ? sampler_quantile(values, count, 0.25) : NAN;
	return error;
}

static int stray_by_counters(const struct kept *k, const struct kept_place *at,
			     unsigned int misses, unsigned int arrivals,
			     double *stray, struct failure *f)
{
	double above = 0, off = 0;
	int error = kept_present(k, at, KEPT_EVICT, misses, &off, f);

	if (!error)
		error = kept_present(k, at, KEPT_EVICT, arrivals, &above, f);
	*stray = isnan(off + above) ? INFINITY :
				      fmax(fabs(off), fabs(1 - above));
	return error;
}

/* Sets of the first level that lines are in which are used beside the kept ones.
 */
static bool is_used(const struct kept *k, const struct kept_place *at,
		    uint64_t line, uint64_t way_bytes, uint64_t line_bytes)
{
	uint64_t set = line % way_bytes / line_bytes;

	for (size_t i = 0; i < k->count; i++)
		for (size_t j = 0; j < at->counts[KEPT_EVICT]; j++) {
			uint64_t other = at->offsets[KEPT_EVICT][j];

			if ((other ^ k->apart[i]) % way_bytes / line_bytes ==
			    set)
				return true;
		}
	return false;
}

/* A line of the page of the first kept one that stays in the first level, and so
 * do those of the others; 0: none is known to.
 */
static uint64_t aside_of(const struct kept *k, const struct kept_place *at)
{
	const struct cache_result *c = &k->h->caches[0];
	uint64_t line_bytes = (uint64_t)c->line_bytes.value, way_bytes, move;

	if (!own_lines_sets_known(c) || !parameter_is_measured(&c->line_bytes))
		return 0;
	way_bytes = own_lines_way_bytes(c);
	for (move = line_bytes; move < LEAST_PAGE_BYTES; move += line_bytes) {
		uint64_t line = at->offsets[KEPT_X][0] ^ move;
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
static int find_translation(const struct kept *k, const struct kept_place *at,
			    double *added, struct failure *f)
{
	double hit = prober_load_ticks(k->p, k->h->caches[0].latency_ns.value);
	struct kept_place aside = *at;
	uint64_t line = aside_of(k, at);
	int error;

	*added = 0;
	if (!line)
		return 0;
	aside.offsets[KEPT_X] = &line;
	error = kept_present(k, &aside, KEPT_EVICT, 0, added, f);
	*added -= hit;
	return error;
}

/* What disturbs them once need not do so again. */
static int stray_by_time(const struct kept *k, const struct kept_place *at,
			 double miss_ticks, double *stray, struct failure *f)
{
	const struct cache_result *c = &k->h->caches[k->level];
	double here = prober_load_ticks(k->p, c->latency_ns.value);
	double above = prober_load_ticks(k->p, c[-1].latency_ns.value);
	int error = 0;

	*stray = INFINITY;
	for (int i = 0; !error && !(*stray <= THERE) && i < LOOKS; i++) {
		double off = 0, added = 0;

		error = kept_present(k, at, KEPT_EVICT, 0, &off, f);
		if (!error)
			error = find_translation(k, at, &added, f);
		off -= here + added;
		off /= off > 0 ? miss_ticks : here - above;
		*stray = fmin(*stray, isnan(off) ? INFINITY : fabs(off));
	}
	return error;
}

int kept_stray(const struct kept *k, const struct kept_place *at,
	       double miss_ticks, double *stray, struct failure *f)
{
	unsigned int misses = kept_counter(k, k->level);
	unsigned int arrivals = kept_counter(k, k->level - 1);
	double off = 0;
	int error =
		misses && arrivals ?
			stray_by_counters(k, at, misses, arrivals, &off, f) :
			stray_by_time(k, at, miss_ticks, &off, f);

	*stray = fmax(*stray, off);
	return error;
}

static bool needs_room(const struct kept *k)
{
	return !k->spares_below && k->level + 1 < k->h->cache_count;
}

int kept_make_room(const struct kept *k, const struct kept_place *at,
		   struct failure *f)
{
	const uint64_t in_page = at->offsets[KEPT_X][0] % LEAST_PAGE_BYTES;
	const struct prober *p = k->p;
	uint64_t lines[KEPT_LINES];
	const struct room room = {
		.from = p->arena_offset - p->arena_offset % LEAST_PAGE_BYTES,
		.to = p->arena_offset + p->arena_bytes,
		.step = LEAST_PAGE_BYTES,
		.lines = lines,
		.count = k->count,
	};

	for (size_t i = 0; i < k->count; i++)
		lines[i] = in_page ^ k->apart[i];
	return needs_room(k) ? make_room(p, &room, f) : 0;
}

int kept_leave_room(const struct kept *k, const struct kept_place *at,
		    struct failure *f)
{
	int error = 0;

	for (int list = 0; !error && needs_room(k) && list < KEPT_LISTS;
	     list++) {
		struct kept_steps s = { .count = 0 };

		kept_step(k, at, STEP_FLUSH, (enum kept_list)list, 0,
			  at->counts[list], &s);
		error = s.failed ? prober_out_of_memory(f) :
				   make_room_of(k->p, &s.lines[0], f);
		sequence_free(&s.lines[0]);
	}
	return error;
}

enum kept_end kept_end(const double *values, size_t count,
		       const struct kept_scale *scale)
{
	if (!count)
		return KEPT_UNCLEAR;
	if (sampler_peek(values, count, 0.25) >=
	    scale->base + LOST * scale->unit)
		return KEPT_LOST;
	if (sampler_peek(values, count, 0.75) <=
	    scale->base + THERE * scale->unit)
		return KEPT_THERE;
	return KEPT_UNCLEAR;
}

bool kept_draw(const struct kept *k)
{
	return budget_draw(&k->p->budget, k->p->rules.alpha);
}

bool kept_surely(const struct kept *k, const struct kept_votes *votes)
{
	return !votes->against &&
	       exp2(-(double)votes->for_it) <= k->p->rules.alpha;
}

bool kept_goes_on(const struct kept *k, const struct kept_votes *votes)
{
	return !kept_surely(k, votes) && !votes->against &&
	       votes->nothing < FEW + votes->for_it;
}
