// SPDX-License-Identifier: GPL-2.0
/* miss.c - what a line of code costs that misses the instruction cache. */
#include <errno.h>
#include <math.h>

#include "method/instruction/icache.h"
#include "method/instruction/tuning.h"
#include "method/level/latency.h"
#include "method/stride/stride.h"
#include "observe/sampler.h"

/* Lines of one set of which none stays, in times its ways: LRU needs one line more
 * than ways, and random replacement keeps 6 % and 2 % of as many as these.
 */
static const size_t times_ways[] = { 3, 4 };
#define LOOKS (sizeof(times_ways) / sizeof(times_ways[0]))

/*
 * Elements of one set of the cache, and as many of the same rows in sets of their own,
 * in turn: both take longer while another thread of the core is busy, so that the least
 * of each counts.
 */
static int time_misses(struct icache *c, size_t lines, struct latency *cost,
		       struct failure *f)
{
	const struct shape missing = { .inner = 1,
				       .stride = c->g.level.way_bytes,
				       .outer = lines };
	const struct shape apart = xray_apart(&c->x, &c->g.level, &missing);
	/* Samples are what they would have taken with such a cycle. */
	const double cycle = c->p.cycle_ticks > 0 ? c->p.cycle_ticks :
						    sampler_cycle_ticks(c->p.m);
	double least = INFINITY, hit = INFINITY;
	int error = 0;

	for (int i = 0; !error && i < COST_TRIES; i++) {
		double miss = 0, now = 0;

		error = prober_time(&c->p, &missing, 0, &miss, f);
		if (!error)
			error = prober_time(&c->p, &apart, 0, &now, f);
		least = fmin(least, miss);
		hit = fmin(hit, now);
	}
	cost->ticks = least - hit;
	cost->cycles = cycle > 0 ? cost->ticks / cycle : NAN;
	cost->ns = cost->ticks / c->p.m->timer.ticks_per_ns;
	return error;
}

/* By both numbers of lines. */
static int time_both(struct icache *c, struct latency *costs, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < LOOKS; i++)
		error = time_misses(c, times_ways[i] * c->g.level.ways,
				    &costs[i], f);
	return error;
}

static void conclude(struct icache *c, const struct latency *costs)
{
	struct parameter *found = &c->found->miss_cycles;

	if (!isfinite(costs[0].cycles) || !isfinite(costs[1].cycles))
		parameter_undecided(found, ICACHE_METHOD,
				    "one core cycle could not be timed");
	else if (!latency_same(&costs[0], &costs[1]))
		parameter_undecided(
			found, ICACHE_METHOD,
			"%.1f cycles by %zu lines of a set, %.1f by %zu",
			costs[0].cycles, times_ways[0] * c->g.level.ways,
			costs[1].cycles, times_ways[1] * c->g.level.ways);
	else
		parameter_measured(found,
				   (costs[0].cycles + costs[1].cycles) / LOOKS,
				   0, ICACHE_METHOD);
}

int icache_find_miss(struct icache *c, struct failure *f)
{
	struct parameter *found = &c->found->miss_cycles;
	int error = 0;

	for (int i = 0;
	     !error && i < MISS_ATTEMPTS && !parameter_is_measured(found);
	     i++) {
		struct latency costs[LOOKS];

		error = time_both(c, costs, f);
		if (!error)
			conclude(c, costs);
	}
	if (error != -ERANGE && error != -EAGAIN)
		return error;
	parameter_undecided(found, ICACHE_METHOD,
			    error == -EAGAIN ? "all samples were disturbed" :
					       "too few executable pages");
	f->text[0] = '\0';
	return 0;
}
