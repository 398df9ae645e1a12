// SPDX-License-Identifier: GPL-2.0
#include "evset_late.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../observe/sampler.h"
#include "evset_choice.h"
#include "evset_without.h"

/* Two or three sets that overflow: one of them may be somebody else's. */
#define LATE_LEAST 24
/* Of more than that all sets overflow, or others use the level. */
#define LATE_MOST 0.4
#define FIRST_LINES 512
#define GROWTH 8
/* Lines that were late, and not when they were looked at again, so many times: it is
 * somebody else who makes them so.
 */
#define MOST_VAIN 4
/* Times as bad as a set that is none. */
#define NEVER_LATE 4
/* Times the lines that clear the levels above: half of them become padding. */
#define FILLERS 4
/* Ways to move lines within their pages: of one set few stay together, in the levels
 * above enough do to miss.
 */
#define MOVES 8

/* How much later lines are than others of their pages: in thousands of pages that
 * are small in the host, most are late for their translations. Who uses the level
 * for a moment makes lines late once.
 */
static int look_thrice(struct evset_machine *e, const uint64_t *lines,
		       size_t count, uint64_t *room, double *ticks,
		       struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	double *moved = ticks + count, *again = moved + count;
	uint64_t by[MOVES];
	int error;

	for (size_t i = 0; i < MOVES; i++)
		by[i] = evset_draw_move(e);
	for (size_t i = 0; i < count; i++)
		room[i] =
			evset_move_line(e, lines[i], by[rng_below(rng, MOVES)]);
	error = evset_look_in_orders(e, lines, count, ticks, f);
	if (!error)
		error = evset_look_in_orders(e, room, count, moved, f);
	if (!error)
		error = evset_look_in_orders(e, lines, count, again, f);
	for (size_t i = 0; !error && i < count; i++)
		ticks[i] = fmin(ticks[i], again[i]) - moved[i];
	return error;
}

/* The late ones of the first @count behind @fillers others; *late of them. */
static void separate(const double *ticks, double from, size_t count,
		     size_t fillers, uint64_t *lines, uint64_t *room,
		     size_t *late)
{
	size_t others = 0, n = 0;

	*late = 0;
	for (size_t i = 0; i < count; i++)
		*late += ticks[i] > from;
	if (count - *late < fillers)
		*late = 0;
	if (!*late)
		return;
	for (size_t i = 0; i < count; i++) {
		if (ticks[i] > from)
			room[fillers + n++] = lines[i];
		else if (others < fillers)
			room[others++] = lines[i];
		else
			room[*late + others++] = lines[i];
	}
	memcpy(lines, room, count * sizeof(*lines));
}

/* A set of the first @count; (out) lines that were late @before, and again: @late. */
static int try_lines(struct evset_machine *e, uint64_t *lines, size_t count,
		     uint64_t *room, double *ticks, struct evset_set *set,
		     size_t *before, size_t *late, struct failure *f)
{
	const size_t fillers = FILLERS * e->o.clearing;
	double usual;
	int error = look_thrice(e, lines, count, room, ticks, f);

	if (error)
		return error;
	memcpy(ticks + count, ticks, count * sizeof(*ticks));
	usual = sampler_quantile(ticks + count, count, 0.5);
	separate(ticks, usual + evset_late_by(e), count, fillers, lines, room,
		 before);
	*late = *before;
	if (*late < LATE_LEAST || (double)*late > LATE_MOST * (double)count)
		return 0;
	return evset_without(e, lines, fillers, late, set, f);
}

int evset_late_set(struct evset_machine *e, uint64_t *lines, size_t count,
		   struct evset_set *set, struct failure *f)
{
	uint64_t *room = calloc(count + 1, sizeof(*room));
	double *ticks = calloc(4 * count + 1, sizeof(*ticks));
	size_t n = e->late_lines ? e->late_lines : FIRST_LINES, late = 0;
	const uint64_t asked = e->o.accesses;
	int error = room && ticks ? 0 : prober_out_of_memory(f);

	set->count = 0;
	for (int vain = 0; !error && n <= count; n += n / GROWTH) {
		size_t before = 0;

		error = try_lines(e, lines, n, room, ticks, set, &before, &late,
				  f);
		vain += before >= LATE_LEAST;
		if (set->count || late >= LATE_LEAST || vain >= MOST_VAIN)
			break;
	}
	/* Where nobody is late the next ones are not, either. */
	e->late_failures += n > count ? NEVER_LATE : 1;
	e->late_lines = n > count		  ? 0 :
			late > EVSET_WITHOUT_MOST ? n - n / GROWTH :
						    n;
	/* Looks at each line are no questions that were answered wrongly. */
	e->most_accesses += e->o.accesses - asked;
	free(room);
	free(ticks);
	return error;
}
