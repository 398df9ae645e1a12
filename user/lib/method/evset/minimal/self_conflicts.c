// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/self_conflicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/per_load.h"

/* Lines of two or three sets that overflow: a neighbour may be in one of them.
 */
#define MISSING_LEAST 24
/* Of a larger share all sets overflow, or the level is contended. */
#define MISSING_MOST 0.4
#define FIRST_LINES 512
#define GROWTH 8
/* Times that lines missed, and did not when they were sampled again: a
 * neighbour caused it.
 */
#define MOST_FRUITLESS 4
/* Weight of the failure that no line missed. */
#define NEVER_MISSING 4
/* As multiples of the evictors of the levels above: half of them become those
 * of the set.
 */
#define EVICTOR_TIMES 4
/* Distances by which lines are moved within their pages: few lines of one set
 * stay together, but enough in the levels above to miss there.
 */
#define MOVES 8

/**
 * struct candidates - lines that are sampled
 * @e: the level
 * @lines: the first @count of them; then @missing that missed behind some
 *         others
 * @room: for as many
 * @ticks: excess of each, and room for twice as many behind
 */
struct candidates {
	struct evset_machine *e;
	uint64_t *lines;
	size_t count;
	size_t missing;
	uint64_t *room;
	double *ticks;
};

/* Excess above other lines of the same pages: in thousands of pages that are
 * small in the host, most lines are slow for their translations. A neighbour
 * that uses the level for a moment makes lines miss once.
 */
static int sample_thrice(struct candidates *c, struct failure *f)
{
	struct rng *rng = &c->e->x->prober->rng;
	double *moved = c->ticks + c->count, *again = moved + c->count;
	uint64_t by[MOVES];
	int error;

	for (size_t i = 0; i < MOVES; i++)
		by[i] = evset_draw_move(c->e);
	for (size_t i = 0; i < c->count; i++)
		c->room[i] = evset_move_line(c->e, c->lines[i],
					     by[rng_below(rng, MOVES)]);
	error = evset_sample_orders(c->e, c->lines, c->count, c->ticks, f);
	if (!error)
		error = evset_sample_orders(c->e, c->room, c->count, moved, f);
	if (!error)
		error = evset_sample_orders(c->e, c->lines, c->count, again, f);
	for (size_t i = 0; !error && i < c->count; i++)
		c->ticks[i] = fmin(c->ticks[i], again[i]) - moved[i];
	return error;
}

static size_t evictors_of(const struct candidates *c)
{
	return EVICTOR_TIMES * c->e->o.upper_evictors;
}

/* The missing lines behind some others. */
static void separate(struct candidates *c)
{
	double *sorted = c->ticks + c->count, from;
	size_t others = 0, n = 0;

	memcpy(sorted, c->ticks, c->count * sizeof(*sorted));
	from = statistics_quantile(sorted, c->count, 0.5) +
	       evset_missing_by(c->e);
	c->missing = 0;
	for (size_t i = 0; i < c->count; i++)
		c->missing += c->ticks[i] > from;
	if (c->count - c->missing < evictors_of(c))
		c->missing = 0;
	if (!c->missing)
		return;
	for (size_t i = 0; i < c->count; i++) {
		if (c->ticks[i] > from)
			c->room[evictors_of(c) + n++] = c->lines[i];
		else if (others < evictors_of(c))
			c->room[others++] = c->lines[i];
		else
			c->room[c->missing + others++] = c->lines[i];
	}
	memcpy(c->lines, c->room, c->count * sizeof(*c->lines));
}

/* *again: lines that miss, and do when they are sampled again. */
static int try_lines(struct candidates *c, struct evset_set *set, size_t *again,
		     struct failure *f)
{
	int error = sample_thrice(c, f);

	if (error)
		return error;
	separate(c);
	*again = c->missing;
	if (c->missing < MISSING_LEAST ||
	    (double)c->missing > MISSING_MOST * (double)c->count)
		return 0;
	return evset_leave_one_out(c->e, c->lines, evictors_of(c), again, set,
				   f);
}

/* A number of lines of which neither too few miss nor too many: then all sets
 * overflow. @few: this was too few; @many: too many, 0: not known. Return: 0:
 * there is none.
 */
static size_t next_count(size_t n, size_t few, size_t many)
{
	if (!many)
		return n + n / GROWTH;
	return many - few > many / GROWTH ? (few + many) / 2 : 0;
}

/* *n: (in, out) lines that are sampled. */
static int try_counts(struct candidates *c, size_t count, size_t *n,
		      struct evset_set *set, struct failure *f)
{
	size_t few = 0, many = 0;
	int error = 0, fruitless = 0;

	while (!error && *n && *n <= count && fruitless < MOST_FRUITLESS) {
		size_t again = 0;

		c->count = *n;
		error = try_lines(c, set, &again, f);
		if (set->count || (again >= MISSING_LEAST &&
				   again <= EVSET_LEAVE_ONE_OUT_MOST))
			break;
		if (again > EVSET_LEAVE_ONE_OUT_MOST)
			many = *n;
		else
			few = *n;
		fruitless += c->missing >= MISSING_LEAST &&
			     again < MISSING_LEAST;
		*n = next_count(*n, few, many);
	}
	return error;
}

int evset_self_conflicts(struct evset_machine *e, uint64_t *lines, size_t count,
			 struct evset_set *set, struct failure *f)
{
	struct candidates c = { .e = e,
				.lines = lines,
				.room = calloc(count + 1, sizeof(*c.room)),
				.ticks = calloc(3 * count + 1,
						sizeof(*c.ticks)) };
	size_t n = e->search.conflict_lines ? e->search.conflict_lines :
					      FIRST_LINES;
	const uint64_t before = e->o.accesses;
	int error = c.room && c.ticks ? 0 : prober_out_of_memory(f);

	set->count = 0;
	if (!error)
		error = try_counts(&c, count, &n, set, f);
	/* If no line missed, none will next time, either. */
	e->search.conflict_failures += n > count ? NEVER_MISSING : 1;
	e->search.conflict_lines = n > count ? 0 : n;
	/* Samples of each line are no questions that were answered wrongly. */
	e->budget.most_accesses += e->o.accesses - before;
	free(c.room);
	free(c.ticks);
	return error;
}
