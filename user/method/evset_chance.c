// SPDX-License-Identifier: GPL-2.0
#include "evset_chance.h"

#include <math.h>
#include <stdlib.h>

/* Lines to each set, of its ways: a twentieth of the lines are in sets that
 * overflow, or nearly all. Few ways overflow by chance more often.
 */
#define FITTING_WAYS 0.5
#define FITTING_FEW_WAYS 0.35
#define FEW_WAYS 8
#define OVERFLOWING_WAYS 1.5
/* Misses per load: with half as many sets half of the lines are in sets that
 * overflow, and a sixth misses where the policy is random (a quarter, Zen 5); with
 * twice as many one in six is in such sets. Under any policy a third of the lines
 * of sets half as full again miss.
 */
#define MISSES_MOST 0.12
#define MISSES_LEAST 0.22
/* What a miss costs may have been measured while somebody slowed it down: few
 * misses are a small part of many in any case (twice as many sets: a fifth).
 */
#define MISSES_PART 0.16
#define WAYS_LEAST 4
/* Disturbance only adds. */
#define LOOKS 3
#define DRAWS 4
#define SPARSE 8
/* Of each block by a thin list. */
#define VISITS 4
#define LINES_MOST ((size_t)1 << 20)

int evset_random_places(struct evset_machine *e, uint64_t at, size_t count,
			size_t sparse, uint64_t **lines, size_t *made,
			struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	size_t all = e->window_bytes / e->low_bytes;
	size_t places = count * sparse < all ? count * sparse : all;
	size_t first = rng_below(rng, all - places + 1);
	struct sequence s = { .offsets = calloc(places, sizeof(uint64_t)),
			      .length = places };

	if (!s.offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < places; i++)
		s.offsets[i] = e->window + (first + i) * e->low_bytes + at;
	sequence_shuffle(&s, rng);
	*lines = s.offsets;
	*made = places < count ? places : count;
	return 0;
}

/**
 * struct filling - whole blocks, and lists of their lines
 * @blocks: @count of them
 * @line_bytes: of the level
 * @lines: room for all of their lines
 */
struct filling {
	const uint64_t *blocks;
	size_t count;
	uint64_t line_bytes;
	uint64_t *lines;
};

static size_t blocks_together(const struct evset_machine *e)
{
	return e->o.clearing ? 2 * e->o.clearing : 1;
}

static size_t list_all(const struct evset_machine *e, const struct filling *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->count; i++)
		for (uint64_t at = 0; at < e->low_bytes; at += w->line_bytes)
			w->lines[n++] = w->blocks[i] + at;
	return n;
}

/* Few lines of each block, as many at one place as clear the sets of the levels
 * above: a translation is there again as often as when all lines are walked.
 */
static size_t list_thin(const struct evset_machine *e, const struct filling *w)
{
	const size_t places = e->low_bytes / w->line_bytes;
	const size_t together = blocks_together(e);
	const size_t groups = w->count / together;
	const size_t room = places / groups ? places / groups : 1;
	const size_t visits = room < VISITS ? room : VISITS;
	size_t n = 0;

	for (size_t visit = 0; visit < visits; visit++)
		for (size_t i = 0; i < w->count; i++) {
			size_t group = i / together;

			group = group < groups ? group : groups - 1;
			w->lines[n++] =
				w->blocks[i] + (visit * groups + group) %
						       places * w->line_bytes;
		}
	return n;
}

/* Misses per load of all lines, above those of few lines in each block. */
static int fill(struct evset_machine *e, const struct filling *w,
		double *misses, struct failure *f)
{
	double thin = INFINITY, all = INFINITY, m = 0;
	int error = 0;

	for (int i = 0; !error && i < LOOKS; i++) {
		error = evset_share(e, w->lines, list_thin(e, w), &m, f);
		thin = fmin(thin, m);
		if (!error)
			error = evset_share(e, w->lines, list_all(e, w), &m, f);
		all = fmin(all, m);
	}
	*misses = all - thin;
	return error;
}

/* Misses of so many blocks, other ones each time. Not finite: too few or too many,
 * or always disturbed.
 */
static int ask(struct evset_machine *e, size_t count, uint64_t line_bytes,
	       double *misses, struct failure *f)
{
	struct filling w = { .line_bytes = line_bytes };
	const size_t lines = count * (e->low_bytes / line_bytes);
	uint64_t *blocks = NULL;
	int error;

	*misses = NAN;
	if (count < blocks_together(e) || lines > LINES_MOST ||
	    2 * count * e->low_bytes > e->window_bytes)
		return 0;
	/* The window holds twice as many: as many come as are wanted. */
	error = evset_random_places(e, 0, count, SPARSE, &blocks, &w.count, f);
	w.lines = calloc(lines, sizeof(*w.lines));
	w.blocks = blocks;
	if (!error && !w.lines)
		error = prober_out_of_memory(f);
	if (!error)
		error = fill(e, &w, misses, f);
	free(blocks);
	free(w.lines);
	return error;
}

/* Their mean over some draws: where sets are selected by a few bits of the page,
 * chance is uneven. NAN: not even two could be told.
 */
static int ask_often(struct evset_machine *e, double blocks,
		     uint64_t line_bytes, double *misses, struct failure *f)
{
	double sum = 0;
	int error = 0, told = 0;

	for (int i = 0; !error && i < DRAWS; i++) {
		double m = NAN;

		error = ask(e, (size_t)blocks, line_bytes, &m, f);
		told += isfinite(m);
		sum += isfinite(m) ? m : 0;
	}
	*misses = told > 1 ? sum / told : NAN;
	return error;
}

int evset_chance(struct evset_machine *e, uint64_t sets, size_t ways,
		 uint64_t line_bytes, bool *denied, struct failure *f)
{
	const double all = (double)(sets * ways) * (double)line_bytes /
			   (double)e->low_bytes;
	const double fitting = ways < FEW_WAYS ? FITTING_FEW_WAYS :
						 FITTING_WAYS;
	double few = NAN, many = NAN;
	int error = 0;

	*denied = false;
	if (ways < WAYS_LEAST)
		return 0;
	error = ask_often(e, fitting * all, line_bytes, &few, f);
	if (!error)
		error = ask_often(e, OVERFLOWING_WAYS * all, line_bytes, &many,
				  f);
	*denied = !error && (few > MISSES_MOST || few > many * MISSES_PART ||
			     many < MISSES_LEAST);
	return error;
}
