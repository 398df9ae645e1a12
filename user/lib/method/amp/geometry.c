// SPDX-License-Identifier: GPL-2.0
/* geometry.c - size and ways (sections 3.2 and 3.3). */
#include "method/amp/decide.h"
#include "method/amp/tuning.h"

/* Bisection ends at this share of the size that fits. */
#define FINEST 64
/* Only a fully associative array has more ways. */
#define MOST_WAYS 512
/* Distance of columns, in sets of the level above. */
#define ODD_SPACING 17

/* --- size ---------------------------------------------------------------- */

/*
 * Stores that miss bring no line: only the lines beyond the size miss. For
 * steps between two powers of two the paper expects "one miss per line", as for
 * the second one; but a direct-mapped cache misses at most half of them a
 * quarter beyond its size, so here the lines beyond the size are expected.
 */
static int ask_size(struct amp_judge *j, uint64_t units, uint64_t fit,
		    bool between, enum verdict *verdict, struct failure *f)
{
	bool rest = between || j->space->stores;

	return amp_decide_row(j, units, (double)(rest ? units - fit : units),
			      verdict, f);
}

/* Return: as amp_decide(); @fit and @fail bracket the size. */
static int double_size(struct amp_judge *j, uint64_t first, uint64_t *fit,
		       uint64_t *fail, struct failure *f)
{
	uint64_t most = amp_most(j->space) / 2 / j->space->unit;

	*fit = 0;
	*fail = 0;
	for (uint64_t units = first; units <= most; units *= 2) {
		enum verdict verdict;
		int error = ask_size(j, units, units / 2, false, &verdict, f);

		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_NON_COMPACT) {
			*fail = units;
			break;
		}
		*fit = units;
	}
	if (!*fail)
		amp_doubt(j, "all of it fits: the array is too small");
	else if (!*fit)
		amp_doubt(j, "not even %llu blocks in a row fit",
			  (unsigned long long)first);
	return 0;
}

static int step(struct amp_judge *j, uint64_t at, uint64_t *fit, uint64_t *fail,
		struct failure *f)
{
	enum verdict verdict;
	int error = ask_size(j, at, *fit, true, &verdict, f);

	if (verdict == VERDICT_COMPACT)
		*fit = at;
	else if (verdict == VERDICT_NON_COMPACT)
		*fail = at;
	else if (!error)
		amp_doubt(j, "%llu blocks in a row: no clear verdict",
			  (unsigned long long)at);
	return error;
}

int amp_find_size(struct amp_judge *j, uint64_t first, struct amp_geometry *g,
		  struct failure *f)
{
	uint64_t fit, fail, begin, part, before;
	int error = double_size(j, first, &fit, &fail, f);

	*g = (struct amp_geometry){ .size = 0 };
	if (error || j->why[0] || !fit || !fail)
		return error;
	begin = fit;
	part = (fail - fit) / SIZE_PARTS;
	for (int i = 1; part && i < SIZE_PARTS && fit == begin + (i - 1) * part;
	     i++) {
		before = fail;
		error = step(j, begin + i * part, &fit, &fail, f);
		if (error || j->why[0] || fail != before)
			break;
	}
	if (!error && !j->why[0])
		g->size = fit * j->space->unit;
	g->beyond = fail * j->space->unit;
	return error;
}

int amp_refine_size(struct amp_judge *j, struct amp_geometry *g,
		    struct failure *f)
{
	uint64_t fit = g->size / j->space->unit;
	uint64_t fail = g->beyond / j->space->unit;
	int error = 0;

	while (!error && !j->why[0] && fail - fit > 1 + fit / FINEST)
		error = step(j, fit + (fail - fit) / 2, &fit, &fail, f);
	g->size = fit * j->space->unit;
	g->beyond = fail * j->space->unit;
	return error;
}

/* --- ways ---------------------------------------------------------------- */

/*
 * xray_shape() assumes the levels above; where they do not allow it, neither
 * does the sequence.
 */
static int ask_stride(struct amp_judge *j, uint64_t stride, size_t count,
		      double share, enum verdict *verdict, struct failure *f)
{
	const struct xray_level unknown = { .ways = 0 };
	struct amp_space *s = j->space;
	const struct shape w = amp_shape(s, stride, count);
	char why[128];

	*verdict = VERDICT_UNDECIDED;
	if (!s->view && s->x.upper_count &&
	    !xray_shape_holds(&s->x, &w, &unknown, why, sizeof(why))) {
		amp_doubt(j, "%s", why);
		return 0;
	}
	return amp_decide(j, &w, share * (double)shape_length(&w), verdict, f);
}

int amp_find_ways(struct amp_judge *j, struct amp_geometry *g,
		  struct failure *f)
{
	uint64_t lines = g->size / j->space->unit;

	g->ways = 0;
	for (size_t k = 1; k <= lines && k <= MOST_WAYS; k++) {
		enum verdict verdict;
		int error;

		if (lines % k)
			continue;
		error = ask_stride(j, g->size / k, 2 * k,
				   j->space->stores ? 0.5 : 1, &verdict, f);
		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_COMPACT)
			continue;
		g->ways = k;
		return 0;
	}
	amp_doubt(j, "no stride misses: the index is hashed");
	return 0;
}

static int expect(struct amp_judge *j, uint64_t stride, size_t count,
		  enum verdict wanted, struct failure *f)
{
	enum verdict verdict;
	int error = ask_stride(j, stride, count, 1, &verdict, f);

	if (error || j->why[0] || verdict == wanted)
		return error;
	amp_doubt(
		j, "%zu blocks %llu %s apart %s", count,
		(unsigned long long)stride, j->space->view ? "pages" : "bytes",
		wanted == VERDICT_COMPACT ?
			"do not fit: the index is hashed, or others keep room" :
		j->space->view ?
			"fit: the index is hashed, adjacent pages share a set, or levels above add to it" :
			"fit: the index is hashed, or levels above add to it");
	return 0;
}

/*
 * At half a way's distance twice the ways fit, and the ways of the levels above
 * count once, unless these have as many sets.
 */
static void doubt_nested(struct amp_judge *j, uint64_t way)
{
	const struct xray *x = &j->space->x;

	for (size_t i = 0; i < x->upper_count; i++)
		if (x->upper[i].way_bytes >= way)
			amp_doubt(
				j,
				"a level above has as many sets: its part is unknown");
}

/* The least distance at which columns lie ODD_SPACING apart; 0: none. */
static uint64_t spaced(struct amp_judge *j, const struct amp_geometry *g)
{
	const struct amp_space *s = j->space;
	const uint64_t wanted = ODD_SPACING * s->search.upper->conflict;

	for (uint64_t apart = g->size / g->ways;
	     (g->ways + 2) * apart <= amp_most(s); apart *= 2) {
		const struct shape w = amp_shape(s, apart, g->ways);

		if (w.inner == 1 || w.inner_stride == wanted)
			return apart;
	}
	return 0;
}

/*
 * Pages that miss above are adjacent. If adjacent pages share a set here, as
 * where one entry serves several pages, they fill it alone.
 */
static int check_columns(struct amp_judge *j, const struct amp_geometry *g,
			 struct failure *f)
{
	struct amp_space *s = j->space;
	uint64_t apart;
	int error;

	if (!s->view || !s->search.upper)
		return 0;
	s->search.spacing = ODD_SPACING;
	apart = spaced(j, g);
	if (!apart)
		amp_doubt(
			j,
			"too few pages to test whether adjacent pages share a set");
	error = apart ? expect(j, apart, g->ways, VERDICT_COMPACT, f) : 0;
	if (!error && !j->why[0])
		error = expect(j, apart, g->ways + 1, VERDICT_NON_COMPACT, f);
	s->search.spacing = 0;
	return error;
}

int amp_check_geometry(struct amp_judge *j, const struct amp_geometry *g,
		       struct failure *f)
{
	const uint64_t way = g->size / g->ways, unit = j->space->unit;
	int error = 0;

	doubt_nested(j, way);
	for (uint64_t apart = way; !error && !j->why[0] && apart <= 4 * way;
	     apart *= 2) {
		if ((g->ways + 2) * apart > amp_most(j->space))
			break;
		error = expect(j, apart, g->ways, VERDICT_COMPACT, f);
		if (!error && !j->why[0])
			error = expect(j, apart, g->ways + 1,
				       VERDICT_NON_COMPACT, f);
	}
	if (!error && !j->why[0])
		error = check_columns(j, g, f);
	if (!error && !j->why[0] && way / unit % 2 == 0)
		error = expect(j, way / 2, 2 * g->ways, VERDICT_COMPACT, f);
	if (!error && !j->why[0]) {
		enum verdict verdict;

		error = ask_size(j, (g->size + way) / unit, g->size / unit,
				 true, &verdict, f);
		if (!error && verdict == VERDICT_COMPACT)
			amp_doubt(j, "one way more than %llu %s fits",
				  (unsigned long long)g->size,
				  j->space->view ? "pages" : "bytes");
	}
	return error;
}
