// SPDX-License-Identifier: GPL-2.0
/* report.c - findings of a level become its result. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "method/level/xor_copies.h"
#include "method/levels/finding.h"

void level_say(char reason[LEVEL_REASON], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, LEVEL_REASON, format, args);
	va_end(args);
}

enum unreached level_say_unreached(const struct cache_result *c,
				   char reason[LEVEL_REASON])
{
	const bool no_stride = c->index == INDEX_HASHED ||
			       c->index == INDEX_UNKNOWN;

	level_say(
		reason,
		"L%d: %s, so no sequence is sure to miss it and reach what lies below, if anything does",
		c->level,
		no_stride ?
			"no stride finds its sets" :
			"the policy keeps lines whatever comes, or the CPU is too busy to know");
	/* A first level is the core's own: strides get past it, unless it is hashed. */
	return c->level == 1 && c->index != INDEX_HASHED ? UNREACHED_BUSY :
							   UNREACHED_BY_STRIDES;
}

void level_leave_next(struct level_finding *found, const struct cache_result *c)
{
	found->next_unreached = level_say_unreached(c, found->next_open);
}

void level_conclude(struct level_finding *found, const struct xray *x,
		    const struct xray_geometry *g, const struct parameter *line)
{
	found->searched = true;
	found->geometry = *g;
	found->line_bytes = *line;
	found->below_first = x->upper_count > 0;
	found->xor_copies = xray_is_below_hashed(x);
	found->bound = xray_bound(x);
	found->effective_bytes = 0;
	if (g->found)
		found->effective_bytes =
			g->level.own ? xray_effective_bytes(x, &g->level) :
				       g->level.ways * g->level.way_bytes;
}

static void report_latency(const struct latency_finding *l,
			   struct parameter *cycles, struct parameter *ns)
{
	if (!l->method)
		return;
	if (!l->decided) {
		parameter_undecided(cycles, l->method, "%s", l->reason);
		*ns = *cycles;
	} else if (l->latency.ticks <= 0) {
		parameter_undecided(
			cycles, l->method,
			"the clock stands still while it is loaded");
		*ns = *cycles;
	} else {
		if (isfinite(l->latency.cycles))
			parameter_measured(cycles, l->latency.cycles, 0,
					   l->method);
		else
			parameter_undecided(
				cycles, l->method,
				"one core cycle could not be timed");
		parameter_measured(ns, l->latency.ns, 0, l->method);
	}
}

void memory_report(const struct memory_finding *found, struct hierarchy *h)
{
	if (found->cycle_ns > 0)
		parameter_measured(&h->cycle_ns, found->cycle_ns, 0,
				   "integer additions");
	report_latency(&found->latency, &h->memory_latency_cycles,
		       &h->memory_latency_ns);
}

static void report_open(const struct level_finding *found,
			struct cache_result *c)
{
	const char *why = found->geometry.reason;
	struct parameter *open[] = { &c->index_decision, &c->ways,
				     &c->capacity_bytes, &c->line_bytes,
				     &c->sets };

	c->index = found->geometry.hashed ? INDEX_HASHED : INDEX_UNKNOWN;
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		parameter_undecided(open[i], LEVELS_METHOD, "%s", why);
	if (found->below_first) {
		c->effective_ways = c->ways;
		c->effective_capacity_bytes = c->capacity_bytes;
	}
}

/* What a program can use: in an exclusive hierarchy the sum. */
static void report_effective(const struct level_finding *found,
			     struct cache_result *c)
{
	const struct xray_level *level = &found->geometry.level;
	uint64_t bytes = found->effective_bytes;

	if (!bytes) {
		parameter_undecided(&c->effective_capacity_bytes, LEVELS_METHOD,
				    "%zu lines fit into a set that holds %zu",
				    level->ways, level->own);
		c->effective_ways = c->effective_capacity_bytes;
		return;
	}
	parameter_measured(&c->effective_capacity_bytes, (double)bytes,
			   found->bound, LEVELS_METHOD);
	if (bytes % level->way_bytes)
		parameter_undecided(
			&c->effective_ways, LEVELS_METHOD,
			"levels above add less than a way to each set");
	else
		parameter_measured(&c->effective_ways,
				   (double)(bytes / level->way_bytes),
				   found->bound, LEVELS_METHOD);
}

/* A hashed level above adds its capacity, but to no set of this one. */
static void report_victims(const struct level_finding *found,
			   struct cache_result *c)
{
	const struct xray_geometry *g = &found->geometry;

	if (g->level.own && g->takes == VERDICT_NON_COMPACT) {
		c->effective_ways = c->ways;
		c->effective_capacity_bytes = c->capacity_bytes;
		return;
	}
	parameter_undecided(
		&c->effective_capacity_bytes, LEVELS_METHOD,
		"whether it holds what the levels above evict is not known");
	c->effective_ways = c->effective_capacity_bytes;
	if (!g->level.own || g->takes != VERDICT_COMPACT)
		return;
	parameter_undecided(&c->effective_ways, LEVELS_METHOD,
			    "levels above add less than a way to each set");
	c->inclusion = INCLUSION_EXCLUSIVE;
	parameter_measured(&c->inclusion_decision, INCLUSION_EXCLUSIVE,
			   found->bound, LEVELS_METHOD);
}

static void report_ways(const struct level_finding *found,
			struct cache_result *c)
{
	const struct xray_level *level = &found->geometry.level;

	if (!level->own) {
		parameter_undecided(&c->ways, LEVELS_METHOD, "%s",
				    found->geometry.reason);
		c->capacity_bytes = c->ways;
		return;
	}
	parameter_measured(&c->ways, (double)level->own, found->bound,
			   LEVELS_METHOD);
	parameter_measured(&c->capacity_bytes,
			   (double)(level->own * level->way_bytes),
			   found->bound, LEVELS_METHOD);
}

static void report_geometry(const struct level_finding *found,
			    struct cache_result *c)
{
	c->index = found->geometry.modulo ? INDEX_MODULO : INDEX_LINEAR;
	parameter_measured(&c->index_decision, 0, found->bound, LEVELS_METHOD);
	report_ways(found, c);
	if (found->xor_copies)
		report_victims(found, c);
	else if (found->below_first)
		report_effective(found, c);
	if (parameter_is_measured(&c->line_bytes))
		parameter_measured(&c->sets,
				   (double)found->geometry.level.way_bytes /
					   c->line_bytes.value,
				   found->bound, LEVELS_METHOD);
	else
		parameter_undecided(&c->sets, LEVELS_METHOD,
				    "the line size is not decided");
}

/* What rests on the number of ways. */
static void leave_held(struct cache_result *c, const char *why)
{
	struct parameter *counted[] = { &c->ways, &c->capacity_bytes,
					&c->effective_ways,
					&c->effective_capacity_bytes };

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (parameter_is_measured(counted[i]))
			parameter_undecided(counted[i], LEVELS_METHOD, "%s",
					    why);
	c->clearing_lines = 0;
	if (c->inclusion != INCLUSION_UNKNOWN)
		parameter_undecided(&c->inclusion_decision, LEVELS_METHOD, "%s",
				    why);
	c->inclusion = INCLUSION_UNKNOWN;
}

/* What rests on one set that eviction sets have found. */
static void leave_set(struct cache_result *c, const char *why)
{
	if (parameter_is_measured(&c->line_bytes))
		parameter_undecided(&c->line_bytes, LEVELS_METHOD, "%s", why);
	if (parameter_is_measured(&c->sets))
		parameter_undecided(&c->sets, LEVELS_METHOD, "%s", why);
	parameter_undecided(&c->index_decision, LEVELS_METHOD, "%s", why);
	c->index = INDEX_UNKNOWN;
}

/* What each search has left. */
static void report_search(const struct level_finding *found,
			  struct cache_result *c)
{
	if (found->has_sets)
		*c = found->sets;
	else if (found->line_bytes.method)
		c->line_bytes = found->line_bytes;
	if (found->has_sets || !found->searched)
		return;
	if (found->geometry.found)
		report_geometry(found, c);
	else
		report_open(found, c);
}

void level_report(const struct level_finding *found, size_t number,
		  struct cache_result *c)
{
	/* A counter that contradicts may be wrong, and so may a latency that
	 * nothing else supports.
	 */
	struct latency_finding doubted = {
		.method = LEVELS_METHOD,
		.reason =
			"the level's counter says that these lines miss, and nothing else shows that they hit"
	};
	bool unsupported;

	cache_result_init(c, (int)number);
	c->unreached = found->unreached;
	if (found->open[0]) {
		cache_result_leave_open(c, LEVELS_METHOD, found->open);
		if (found->by)
			cache_result_say_by(c, found->by);
		return;
	}
	report_search(found, c);
	unsupported = found->denied && !found->evicted &&
		      !parameter_is_measured(&c->ways);
	report_latency(unsupported ? &doubted : &found->latency,
		       &c->latency_cycles, &c->latency_ns);
	c->clearing_lines = found->clearing_lines;
	if (found->rest_open[0])
		cache_result_leave_rest_open(c, LEVELS_METHOD,
					     found->rest_open);
	if (found->by)
		cache_result_say_by(c, found->by);
	if (found->held[0])
		leave_held(c, found->held);
	if (found->set_open[0])
		leave_set(c, found->set_open);
}
