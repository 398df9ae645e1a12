// SPDX-License-Identifier: GPL-2.0
/* capacity.c - are the sets of a level below a hashed one as many as they
 * look?
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evict/internal.h"
#include "method/evict/tuning.h"
#include "observe/sampler.h"

/* Pairs of sets that are expected to be one each, if every set is two or more
 * of them; fewer than this share are there once in a million times.
 */
#define PAIRS_EXPECTED 64
#define PAIRS_FEW 0.4
/* Half of the ways of so few sets do not fit only where a set is very many. */
#define MOST_EXCESS 0.35
#define PLACES 3
/* Of the sets, so that enough are left for lines that evict. */
#define MOST_CHOSEN 0.25

/**
 * struct capacity - lines of sets chosen at random
 * @ev: pushes them out
 * @level: whose sets
 * @line_bytes: of it
 * @rows: lines of a full set: some less than its ways, in which other load may
 *        have lines in
 * @sets: full ones; half full are twice as many
 * @chosen: for each set, whether it is one of them
 */
struct capacity {
	struct evictor *ev;
	const struct xray_level *level;
	uint64_t line_bytes;
	size_t rows;
	size_t sets;
	bool *chosen;
};

static uint64_t sets_of(const struct capacity *c)
{
	return c->level->way_bytes / c->line_bytes;
}

static void choose_sets(struct capacity *c, size_t wanted)
{
	struct rng *rng = &c->ev->p->rng;
	uint64_t all = sets_of(c);

	for (uint64_t i = 0; i < all; i++) {
		c->chosen[i] = rng_below(rng, all - i) < wanted;
		wanted -= c->chosen[i];
	}
}

/* All lines of a set, in the window and around it: what the level was found with may be
 * kept there for good.
 */
static void flush_set(const struct capacity *c, uint64_t line,
		      struct sequence *stale)
{
	const struct extent *all = c->ev->p->m->region.extents;
	const uint64_t way = c->level->way_bytes;

	for (uint64_t at = all->offset + (line - all->offset) % way;
	     at < all->offset + all->bytes; at += way)
		evict_load(stale, at);
}

/* All rows of full sets, or every second one, taking turns, of half full ones:
 * as many lines in the same pages. @stale: all lines of these sets.
 */
static bool choose_lines(struct capacity *c, bool full, struct sequence *lines,
			 struct sequence *stale)
{
	struct prober *p = c->ev->p;
	uint64_t rows = p->arena_bytes / c->level->way_bytes;
	uint64_t each = p->m->region.extents[0].bytes / c->level->way_bytes + 1;
	uint64_t first = rng_below(&p->rng, rows - c->rows + 1);
	size_t wanted = full ? c->sets : 2 * c->sets;
	bool odd = false;

	if (!evict_room(lines, wanted * c->rows) ||
	    !evict_room(stale, wanted * each))
		return false;
	choose_sets(c, wanted);
	for (uint64_t i = 0; i < sets_of(c); i++) {
		const uint64_t line = p->arena_offset + i * c->line_bytes;

		if (!c->chosen[i])
			continue;
		flush_set(c, line, stale);
		odd = !odd;
		for (uint64_t r = first; r < first + c->rows; r++)
			if (full || (odd + r) % 2)
				evict_load(lines,
					   line + r * c->level->way_bytes);
	}
	sequence_shuffle(lines, &p->rng);
	return true;
}

/* Lines of other sets: one of each set of the hashed level, about, and the same
 * lines again: the levels above have none of them any more. Then other lines, as
 * often as it takes to evict one.
 */
static bool choose_evicting(const struct capacity *c, struct sequence *s)
{
	const struct evictor *ev = c->ev;
	struct prober *p = ev->p;
	size_t lines = ev->set_bytes / ev->line_bytes;
	uint64_t parts = p->arena_bytes / ev->set_bytes;
	uint64_t at = rng_below(&p->rng, parts) * ev->set_bytes;

	if (!evict_room(s, 2 * ev->evict_count * lines))
		return false;
	for (size_t i = 0; i < ev->evict_count; i++) {
		struct sequence once = { s->offsets + s->length, 0 };

		for (size_t j = 0; j < lines; j++) {
			uint64_t line =
				(at + j * ev->line_bytes) % p->arena_bytes;

			if (!c->chosen[line % c->level->way_bytes /
				       c->line_bytes])
				evict_load(&once, p->arena_offset + line);
		}
		sequence_shuffle(&once, &p->rng);
		memcpy(once.offsets + once.length, once.offsets,
		       once.length * sizeof(*once.offsets));
		s->length += 2 * once.length;
		at += ev->set_bytes;
	}
	return true;
}

/* Ticks per line. It takes so long that there is hardly a sample without an
 * interrupt, which takes no longer than few of the lines.
 */
static int time_lines(struct capacity *c, bool full, double *ticks,
		      struct failure *f)
{
	struct prober *p = c->ev->p;
	struct sequence lines = { NULL, 0 }, stale = lines, evicting = lines;
	const struct walk_step steps[] = { { STEP_FLUSH, &stale, 0 },
					   { STEP_LOAD, &lines, 0 },
					   { STEP_LOAD, &evicting, 0 } };
	const struct walk_plan plan = { .samples = CAPACITY_SAMPLES,
					.steps = steps,
					.step_count = 3 };
	struct sample samples[CAPACITY_SAMPLES] = { { .ticks = 0 } };
	int error;

	if (!choose_lines(c, full, &lines, &stale) ||
	    !choose_evicting(c, &evicting))
		error = prober_out_of_memory(f);
	else if (prober_stopped(p))
		error = -EINTR;
	else
		error = p->m->ops->walk(p->m, &lines, &plan, samples, f);
	sequence_free(&lines);
	sequence_free(&stale);
	sequence_free(&evicting);
	*ticks = INFINITY;
	for (int i = 0; !error && i < CAPACITY_SAMPLES; i++)
		*ticks = fmin(*ticks,
			      samples[i].ticks / (double)samples[i].loads);
	return error;
}

/* Misses per line, if all sets really are two or more: of the lines of a pair
 * at least those that do not fit.
 */
static double least_excess(const struct capacity *c)
{
	double sets = (double)c->sets, rows = (double)c->rows;
	double pairs = sets * sets / (2 * (double)sets_of(c));

	return pairs * (2 * rows - (double)c->level->ways) / (sets * rows);
}

/* Misses per line of full sets, less those of half full ones. */
static int find_misses(struct capacity *c, double *misses, double *both,
		       struct failure *f)
{
	struct evictor *ev = c->ev;
	double unit = ev->penalty_ticks, full = 0, half = 0;
	int error = time_lines(c, true, &full, f);

	if (!error)
		error = time_lines(c, false, &half, f);
	*misses = (full - half) / unit;
	*both = (half - ev->hit_ticks) / unit;
	return error;
}

static int compare(struct capacity *c, enum outcome *outcome, struct failure *f)
{
	double misses[PLACES], both[PLACES];

	for (int i = 0; i < PLACES; i++) {
		int error = find_misses(c, &misses[i], &both[i], f);

		if (error)
			return error;
	}
	*outcome = outcome_if(statistics_quantile(misses, PLACES, 0.5) <
					      PAIRS_FEW * least_excess(c) &&
				      statistics_quantile(both, PLACES, 0.5) <
					      MOST_EXCESS,
			      OUTCOME_OPEN);
	return 0;
}

int evict_check_capacity(struct evictor *ev, const struct xray_level *level,
			 uint64_t line_bytes, enum outcome *outcome,
			 struct failure *f)
{
	struct capacity c = { .ev = ev,
			      .level = level,
			      .line_bytes = line_bytes,
			      .rows = (3 * level->ways + 3) / 4 };
	double sets = (double)(level->way_bytes / line_bytes);
	int error;

	*outcome = OUTCOME_OPEN;
	c.sets = (size_t)ceil(sqrt(2 * PAIRS_EXPECTED * sets));
	if (c.sets > MOST_CHOSEN * sets)
		c.sets = (size_t)(MOST_CHOSEN * sets);
	if (c.rows < 2 || !c.sets || c.sets * c.rows > CAPACITY_LINES)
		return -EAGAIN;
	prober_progress(ev->p, "whether %llu KiB fit",
			(unsigned long long)(level->ways * level->way_bytes >>
					     10));
	c.chosen = calloc((size_t)sets, sizeof(*c.chosen));
	if (!c.chosen)
		return prober_out_of_memory(f);
	error = compare(&c, outcome, f);
	free(c.chosen);
	return error;
}
