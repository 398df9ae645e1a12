// SPDX-License-Identifier: GPL-2.0
#include "method/evict/evict.h"
#include "method/evset/evset.h"
#include "method/level/level.h"
#include "method/levels/memory_end.h"
#include "method/probe/time_limit.h"
#include "method/stride/reuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define METHOD "x-ray"

/* Looks at a first level that contradicts itself, and how far they lie apart, more
 * each time: somebody else's work takes milliseconds, or lasts seconds.
 */
#define PATIENCE 8
#define PATIENCE_MS 1500
#define PATIENCE_LEAST_MS 50
#define PATIENCE_GROWTH 2

#define SHORT_LINE_BYTES 64

/* Of the time for a level, where eviction sets come next. */
#define STRIDES_SHARE 0.25

/* Takes back what a folded index has pretended. */
static int check_capacity(struct xray *x, struct xray_geometry *g,
			  const struct parameter *line, struct failure *f)
{
	bool measured = line->status == PARAMETER_MEASURED;
	uint64_t bytes = measured ? (uint64_t)line->value : SHORT_LINE_BYTES;
	bool fits = false;
	const char *why =
		"index is hashed, or others (interrupts, too) take its room";
	int error;

	if (x->pushed)
		error = pushed_check_capacity(x->pushed, &g->level, bytes,
					      &fits, f);
	else
		error = xray_check_capacity(x, &g->level, bytes, &fits, f);
	if (error && error != -ERANGE && error != -EAGAIN)
		return error;
	if (fits)
		return 0;
	if (error)
		why = error == -EAGAIN ? "the CPU is too busy" :
					 "too little memory";
	g->found = false;
	g->hashed = !error;
	snprintf(
		g->reason, sizeof(g->reason),
		"%s: %zu lines %llu bytes apart look like a whole set, but %llu KiB %s",
		why, g->level.ways, (unsigned long long)g->level.way_bytes,
		(unsigned long long)(g->level.ways * g->level.way_bytes >> 10),
		error ? "could not be tried" : "do not fit");
	return 0;
}

static int find_level(struct xray *x, struct xray_geometry *g,
		      struct parameter *line, struct failure *f)
{
	int error = xray_agree_on_geometry(x, g, f);

	if (!error && g->found && g->nested)
		error = xray_find_own_ways(x, &g->level, g->reason,
					   sizeof(g->reason), f);
	if (!error && g->found)
		error = x->pushed ? pushed_find_line(x, g, line, f) :
				    xray_find_line(x, g, line, f);
	if (error == -EAGAIN && g->found) {
		parameter_undecided(line, METHOD, "%s", f->text);
		error = 0;
	}
	if (!error && g->found)
		error = check_capacity(x, g, line, f);
	return error;
}

/* Room is only ever taken away, so what held more a while ago has more. */
static void believe_most(struct xray_geometry *g, uint64_t most_bytes)
{
	if (!g->found || g->level.ways * g->level.way_bytes >= most_bytes)
		return;
	g->found = false;
	snprintf(
		g->reason, sizeof(g->reason),
		"repetitions disagree: %zu ways of %llu bytes, and before %llu KiB (is the CPU shared with other work?)",
		g->level.ways, (unsigned long long)g->level.way_bytes,
		(unsigned long long)(most_bytes >> 10));
}

/*
 * The first level is the core's own and seldom hashed: one that contradicts
 * itself is most likely being used by somebody else, too (the core's other
 * thread, a hypervisor), who may stop.
 */
static int find_patiently(struct xray *x, struct xray_geometry *g,
			  struct parameter *line, struct failure *f)
{
	unsigned int pause_ms = PATIENCE_LEAST_MS;
	uint64_t most_bytes = 0;
	int error = find_level(x, g, line, f);

	for (int i = 0; !x->upper_count && i < PATIENCE; i++) {
		if (error ? error != -EAGAIN : g->found || g->translation)
			break;
		if (!error && g->seen_bytes > most_bytes)
			most_bytes = g->seen_bytes;
		prober_progress(x->prober, "L1: again, it contradicted itself");
		x->prober->m->ops->pause(x->prober->m, pause_ms);
		pause_ms *= PATIENCE_GROWTH;
		if (pause_ms > PATIENCE_MS)
			pause_ms = PATIENCE_MS;
		x->begin = 0;
		error = find_level(x, g, line, f);
		if (!error)
			believe_most(g, most_bytes);
	}
	if (most_bytes > g->seen_bytes)
		g->seen_bytes = most_bytes;
	return error;
}

/* Eviction sets need no strides, and have controls of their own: where lines
 * conflict, but others' work or translations kept strides from a verdict, they may
 * come to one.
 */
static bool may_have_sets(const struct xray *x, const struct xray_geometry *g)
{
	bool unclear = g->unclear && x->upper_count && !xray_counter(x);

	return g->hashed || g->cramped || unclear;
}

/* Where strides come to no end, because lines are hashed or others use the level,
 * time has to be left for eviction sets.
 */
static int find_by_strides(struct xray *x, struct xray_geometry *g,
			   struct parameter *line, struct failure *f)
{
	struct prober *p = x->prober;
	double all_ns = time_limit_left_ns(p);
	bool shared = x->upper_count && !x->pushed && !xray_counter(x);
	struct time_limit before;
	int error;

	time_limit_set(p, shared ? all_ns * STRIDES_SHARE : all_ns, &before);
	error = find_patiently(x, g, line, f);
	if (!time_limit_ended(p, &before, error))
		return error;
	*g = (struct xray_geometry){ .unclear = true };
	snprintf(g->reason, sizeof(g->reason),
		 "strides come to no answer within %.3g s",
		 STRIDES_SHARE * all_ns * 1e-9);
	return 0;
}

/* One level; *level is filled in when the next one can be measured. */
static int measure_level(struct xray *x, struct cache_result *c,
			 struct xray_level *level, bool *found,
			 struct failure *f)
{
	struct xray_geometry g = { .found = false };
	bool clears = true;
	int error = find_by_strides(x, &g, &c->line_bytes, f);

	if (error)
		return error;
	if (g.found && !x->pushed)
		error = xray_check_reuse(x, &g, &c->line_bytes, f);
	if (!error && g.found && !x->pushed)
		error = xray_find_clearing(x, &g.level, &clears, f);
	/* What is known stays; only the next level is out of reach. */
	if (error == -EAGAIN)
		clears = false;
	else if (error)
		return error;
	/* Below a hashed level it is only asked whether there is more. */
	*found = g.found && (clears || xray_is_folded(x));
	if (!g.found) {
		uint64_t seen = x->upper_count ? 0 : g.seen_bytes;

		xray_report_open(x, c, &g);
		if (x->pushed || !may_have_sets(x, &g))
			return 0;
		error = evset_measure(x, c, seen, f);
		return error ? error : xray_go_below(x, c, level, found, f);
	}
	xray_report_geometry(x, c, &g);
	x->by_strides = !x->pushed;
	*level = g.level;
	if (c->line_bytes.status == PARAMETER_MEASURED)
		level->line_bytes = (uint64_t)c->line_bytes.value;
	return 0;
}

/* Do most lines of one set, far more than its ways, come from memory? */
static int ends_at_memory(struct prober *p, const struct cache_result *c,
			  double memory_ticks, bool *ends, struct failure *f)
{
	double ticks = 0;
	int error;

	*ends = false;
	if (!c->set_line_count)
		return 0;
	error = xray_time_lines(p, c->set_lines, c->set_line_count, &ticks, f);
	*ends = ticks > LEVEL_END_SHARE * memory_ticks;
	return error;
}

static void leave_next_open(struct hierarchy *h, const struct cache_result *c)
{
	const char *why =
		c->index == INDEX_HASHED || c->index == INDEX_UNKNOWN ?
			"no stride finds its sets" :
			"the policy keeps lines whatever comes, or the CPU is too busy to tell";
	struct cache_result *next = hierarchy_add(h);
	char reason[200];

	snprintf(
		reason, sizeof(reason),
		"L%d: %s, so no sequence is sure to miss it and reach what lies below, if anything does",
		c->level, why);
	if (next)
		xray_leave_open(next, reason);
}

/**
 * struct below - what is known of what lies below a level
 * @memory_ticks: what a load of memory takes
 * @more: sequences get past the level
 * @none: it is no level but memory
 * @ends: memory lies below
 * @steady: the lines that should all hit do so
 */
struct below {
	double memory_ticks;
	bool more;
	bool none;
	bool ends;
	bool steady;
};

/* As the levels that strides tell (levels.c), but while it is known how lines
 * are pushed out.
 */
static int measure_pushed(struct xray *x, struct cache_result *c,
			  struct xray_level *level, struct failure *f)
{
	bool held = true, unused;
	int error = 0;

	for (int i = 0; !error && held && i < XRAY_ATTEMPTS; i++) {
		held = false;
		error = measure_level(x, c, level, &unused, f);
		if (!error && parameter_is_measured(&c->ways))
			error = pushed_look_later(x, level, &held, f);
		if (held)
			xray_leave_held(c, XRAY_MORE_ROOM);
	}
	if (error == -EINTR)
		xray_leave_held(c, XRAY_ENDED);
	return error;
}

/* Where folds do not get past the hashed level above, lines may be pushed out
 * of it one by one. *tried: they were, and what is found stands.
 */
static int try_pushing(struct xray *x, struct cache_result *c,
		       struct xray_level *level, struct below *below,
		       bool *tried, struct failure *f)
{
	struct pushed pu;
	int error;

	*tried = false;
	if (!isfinite(below->memory_ticks) || !xray_is_folded(x) ||
	    !parameter_is_measured(&c[-1].latency_ns) ||
	    pushed_prepare(&pu, x,
			   prober_load_ticks(x->prober, c[-1].latency_ns.value),
			   below->memory_ticks))
		return 0;
	error = pushed_measure_latency(&pu, c, tried, f);
	if (error || !*tried)
		return error;
	below->none = pu.hit_ticks > LEVEL_END_SHARE * below->memory_ticks;
	if (below->none)
		return 0;
	x->pushed = &pu;
	error = measure_pushed(x, c, level, f);
	if (!error && parameter_is_measured(&c->ways))
		error = pushed_ends(&pu, level, &below->ends, f);
	x->pushed = NULL;
	return error;
}

/* A counter that contradicts may be wrong, and so may what it contradicts, of
 * which a latency is all that is known.
 */
static void doubt_latency(const struct xray *x, struct cache_result *c)
{
	if (!x->denied || parameter_is_measured(&c->ways))
		return;
	parameter_undecided(
		&c->latency_ns, METHOD,
		"the level's counter says that these lines miss, and nothing else tells that they hit");
	c->latency_cycles = c->latency_ns;
}

static int measure_next(struct xray *x, struct cache_result *c,
			struct xray_level *level, struct below *below,
			struct failure *f)
{
	bool hiding = false, tried = false;
	int error = x->upper_count ? xray_is_hiding(x, &hiding, f) : 0;

	below->steady = true;
	if (!error && hiding) {
		error = try_pushing(x, c, level, below, &tried, f);
		if (error || tried)
			return error;
		xray_leave_open(c, XRAY_USED_AGAIN
				"no fixed-stride sequence fills it");
		return 0;
	}
	if (!error)
		error = xray_measure_latency(x, c, &below->steady, f);
	if (!error && !below->steady) {
		const struct parameter latency = c->latency_cycles;

		error = try_pushing(x, c, level, below, &tried, f);
		if (error || tried)
			return error;
		xray_leave_open(c, latency.reason);
		return 0;
	}
	if (!error)
		error = xray_choose_counter(x, f);
	if (!error)
		error = measure_level(x, c, level, &below->more, f);
	/* Lines that a policy keeps above are few of a set that was cleared as far
	 * as it goes, but enough to hide what lies below.
	 */
	if (!error && !parameter_is_measured(&c->ways))
		error = try_pushing(x, c, level, below, &tried, f);
	if (!tried)
		doubt_latency(x, c);
	return error;
}

/* No more than a latency, which may be that of memory, is no level. */
static bool may_be_memory(struct cache_result *c, double memory_ticks,
			  bool *more)
{
	if (isfinite(memory_ticks) || parameter_is_measured(&c->ways) ||
	    parameter_is_measured(&c->capacity_bytes))
		return false;
	xray_leave_open(c, "memory could not be timed: this may be memory");
	c->index = INDEX_UNKNOWN;
	*more = false;
	return true;
}

/* *ends: the control comes from memory, or a level lies before it that nothing
 * stays in.
 */
static int look_around(struct xray *x, struct hierarchy *h, double memory_ticks,
		       bool *ends, struct failure *f)
{
	bool memory = x->hit_ticks > LEVEL_END_SHARE * memory_ticks;
	int error = xray_look_between(
		x, h, memory_ticks, memory ? INFINITY : x->hit_ticks, ends, f);

	*ends |= memory;
	return error;
}

/* Nothing more can be measured: is there anything? */
static int find_end(struct prober *p, struct hierarchy *h,
		    const struct cache_result *c, struct below *below,
		    struct failure *f)
{
	int error = 0;

	if (!below->ends)
		error = ends_at_memory(p, c, below->memory_ticks, &below->ends,
				       f);
	if (!error && !below->ends)
		error = level_end_is_memory(p, c, below->memory_ticks,
					    &below->ends, f);
	if (!error && !below->ends)
		leave_next_open(h, c);
	return error;
}

int xray_next_level(struct xray *x, struct hierarchy *h,
		    struct xray_level *level, double memory_ticks, bool *more,
		    struct failure *f)
{
	struct below below = { .memory_ticks = memory_ticks, .steady = true };
	struct prober *p = x->prober;
	const size_t count = x->upper_count;
	bool ends = false;
	struct cache_result *c;
	int error;

	*more = false;
	prober_progress(p, "L%zu: latency", count + 1);
	error = prober_time(p, &x->reference.control, 0, &x->hit_ticks, f);
	if (error && error != -EAGAIN)
		return error == -ERANGE ? 0 : error;
	/* There is always a first level to report, if only as undecided. */
	if (!error && count) {
		error = look_around(x, h, memory_ticks, &ends, f);
		if (error || ends)
			return error;
	}
	c = hierarchy_add(h);
	if (!c)
		return 0;
	if (!error && count && xray_is_folded(x) && !xray_folds_suffice(x))
		xray_leave_open(
			c,
			"below a level that is below a hashed one: no sequence is sure to miss both");
	else if (!error)
		error = measure_next(x, c, level, &below, f);
	*more = below.more;
	if (!error && below.none) {
		h->cache_count--;
		return 0;
	}
	if (!error && *more)
		c->clearing_lines = xray_clearing(level);
	if (error == -EAGAIN) {
		xray_report_rest_open(c, f->text);
		error = 0;
	}
	if (!error && count && may_be_memory(c, memory_ticks, more))
		return 0;
	xray_say_by(x, c);
	/* Lines that partly hit above and partly come from memory are no level. */
	if (!error && !below.steady && count)
		error = ends_at_memory(p, c - 1, memory_ticks, &ends, f);
	if (ends)
		h->cache_count--;
	if (error || ends || *more ||
	    (c->index == INDEX_UNKNOWN && c->ways.status != PARAMETER_MEASURED))
		return error;
	return find_end(p, h, c, &below, f);
}
