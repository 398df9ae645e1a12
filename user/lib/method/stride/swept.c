// SPDX-License-Identifier: GPL-2.0
/* swept.c - a level's own ways, from sets that are swept one after the other. */
#include <stdio.h>

#include "method/stride/compact.h"
#include "method/stride/stride.h"

static size_t most_clearing(const struct xray *x)
{
	size_t most = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		if (xray_clearing(&x->upper[j]) > most)
			most = xray_clearing(&x->upper[j]);
	return most;
}

/*
 * <<m0, T, m>, T / G, G>: G sets of this level, all in one set of the levels
 * above, one after the other. While one of them is visited, its lines drive
 * those of the others out of all levels above, so that the others have only
 * their own set to be in.
 */
static bool sweeping(const struct xray *x, uint64_t t, uint64_t longest,
		     size_t m, struct shape *w)
{
	struct shape copies;

	*w = (struct shape){ .inner_stride = t, .inner = m, .outer = 2 };
	while ((w->outer - 1) * m < most_clearing(x) &&
	       t / w->outer / 2 >= longest)
		w->outer *= 2;
	w->stride = t / w->outer;
	copies = xray_shape(x, t, (w->outer - 1) * m);
	w->copies = copies.inner;
	w->copy_stride = copies.inner_stride;
	return shape_reach(&copies) < w->stride;
}

/*
 * A + 1 lines that miss, and are all in one set of the level right above, were more than
 * it and an exclusive level hold together: one of no more ways than it would have none.
 */
static bool has_own_alone(const struct xray *x, const struct xray_level *level)
{
	const struct xray_level *above = &x->upper[x->upper_count - 1];

	return level->ways <= (above->own ? above->own : above->ways) &&
	       xray_shape(x, level->way_bytes, level->ways + 1).inner == 1;
}

/* Ways that the nearest levels add, those from one on that takes no victims left out:
 * lines that miss above it are in it or below.
 */
static size_t added_by_victims(const struct xray *x)
{
	size_t sum = 0;

	for (size_t j = x->upper_count; j-- > 0;) {
		const struct xray_level *u = &x->upper[j];

		sum += u->own ? u->own : u->ways;
		if (u->own == u->ways)
			break;
	}
	return sum;
}

/* Copies of each line that share a set of the level right above, and what that adds. */
static size_t sharing_copies(const struct xray *x, const struct shape *w)
{
	const struct xray_level *above = &x->upper[x->upper_count - 1];
	size_t n = w->inner > 1 ? xray_lines_in_set(w->inner_stride, w->inner,
						    above->way_bytes) :
				  1;

	return n ? n : 1;
}

/* Lines that are compact with copies are in as many sets of this level as there are
 * copies, and in what is added: in its own, at least.
 */
static size_t least_own(const struct xray *x, const struct xray_level *level)
{
	const struct shape w = xray_shape(x, level->way_bytes, level->ways);
	const size_t added = added_by_victims(x) / sharing_copies(x, &w);

	return level->ways > added ? level->ways - added : 0;
}

/*
 * Copies that share a set of a level that adds its ways share those, too, evenly or not:
 * then fewer lines fit than this level and those above hold together.
 */
static bool shares_added(const struct xray *x, struct xray_level *level)
{
	const struct shape w = xray_shape(x, level->way_bytes, level->ways);
	const size_t copies = sharing_copies(x, &w);
	const size_t sum = added_by_victims(x);

	if (copies < 2 || level->ways > level->own + sum / copies)
		return false;
	level->ways = level->own + sum;
	return true;
}

/* The fewest lines of each set that drive those of the others out of the levels above;
 * more than @most: that many do not, either.
 */
static size_t least_swept(const struct xray *x, uint64_t t, uint64_t longest,
			  size_t most)
{
	size_t least = most + 1;
	struct shape w;

	while (least > 1 && sweeping(x, t, longest, least - 1, &w))
		least--;
	return least;
}

/* The most lines that are compact among those of other sets, above @least - 1: *low. All
 * from *high on are not.
 */
static int bisect_own(struct xray *x, struct xray_geometry *g, uint64_t longest,
		      size_t least, size_t *low, size_t *high,
		      struct failure *f)
{
	size_t m = g->level.ways;
	uint64_t t = g->level.way_bytes;

	while (g->found && *high - *low > 1 && *high > least) {
		enum verdict verdict;
		struct evidence e;
		struct shape w;
		int error;

		/* As if a level above had the same sets. */
		sweeping(x, t, longest, m, &w);
		error = prober_compact(x->prober, &w, &x->reference, &verdict,
				       &e, f);
		if (error)
			return error;
		if (verdict == VERDICT_UNDECIDED) {
			xray_say_undecided(g, &e, t, m);
			g->found = false;
		}
		if (verdict == VERDICT_COMPACT)
			*low = m;
		else
			*high = m;
		m = (*low + *high) / 2;
		if (m < least)
			m = least;
	}
	return 0;
}

/*
 * Are its own ways as few as the lines that are compact allow? One more is not. Or lines
 * without copies are not all its own, so what is added is: then two sets, which share
 * that, hold no more, either.
 */
static int are_least(struct xray *x, struct xray_geometry *g, size_t least,
		     size_t high, bool *certain, struct failure *f)
{
	const struct xray_level *level = &g->level;
	const struct shape w = xray_shape(x, level->way_bytes, level->ways);
	enum verdict more = VERDICT_UNDECIDED;
	struct evidence e;
	int error;

	*certain = least + 1 == high;
	if (*certain || !least || w.inner > 1 || high > level->ways)
		return 0;
	error = xray_compact(x, level->way_bytes / 2, level->ways + least + 1,
			     &more, &e, f);
	*certain = more == VERDICT_NON_COMPACT;
	return error;
}

int xray_count_own(struct xray *x, struct xray_geometry *g, uint64_t longest,
		   struct failure *f)
{
	const size_t m = g->level.ways, fewest = least_own(x, &g->level);
	const size_t added = 1 + xray_added_ways(x);
	size_t low = m > added ? m - added : 0, high = m + 1, least;
	uint64_t t = g->level.way_bytes;
	bool certain = false;
	int error;

	if (has_own_alone(x, &g->level)) {
		g->level.own = m;
		return 0;
	}
	least = least_swept(x, t, longest, m);
	error = bisect_own(x, g, longest, least, &low, &high, f);
	if (!error && g->found && high - low > 1) {
		error = are_least(x, g, fewest, high, &certain, f);
		g->nested = !certain;
		low = certain ? fewest : 0;
	}
	if (error)
		return error;
	g->level.own = low;
	if (!g->found || g->nested || low == g->level.ways ||
	    xray_effective_bytes(x, &g->level) || shares_added(x, &g->level))
		return 0;
	g->found = false;
	g->hashed = true;
	snprintf(
		g->reason, sizeof(g->reason),
		"index is hashed: %zu lines %llu bytes apart are compact, but only %zu among lines of other sets",
		g->level.ways, (unsigned long long)t, low);
	return 0;
}
