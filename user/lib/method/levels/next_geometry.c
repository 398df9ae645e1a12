// SPDX-License-Identifier: GPL-2.0
/* next_geometry.c - a level's geometry by one strategy, then by eviction sets. */
#include <errno.h>

#include "method/evset/evset.h"
#include "method/level/xor_copies.h"
#include "method/levels/next.h"
#include "method/stride/stride.h"

struct cache_result next_result(const struct next *n)
{
	struct cache_result c;

	level_report(n->found, n->x->upper_count + 1, &c);
	return c;
}

bool next_has_ways(const struct next *n)
{
	const struct cache_result c = next_result(n);

	return parameter_is_measured(&c.ways);
}

/* Eviction sets need no strides, and have controls of their own: where lines
 * conflict, but load from elsewhere or translations kept strides from a verdict,
 * eviction sets may come to one.
 */
static bool may_have_sets(const struct xray *x, const struct xray_geometry *g)
{
	bool unclear = g->unclear && x->upper_count && !xray_counter(x);

	return g->hashed || g->cramped || unclear;
}

static int find_by_sets(struct next *n, const struct xray_geometry *g,
			struct failure *f)
{
	struct level_finding *found = n->found;
	struct xray *x = n->x;
	enum outcome outcome;
	int error;

	found->sets = next_result(n);
	found->has_sets = true;
	error = evset_measure(x, &found->sets,
			      x->upper_count ? 0 : g->seen_bytes, f);
	if (error)
		return error;
	error = xray_go_below(x, &found->sets, n->level, &outcome, f);
	found->more =
		outcome == OUTCOME_DECIDED ||
		(!error && xray_go_by_evictions(x, n->level, &found->linear));
	return error;
}

/* The checks of a geometry that strides have found. DECIDED: lines of a set clear it. */
static int check_strides(struct xray *x, struct xray_geometry *g,
			 const struct parameter *line, enum outcome *outcome,
			 struct failure *f)
{
	int error = xray_check_reuse(x, g, line, f);

	if (!error && g->found)
		error = xray_find_clearing(x, &g->level, outcome, f);
	if (error != -EAGAIN)
		return error;
	/* The geometry stays; only the next level is out of reach. */
	*outcome = OUTCOME_OPEN;
	return 0;
}

int next_find_geometry(struct next *n, const struct strategy *by,
		       struct failure *f)
{
	struct level_finding *found = n->found;
	struct xray_geometry g = { .found = false };
	struct parameter line = { .method = NULL };
	struct xray *x = n->x;
	enum outcome clears = OUTCOME_DECIDED;
	int error = level_search(x, by, &g, &line, f);

	if (!error && g.found && by->by_strides)
		error = check_strides(x, &g, &line, &clears, f);
	if (error) {
		if (!found->searched)
			found->line_bytes = line;
		return error;
	}
	found->has_sets = false;
	level_conclude(found, x, &g, &line);
	/* Below a hashed level only whether there is more is of interest. */
	if (by->by_strides)
		found->more = g.found && (clears == OUTCOME_DECIDED ||
					  xray_is_below_hashed(x));
	if (!g.found)
		return by->by_strides && may_have_sets(x, &g) ?
			       find_by_sets(n, &g, f) :
			       0;
	found->by_strides = by->by_strides;
	*n->level = g.level;
	if (parameter_is_measured(&line))
		n->level->line_bytes = (uint64_t)line.value;
	if (by->by_strides && !found->more)
		found->more = xray_go_by_evictions(x, n->level, &found->linear);
	return 0;
}
