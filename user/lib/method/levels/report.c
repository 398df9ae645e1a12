// SPDX-License-Identifier: GPL-2.0
/* report.c - what the search for a geometry says of a level. */
#include <string.h>

#include "method/level/level.h"

#define METHOD "x-ray"

void xray_report_open(const struct xray *x, struct cache_result *c,
		      const struct xray_geometry *g)
{
	c->index = g->hashed ? INDEX_HASHED : INDEX_UNKNOWN;
	parameter_undecided(&c->index_decision, METHOD, "%s", g->reason);
	parameter_undecided(&c->ways, METHOD, "%s", g->reason);
	parameter_undecided(&c->capacity_bytes, METHOD, "%s", g->reason);
	parameter_undecided(&c->line_bytes, METHOD, "%s", g->reason);
	parameter_undecided(&c->sets, METHOD, "%s", g->reason);
	if (x->upper_count) {
		c->effective_ways = c->ways;
		c->effective_capacity_bytes = c->capacity_bytes;
	}
}

void xray_report_rest_open(struct cache_result *c, const char *reason)
{
	struct parameter *all[CACHE_PARAMETERS];

	cache_parameters(c, all);
	for (size_t i = 0; i < CACHE_PARAMETERS; i++)
		if (!strcmp(all[i]->reason, RESULT_NOT_MEASURED))
			parameter_undecided(all[i], METHOD, "%s", reason);
	if (c->index == INDEX_UNKNOWN)
		parameter_undecided(&c->index_decision, METHOD, "%s", reason);
}

/* What a program can use: in an exclusive hierarchy the sum. */
static void report_effective(const struct xray *x, struct cache_result *c,
			     const struct xray_level *level, double bound)
{
	uint64_t bytes = level->own ? xray_effective_bytes(x, level) :
				      level->ways * level->way_bytes;

	if (!bytes) {
		parameter_undecided(&c->effective_capacity_bytes, METHOD,
				    "%zu lines fit into a set that holds %zu",
				    level->ways, level->own);
		c->effective_ways = c->effective_capacity_bytes;
		return;
	}
	parameter_measured(&c->effective_capacity_bytes, (double)bytes, bound,
			   METHOD);
	if (bytes % level->way_bytes)
		parameter_undecided(
			&c->effective_ways, METHOD,
			"levels above add less than a way to each set");
	else
		parameter_measured(&c->effective_ways,
				   (double)(bytes / level->way_bytes), bound,
				   METHOD);
}

/* Below a hashed level: what that adds it adds to no set of this one. */
static void report_victims(struct cache_result *c,
			   const struct xray_geometry *g, double bound)
{
	if (g->level.own && g->takes == VERDICT_NON_COMPACT) {
		c->effective_ways = c->ways;
		c->effective_capacity_bytes = c->capacity_bytes;
		return;
	}
	parameter_undecided(
		&c->effective_capacity_bytes, METHOD,
		"whether it holds what the levels above throw out is not known");
	c->effective_ways = c->effective_capacity_bytes;
	if (!g->level.own || g->takes != VERDICT_COMPACT)
		return;
	parameter_undecided(&c->effective_ways, METHOD,
			    "levels above add less than a way to each set");
	c->inclusion = INCLUSION_EXCLUSIVE;
	parameter_measured(&c->inclusion_decision, INCLUSION_EXCLUSIVE, bound,
			   METHOD);
}

void xray_report_geometry(const struct xray *x, struct cache_result *c,
			  const struct xray_geometry *g)
{
	const struct xray_level *level = &g->level;
	const double bound = xray_bound(x);

	c->index = g->modulo ? INDEX_MODULO : INDEX_LINEAR;
	parameter_measured(&c->index_decision, 0, bound, METHOD);
	if (level->own) {
		parameter_measured(&c->ways, (double)level->own, bound, METHOD);
		parameter_measured(&c->capacity_bytes,
				   (double)(level->own * level->way_bytes),
				   bound, METHOD);
	} else {
		parameter_undecided(&c->ways, METHOD, "%s", g->reason);
		parameter_undecided(&c->capacity_bytes, METHOD, "%s",
				    g->reason);
	}
	if (xray_is_folded(x))
		report_victims(c, g, bound);
	else if (x->upper_count)
		report_effective(x, c, level, bound);
	if (c->line_bytes.status == PARAMETER_MEASURED)
		parameter_measured(&c->sets,
				   (double)level->way_bytes /
					   c->line_bytes.value,
				   bound, METHOD);
	else
		parameter_undecided(&c->sets, METHOD,
				    "the line size is not decided");
}
