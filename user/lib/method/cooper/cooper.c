// SPDX-License-Identifier: GPL-2.0
#include "method/cooper/cooper.h"

#include <math.h>
#include <stdio.h>

#include "method/cooper/time.h"

/* Less memory than this shows no cache. */
#define LEAST_BYTES (UINT64_C(64) << 10)
/*
 * Two tests of a capacity agree within one part in this many: a step between
 * footprints.
 */
#define ALIKE 8
/* Longer footprints are timed only on demand: each trial takes seconds. */
#define USUAL_BYTES (UINT64_C(128) << 20)

/* The gap test and C(k) must agree on the first level (IV: "later confirmed by
 * the more general tests").
 */
static void confirm_ways(struct cooper *c)
{
	struct parameter *ways;
	double effective, way;

	if (!c->r->cache_count)
		return;
	ways = &c->r->caches[0].ways;
	if (!c->l1.found) {
		parameter_undecided(
			ways, COOPER_METHOD,
			"the gap test found nothing: sharing or physical mapping can defeat it, and more than 32 ways");
		return;
	}
	effective = c->r->caches[0].capacity_bytes.value;
	way = (double)(c->l1.capacity_bytes / c->l1.ways);
	if (fabs(effective - (double)c->l1.capacity_bytes) >
	    effective / ALIKE) {
		parameter_undecided(
			ways, COOPER_METHOD,
			"the gap test says %llu ways of %.0f KiB, but the effective capacity is %.4g KiB: sharing or physical mapping can defeat it",
			(unsigned long long)c->l1.ways, way / 1024,
			effective / 1024);
		return;
	}
	parameter_measured(ways, (double)c->l1.ways, 0, COOPER_METHOD);
	snprintf(ways->reason, sizeof(ways->reason),
		 "gap test: more locations %.0f KiB apart miss", way / 1024);
}

/* IV-E: effective sizes and physical mapping leave nothing to rely on. */
static void leave_ways(struct side_result *r)
{
	for (size_t i = 1; i < r->cache_count; i++)
		parameter_unavailable(
			&r->caches[i].ways,
			"the gap test is for the first level only");
}

static int measure(struct cooper *c, struct failure *f)
{
	int error = cooper_measure_gap(c, f);

	if (!error) {
		c->p->done = 0.1;
		error = cooper_measure_capacities(c, f);
		confirm_ways(c);
		leave_ways(c->r);
	}
	if (!error) {
		c->p->done = 0.5;
		error = cooper_measure_lines(c, f);
	}
	if (!error)
		error = cooper_measure_latencies(c, f);
	if (!error && c->wanted->tlbs) {
		c->p->done = 0.7;
		error = cooper_measure_tlbs(c, f);
	}
	return error;
}

static uint64_t longest_footprint(const struct cooper *c)
{
	uint64_t wanted = c->wanted->most_bytes ? c->wanted->most_bytes :
						  USUAL_BYTES;
	uint64_t there = c->p->m->region.bytes;

	return wanted < there ? wanted : there;
}

static void cannot(struct side_result *r, const char *why)
{
	parameter_unavailable(&r->levels, "%s", why);
	parameter_unavailable(&r->memory_latency_cycles, "%s", why);
	r->complete = true;
}

int cooper_measure(struct prober *p, const struct cooper_wanted *wanted,
		   struct side_result *r, struct failure *f)
{
	struct cooper c = {
		.p = p,
		.wanted = wanted,
		.r = r,
		.page_bytes = p->m->region.page_bytes,
		.line_bytes = COOPER_LINE_BYTES,
		.patience = wanted->patience ? wanted->patience :
					       COOPER_PATIENCE,
	};
	struct failure why = { .text = "" };
	int error;

	side_result_begin(r, COOPER_METHOD);
	p->done = 0;
	c.most_bytes = longest_footprint(&c);
	if (c.most_bytes < LEAST_BYTES) {
		cannot(r, "less than 64 KiB of memory (give more)");
		return 0;
	}
	if (cooper_unit(&c, &why)) {
		cannot(r, why.text);
		return 0;
	}
	error = measure(&c, f);
	r->complete = !error;
	return error;
}
