// SPDX-License-Identifier: GPL-2.0
/* penalty.c - what a miss of the level below costs at least. */
#include <math.h>

#include "method/evict/internal.h"
#include "method/evict/tuning.h"
#include "observe/sampler.h"

/* A clear rise above what a hit takes, not a decision. */
#define CLEARLY_SLOW 0.2
/* Of the lines that are timed at least that share misses. */
#define LEAST_SHARE 0.5

/* Lines of these rows take so much longer than as many that share no set; NAN: nothing was
 * undisturbed.
 */
static int find_excess(struct evictor *ev, const struct evict_rows *rows,
		       double *excess, struct failure *f)
{
	uint64_t lines[TRIAL_SIDES][EVICT_LINES];
	double ticks[TRIAL_SIDES] = { NAN, NAN };

	*excess = NAN;
	if (!evict_draw(ev) ||
	    !evict_place(ev, rows, lines[TRIAL_TEST], lines[TRIAL_CONTROL]))
		return 0;
	for (int side = 0; side < TRIAL_SIDES; side++) {
		const struct evict_walk w = { .lines = lines[side],
					      .count = rows->count,
					      .spaced = true,
					      .rounds = EVICT_ROUNDS };
		struct readings r = { .count = 0 };
		int error = evict_flush_sets(ev, w.lines, w.count, f);

		if (!error)
			error = evict_observe(ev, &w, &r, f);
		if (error)
			return error;
		if (r.count)
			ticks[side] =
				statistics_quantile(r.values, r.count, 0.25);
	}
	*excess = EVICT_SPACED * (ticks[TRIAL_TEST] - ticks[TRIAL_CONTROL]);
	return 0;
}

/* *slow: clearly more than a hit takes, at most placements. */
static int ask(struct evictor *ev, const struct evict_rows *rows,
	       double *excess, bool *slow, struct failure *f)
{
	double at[PENALTY_PLACES] = { 0 };

	for (int i = 0; i < PENALTY_PLACES; i++) {
		int error = find_excess(ev, rows, &at[i], f);

		if (error)
			return error;
	}
	*excess = statistics_quantile(at, PENALTY_PLACES, 0.5);
	*slow = *excess > CLEARLY_SLOW * ev->hit_ticks;
	return 0;
}

/* As many as are slow, and as many again: of these at least half miss. */
static int find_count(struct evictor *ev, struct evict_rows *rows, bool *slow,
		      struct failure *f)
{
	const size_t most = EVICT_PAGE_BYTES / ev->line_bytes < EVICT_LINES ?
				    EVICT_PAGE_BYTES / ev->line_bytes :
				    EVICT_LINES;
	double excess;

	for (rows->count = 2, *slow = false; rows->count <= most;
	     rows->count *= 2) {
		int error = ask(ev, rows, &excess, slow, f);

		if (error)
			return error;
		if (*slow)
			break;
	}
	rows->count = 2 * rows->count < most ? 2 * rows->count : most;
	return 0;
}

/*
 * Far apart, lines that miss here may miss in a level below as well. The closer they
 * are, the more sets of that one they have, until they fit into this level. The least that
 * is clearly more than a hit counts, but for the last one: of those lines few may miss. Half
 * of what memory takes or more is of lines half of which come from there.
 */
int evict_find_penalty(struct evictor *ev, struct failure *f)
{
	const double most = ev->memory_ticks - ev->hit_ticks;
	struct evict_rows rows = { .stride = ev->p->arena_bytes / EVICT_LINES };
	double least = most, last = INFINITY, excess = INFINITY;
	bool slow;
	int error = find_count(ev, &rows, &slow, f);

	for (; !error && slow && rows.stride >= ev->least_bytes;
	     rows.stride /= 2) {
		least = fmin(least, last);
		last = excess;
		error = ask(ev, &rows, &excess, &slow, f);
	}
	ev->penalty_ticks = least < LEAST_SHARE * most ? least : most;
	return error;
}
