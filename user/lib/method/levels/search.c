// SPDX-License-Identifier: GPL-2.0
/* search.c - the geometry of a level by one strategy, with patience. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/levels/internal.h"
#include "method/levels/tuning.h"
#include "method/probe/time_limit.h"
#include "method/stride/stride.h"

#define SHORT_LINE_BYTES 64

static int agree_by_strides(void *context, struct xray_geometry *g,
			    struct failure *f)
{
	struct xray *x = context;
	int error = xray_agree_on_geometry(x, g, f);

	if (!error && g->found && g->nested)
		error = xray_find_own_ways(x, &g->level, g->reason,
					   sizeof(g->reason), f);
	return error;
}

static int line_by_strides(void *context, struct xray_geometry *g,
			   struct parameter *line_bytes, struct failure *f)
{
	return xray_find_line(context, g, line_bytes, f);
}

/*
 * A line that is longer than those above is tried at their distance, too: shifts
 * below its length may have lines in sets that were overfull anyway, where a hash
 * leaves out bits by which the lines of a shift differ. The parts of a real line
 * find room where the line does.
 */
static int capacity_by_strides(void *context, const struct xray_level *level,
			       uint64_t line_bytes, enum outcome *outcome,
			       struct failure *f)
{
	struct xray *x = context;
	uint64_t shorter = line_bytes;
	int error = xray_check_capacity(x, level, line_bytes, outcome, f);

	if (x->upper_count)
		shorter = x->upper[x->upper_count - 1].line_bytes;
	if (error || *outcome != OUTCOME_DECIDED || !shorter ||
	    shorter >= line_bytes)
		return error;
	return xray_check_capacity(x, level, shorter, outcome, f);
}

struct strategy strategy_strides(struct xray *x)
{
	return (struct strategy){ .agree = agree_by_strides,
				  .find_line = line_by_strides,
				  .check_capacity = capacity_by_strides,
				  .context = x,
				  .by_strides = true };
}

static int agree_by_evictions(void *context, struct xray_geometry *g,
			      struct failure *f)
{
	return evict_agree_on_geometry(context, g, f);
}

static int line_by_evictions(void *context, struct xray_geometry *g,
			     struct parameter *line_bytes, struct failure *f)
{
	return evict_find_line(context, g, line_bytes, f);
}

static int capacity_by_evictions(void *context, const struct xray_level *level,
				 uint64_t line_bytes, enum outcome *outcome,
				 struct failure *f)
{
	return evict_check_capacity(context, level, line_bytes, outcome, f);
}

struct strategy strategy_evictions(struct evictor *ev)
{
	return (struct strategy){ .agree = agree_by_evictions,
				  .find_line = line_by_evictions,
				  .check_capacity = capacity_by_evictions,
				  .context = ev };
}

/* A way that an XOR-folded index makes seem too long does not fit. */
static int check_capacity(const struct strategy *by, struct xray_geometry *g,
			  const struct parameter *line, struct failure *f)
{
	bool measured = line->status == PARAMETER_MEASURED;
	uint64_t bytes = measured ? (uint64_t)line->value : SHORT_LINE_BYTES;
	enum outcome outcome = OUTCOME_OPEN;
	const char *why =
		"index is hashed, or other work (interrupts, too) takes its room";
	int error;

	error = by->check_capacity(by->context, &g->level, bytes, &outcome, f);
	if (error && error != -ERANGE && error != -EAGAIN)
		return error;
	if (outcome == OUTCOME_DECIDED)
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

static int find_level(const struct strategy *by, struct xray_geometry *g,
		      struct parameter *line, struct failure *f)
{
	int error = by->agree(by->context, g, f);

	if (!error && g->found)
		error = by->find_line(by->context, g, line, f);
	if (error == -EAGAIN && g->found) {
		parameter_undecided(line, LEVELS_METHOD, "%s", f->text);
		error = 0;
	}
	if (!error && g->found)
		error = check_capacity(by, g, line, f);
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
 * itself is most likely being used by other load, too (the core's other
 * thread, a hypervisor), which may stop.
 */
static int find_patiently(struct xray *x, const struct strategy *by,
			  struct xray_geometry *g, struct parameter *line,
			  struct failure *f)
{
	unsigned int pause_ms = PATIENCE_LEAST_MS;
	uint64_t most_bytes = 0;
	int error = find_level(by, g, line, f);

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
		error = find_level(by, g, line, f);
		if (!error)
			believe_most(g, most_bytes);
	}
	if (most_bytes > g->seen_bytes)
		g->seen_bytes = most_bytes;
	return error;
}

/* Where strides come to no end, because lines are hashed or other load uses the level,
 * time has to be left for eviction sets.
 */
int level_search(struct xray *x, const struct strategy *by,
		 struct xray_geometry *g, struct parameter *line,
		 struct failure *f)
{
	struct prober *p = x->prober;
	double all_ns = time_limit_left_ns(p);
	const uint64_t all = time_limit_left_accesses(p);
	bool shared = x->upper_count && by->by_strides && !xray_counter(x);
	struct time_limit before;
	int error;

	time_limit_set(p, shared ? all_ns * STRIDES_SHARE : all_ns, &before);
	if (shared)
		time_limit_accesses(p, (uint64_t)((double)all * STRIDES_SHARE));
	error = find_patiently(x, by, g, line, f);
	if (!time_limit_ended(p, &before, error))
		return error;
	*g = (struct xray_geometry){ .unclear = true };
	if (isfinite(all_ns))
		snprintf(g->reason, sizeof(g->reason),
			 "strides come to no answer within %.3g s",
			 STRIDES_SHARE * all_ns * 1e-9);
	else
		snprintf(g->reason, sizeof(g->reason),
			 "strides come to no answer within %.3g accesses",
			 STRIDES_SHARE * (double)all);
	return 0;
}

int level_measure_latency(struct xray *x, struct latency_finding *found,
			  struct failure *f)
{
	const struct xray before = *x;
	enum outcome faster = OUTCOME_OPEN;
	int error = xray_measure_latency(x, found, f);

	if (!error && !found->steady)
		error = xray_narrow(x, &faster, f);
	if (error || faster != OUTCOME_DECIDED)
		return error;
	error = xray_measure_latency(x, found, f);
	if (!found->steady)
		*x = before;
	return error;
}
