// SPDX-License-Identifier: GPL-2.0
/* next_level.c - one level: its latency, its geometry by one strategy after the
 * other, and whether anything lies below.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/evset/evset.h"
#include "method/level/xor_copies.h"
#include "method/levels/internal.h"
#include "method/levels/memory_end.h"
#include "method/levels/place.h"
#include "method/stride/stride.h"

/**
 * struct next - the search for a level
 * @x: its measurement
 * @above: the result of the level above; NULL: this is the first one
 * @memory_ticks: what a load of memory takes
 * @found: what is known of the level
 * @level: the same, for what lies below
 * @steady: lines that should all hit take the same time
 * @ends: OUTCOME_DECIDED: memory lies below
 */
struct next {
	struct xray *x;
	const struct cache_result *above;
	double memory_ticks;
	struct level_finding *found;
	struct xray_level *level;
	bool steady;
	enum outcome ends;
};

/* As it would be reported now. */
static struct cache_result result_of(const struct next *n)
{
	struct cache_result c;

	level_report(n->found, n->x->upper_count + 1, &c);
	return c;
}

static bool has_ways(const struct next *n)
{
	const struct cache_result c = result_of(n);

	return parameter_is_measured(&c.ways);
}

/* --- geometry ------------------------------------------------------------ */

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

	found->sets = result_of(n);
	found->has_sets = true;
	error = evset_measure(x, &found->sets,
			      x->upper_count ? 0 : g->seen_bytes, f);
	if (error)
		return error;
	error = xray_go_below(x, &found->sets, n->level, &outcome, f);
	found->more = outcome == OUTCOME_DECIDED;
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

static int find_geometry(struct next *n, const struct strategy *by,
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
	return 0;
}

/* --- lines evicted one by one -------------------------------------------- */

/* As levels.c does with levels found by strides, but while the evictor is known. */
static int find_by_evictions(struct next *n, struct evictor *ev,
			     struct failure *f)
{
	const struct strategy by = strategy_evictions(ev);
	enum verdict more = VERDICT_COMPACT;
	int error = 0;

	for (int i = 0; !error && more == VERDICT_COMPACT && i < XRAY_ATTEMPTS;
	     i++) {
		more = VERDICT_UNDECIDED;
		n->found->held[0] = '\0';
		error = find_geometry(n, &by, f);
		if (!error && has_ways(n))
			error = evict_look_later(ev, n->level, &more, f);
		if (!error && more == VERDICT_COMPACT)
			level_say(n->found->held, "%s", XRAY_MORE_ROOM);
	}
	if (error == -EINTR)
		level_say(n->found->held, "%s", XRAY_ENDED);
	return error;
}

/* Where XOR copies do not get past the hashed level above, lines may be evicted from
 * it one by one. found->evicted: they were, and what is found stands.
 */
static int try_evictions(struct next *n, struct failure *f)
{
	struct level_finding *found = n->found;
	const struct cache_result *above = n->above;
	struct evictor ev;
	int error;

	if (!isfinite(n->memory_ticks) || !xray_is_below_hashed(n->x) ||
	    !parameter_is_measured(&above->latency_ns) ||
	    evict_prepare(&ev, n->x,
			  prober_load_ticks(n->x->prober,
					    above->latency_ns.value),
			  n->memory_ticks))
		return 0;
	found->latency.steady = false;
	error = evict_measure_latency(&ev, &found->latency, f);
	found->evicted = !error && found->latency.steady;
	if (!found->evicted)
		return error;
	if (ev.hit_ticks > LEVEL_END_SHARE * n->memory_ticks) {
		found->exists = false;
		return 0;
	}
	error = find_by_evictions(n, &ev, f);
	if (!error && has_ways(n))
		error = evict_ends(&ev, n->level, &n->ends, f);
	return error;
}

/* Lines evicted one by one, or the level is open. */
static int evict_or_leave(struct next *n, const char *why, struct failure *f)
{
	int error = try_evictions(n, f);

	if (!error && !n->found->evicted)
		level_say(n->found->open, "%s", why);
	return error;
}

/* The curve is the second way to a latency. */
static int check_latency(struct next *n, struct failure *f)
{
	const struct cache_result c = result_of(n);

	if (!n->found->latency.decided ||
	    !parameter_is_measured(&c.capacity_bytes))
		return 0;
	return xray_check_plateau(n->x, (uint64_t)c.capacity_bytes.value,
				  &n->found->latency, f);
}

static int measure(struct next *n, struct failure *f)
{
	struct xray *x = n->x;
	const struct strategy by = strategy_strides(x);
	bool hiding = false;
	int error = x->upper_count ? xray_is_hiding(x, &hiding, f) : 0;

	if (!error && hiding)
		return evict_or_leave(n,
				      XRAY_USED_AGAIN
				      "no fixed-stride sequence fills it",
				      f);
	n->found->latency.steady = true;
	if (!error)
		error = level_measure_latency(x, &n->found->latency, f);
	n->steady = n->found->latency.steady;
	if (!error && !n->steady) {
		const struct latency_finding latency = n->found->latency;

		return evict_or_leave(n, latency.reason, f);
	}
	if (!error)
		error = xray_choose_counter(x, f);
	n->found->denied = x->denied;
	if (!error)
		error = find_geometry(n, &by, f);
	/* Lines that a policy keeps above are few of a set that was cleared as far
	 * as it goes, but enough to hide what lies below.
	 */
	if (!error && !has_ways(n))
		error = try_evictions(n, f);
	return error ? error : check_latency(n, f);
}

/* --- what lies around ---------------------------------------------------- */

/* *over: the control comes from memory, or a level lies before the one that it
 * comes from, in which no line stays.
 */
static int look_above(struct next *n, bool *over, struct failure *f)
{
	struct xray *x = n->x;
	bool memory;
	enum outcome between;
	int error = xray_control_is_memory(x, n->memory_ticks, &memory, f);

	if (!error)
		error = level_end_is_level(
			x->prober, n->above, n->memory_ticks,
			memory ? INFINITY : x->hit_ticks,
			memory ? NULL : &x->reference.control, &between, f);
	if (error)
		return error;
	n->found->exists = between == OUTCOME_DECIDED ||
			   (between == OUTCOME_VOID && !memory);
	*over = memory || n->found->exists;
	if (!n->found->exists)
		return 0;
	if (between == OUTCOME_VOID)
		level_say(
			n->found->open,
			"readings of the clock are off by too much to see whether lines that miss L%zu and take %.0f %% more lie in a level before this one",
			x->upper_count, 100 * (PLACE_FAR_BELOW - 1));
	else
		level_say(
			n->found->open,
			"faster than %s, but what surely misses L%zu misses this level, too: it holds too little more, or too few of the lines that are new",
			memory ? "memory" : "the next level", x->upper_count);
	return 0;
}

/* A level that holds little more than what is above is seen by few lines alone. */
static int look_narrow(struct next *n, bool *over, struct failure *f)
{
	const struct xray before = *n->x;
	enum outcome faster;
	int error = xray_narrow(n->x, &faster, f);

	if (error || faster != OUTCOME_DECIDED)
		return error;
	n->found->open[0] = '\0';
	error = look_above(n, over, f);
	if (*over)
		*n->x = before;
	return error;
}

/* Nothing more can be measured: is there anything? */
static int look_below(struct next *n, struct failure *f)
{
	const struct cache_result c = result_of(n);
	struct prober *p = n->x->prober;
	int error = 0;

	if (c.index == INDEX_UNKNOWN && !parameter_is_measured(&c.ways))
		return 0;
	if (n->ends != OUTCOME_DECIDED)
		error = level_end_of_set(p, &c, n->memory_ticks, &n->ends, f);
	if (!error && n->ends != OUTCOME_DECIDED)
		error = level_end_is_memory(p, &c, n->memory_ticks, &n->ends,
					    f);
	if (error || n->ends == OUTCOME_DECIDED)
		return error;
	level_leave_next(n->found, &c);
	return 0;
}

/* No more than a latency, which may be that of memory, is no level. */
static bool may_be_memory(const struct next *n)
{
	const struct cache_result c = result_of(n);

	return n->above && !isfinite(n->memory_ticks) &&
	       !parameter_is_measured(&c.ways) &&
	       !parameter_is_measured(&c.capacity_bytes);
}

static int conclude(struct next *n, int error, struct failure *f)
{
	struct level_finding *found = n->found;
	enum outcome memory = OUTCOME_OPEN;

	found->more &= found->exists;
	if (!error && !found->exists)
		return 0;
	if (!error && found->more)
		found->clearing_lines = xray_clearing(n->level);
	if (error == -EAGAIN) {
		level_say(found->rest_open, "%s", f->text);
		error = 0;
	}
	if (!error && may_be_memory(n)) {
		level_say(found->open,
			  "memory could not be timed: this may be memory");
		found->more = false;
		return 0;
	}
	found->by = xray_counter(n->x) ? "counters" : "time";
	/* Lines that partly hit above and partly come from memory are no level. */
	if (!error && !n->steady && n->above)
		error = level_end_of_set(n->x->prober, n->above,
					 n->memory_ticks, &memory, f);
	if (memory == OUTCOME_DECIDED)
		found->exists = found->more = false;
	return error || memory == OUTCOME_DECIDED || found->more ?
		       error :
		       look_below(n, f);
}

int level_find(struct xray *x, const struct cache_result *above,
	       double memory_ticks, struct level_finding *found,
	       struct xray_level *level, struct failure *f)
{
	struct next n = { .x = x,
			  .above = above,
			  .memory_ticks = memory_ticks,
			  .found = found,
			  .level = level,
			  .steady = true,
			  .ends = OUTCOME_OPEN };
	bool over = false;
	int error;

	prober_progress(x->prober, "L%zu: latency", x->upper_count + 1);
	error = prober_time(x->prober, &x->reference.control, 0, &x->hit_ticks,
			    f);
	if (error && error != -EAGAIN)
		return error == -ERANGE ? 0 : error;
	/* There is always a first level to report, if only as undecided. */
	if (!error && above) {
		error = look_above(&n, &over, f);
		if (!error && over && found->exists)
			error = look_narrow(&n, &over, f);
		if (error || over)
			return error;
	}
	found->exists = true;
	if (!error && above && xray_is_below_hashed(x) &&
	    !xray_copies_suffice(x))
		level_say(
			found->open,
			"below a level that is below a hashed one: no sequence is sure to miss both");
	else if (!error)
		error = measure(&n, f);
	return conclude(&n, error, f);
}
