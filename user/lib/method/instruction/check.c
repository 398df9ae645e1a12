// SPDX-License-Identifier: GPL-2.0
/* check.c - a cache of code, or what keeps decoded instructions? */
#include <math.h>

#include "method/stride/stride.h"
#include "method/instruction/icache.h"
#include "method/instruction/tuning.h"

/* Of what L2 takes: a line that is missed costs as much, less the cycles that a
 * hit takes, plus those in which fetching begins again (a Zen 5: 1.3 times).
 */
#define LEAST_COST 0.45
#define MOST_COST 2
/* Elements so long, full of the shortest instructions, still leave what keeps
 * decoded instructions too small; no line is shorter.
 */
#define ELEMENT_BYTES 32
/* Part of its ways that a cache has less than what hides it, at least. */
#define FEWER 4
/* Lines of one set of which none stays, in times its ways. */
#define MANY_TIMES 3
/* As data the same lines cost as much as code, or nothing: between the two. */
#define COST_AS_DATA 0.5

double icache_below_ticks(const struct icache *c, const struct hierarchy *data)
{
	if (data->cache_count < 2 ||
	    !parameter_is_measured(&data->caches[1].latency_ns))
		return 0;
	return prober_load_ticks(&c->p, data->caches[1].latency_ns.value);
}

/* Lines of one set of which none stays. */
static struct shape missing_lines(const struct icache *c)
{
	return (struct shape){ .inner = 1,
			       .stride = c->g.level.way_bytes,
			       .outer = MANY_TIMES * c->g.level.ways };
}

/* What a line costs that is missed. Both sides take longer while another thread of the
 * core is busy, so that the least of each counts.
 */
static int find_cost(struct icache *c, double *ticks, struct failure *f)
{
	const struct shape missing = missing_lines(c);
	double least = INFINITY, hit = INFINITY;
	int error = 0;

	for (int i = 0; !error && i < COST_TRIES; i++) {
		double miss = 0, now = 0;

		error = prober_time(&c->p, &missing, 0, &miss, f);
		if (!error)
			error = prober_time(&c->p, &c->x.reference.control, 0,
					    &now, f);
		least = fmin(least, miss);
		hit = fmin(hit, now);
	}
	*ticks = error ? 0 : least - hit;
	return error;
}

/* The second level is known to have more room by far. */
static bool is_smaller(const struct icache *c, const struct hierarchy *data)
{
	const struct parameter *below = &data->caches[1].capacity_bytes;

	return parameter_is_measured(below) &&
	       below->value >= 2 * (double)xray_level_bytes(&c->g.level);
}

/*
 * Lines that miss a cache of code come from the second level, and so they do as
 * data. Those that miss the second level itself come from what is below it, as code
 * and as data.
 */
static int cost_as_data(struct icache *c, const struct hierarchy *data,
			double cost, struct failure *f)
{
	const double below = icache_below_ticks(c, data);
	const struct shape missing = missing_lines(c);
	struct prober loads = *c->outer;
	double ticks = 0;
	int error;

	if (is_smaller(c, data))
		return 0;
	loads.rng = c->p.rng;
	error = prober_time(&loads, &missing, 0, &ticks, f);
	if (error == -ERANGE) {
		loads.arena_offset = 0;
		loads.arena_bytes = loads.m->region.bytes;
		error = prober_time(&loads, &missing, 0, &ticks, f);
	}
	c->p.rng = loads.rng;
	c->p.sampled_loads += loads.sampled_loads - c->outer->sampled_loads;
	c->p.disturbed_samples +=
		loads.disturbed_samples - c->outer->disturbed_samples;
	if (error || ticks - below < COST_AS_DATA * cost)
		return error;
	c->g.found = false;
	icache_leave(
		c,
		"%zu ways of %llu bytes, but as many lines miss L2 as data, too: it may be L2 that holds them, with no cache before it",
		c->g.level.ways, (unsigned long long)c->g.level.way_bytes);
	return 0;
}

static int cost_is_right(struct icache *c, const struct hierarchy *data,
			 struct failure *f)
{
	const double per_ns = c->p.m->timer.ticks_per_ns;
	double below = icache_below_ticks(c, data), ticks = 0;
	int error;

	if (xray_counter(&c->x) || !c->g.found)
		return 0;
	error = find_cost(c, &ticks, f);
	if (error)
		return error;
	c->g.found = false;
	if (below <= 0)
		icache_leave(
			c,
			"by time it looks like what keeps decoded instructions while the latency of L2 is not known");
	else if (ticks > MOST_COST * below)
		icache_leave(
			c,
			"what does not fit costs %.2f ns, far more than L2 takes: no cache before that was seen",
			ticks / per_ns);
	else if (ticks < LEAST_COST * below)
		icache_leave(
			c,
			"what does not fit costs %.2f ns, far less than L2 takes: it may be what keeps decoded instructions",
			ticks / per_ns);
	else
		c->g.found = true;
	return c->g.found ? cost_as_data(c, data, ticks, f) : 0;
}

/* What runs may come from a level of data and code with nothing before it. */
static bool is_own(struct icache *c, const struct hierarchy *data)
{
	const struct xray_level *level = &c->g.level;

	for (size_t i = 1; i < data->cache_count; i++) {
		const struct cache_result *d = &data->caches[i];

		if (!parameter_is_measured(&d->ways) ||
		    !parameter_is_measured(&d->capacity_bytes) ||
		    d->ways.value != (double)level->ways ||
		    d->capacity_bytes.value !=
			    (double)(level->ways * level->way_bytes))
			continue;
		icache_leave(
			c,
			"%zu ways of %llu bytes are those of L%zu: no cache before that was seen",
			level->ways, (unsigned long long)level->way_bytes,
			i + 1);
		return false;
	}
	return true;
}

/**
 * struct question - what lines have to show
 * @w: the lines
 * @elements: how their returns lie in them
 * @wanted: of a cache of lines
 * @missed: how many of them anything else misses in each round, at least
 */
struct question {
	struct shape w;
	const char *elements;
	enum verdict wanted;
	size_t missed;
};

/* What misses many lines at once need not be distinguished from one miss of all of
 * them, which is half a percent of their time.
 */
static int expect(struct icache *c, const struct question *q, struct failure *f)
{
	struct reference r = c->x.reference;
	enum verdict verdict;
	int error;

	if (!c->g.found)
		return 0;
	r.penalty_ticks *= (double)q->missed;
	r.control = xray_apart(&c->x, &c->g.level, &q->w);
	r.quiet_ticks = 0;
	r.few.outer = 0;
	error = prober_compact(&c->p, &q->w, &r, &verdict, NULL, f);
	c->g.found = !error && verdict == q->wanted;
	if (error || c->g.found)
		return error;
	icache_leave(
		c,
		"%zu ways of %llu bytes, but %zu lines %llu bytes apart with %s %s: it may be what keeps decoded instructions",
		c->g.level.ways, (unsigned long long)c->g.level.way_bytes,
		q->w.outer, (unsigned long long)q->w.stride, q->elements,
		verdict == VERDICT_UNDECIDED ? "are not clear" :
		verdict == VERDICT_COMPACT   ? "fit" :
					       "do not fit");
	return 0;
}

/* A return in every slot of each line: they fit. */
static int expect_full(struct icache *c, uint64_t stride, size_t lines,
		       size_t missed, struct failure *f)
{
	const struct question full = {
		.w = { .inner = c->g.level.line_bytes / ELEMENT_BYTES,
		       .inner_stride = ELEMENT_BYTES,
		       .stride = stride,
		       .outer = lines },
		.elements = "many returns",
		.wanted = VERDICT_COMPACT,
		.missed = missed,
	};

	return expect(c, &full, f);
}

/*
 * A cache of lines has room for all elements of the lines that it has, wherever in
 * a line they are. What keeps elements has twice as many as it has room for; a
 * cache that it hid has fewer ways, by a quarter.
 */
static int try_places(struct icache *c, struct failure *f)
{
	const struct xray_level *level = &c->g.level;
	const struct question skewed = {
		.w = { .inner = 1,
		       .stride = level->way_bytes,
		       .outer = level->ways + 1,
		       .skew = ELEMENT_BYTES,
		       .skews = level->line_bytes / ELEMENT_BYTES },
		.elements = "returns in different places",
		.wanted = VERDICT_NON_COMPACT,
		.missed = 1,
	};
	int error = expect(c, &skewed, f);

	return error ? error :
		       expect_full(c, level->way_bytes, level->ways,
				   (level->ways + FEWER - 1) / FEWER, f);
}

static int fits(struct icache *c, struct failure *f)
{
	const struct xray_level *level = &c->g.level;
	enum outcome outcome;
	int error;

	if (!c->g.found)
		return 0;
	error = xray_check_capacity(&c->x, level, level->line_bytes, &outcome,
				    f);
	c->g.found = outcome == OUTCOME_DECIDED;
	if (!error && !c->g.found)
		icache_leave(
			c,
			"%zu lines %llu bytes apart look like a whole set, but %llu KiB do not fit: it may be what keeps decoded instructions, or the index is hashed",
			level->ways, (unsigned long long)level->way_bytes,
			(unsigned long long)(level->ways * level->way_bytes >>
					     10));
	return error;
}

int icache_check(struct icache *c, const struct hierarchy *data,
		 struct failure *f)
{
	int error;

	c->g.found = is_own(c, data);
	error = cost_is_right(c, data, f);
	if (!error)
		error = fits(c, f);
	if (!error)
		error = try_places(c, f);
	return error;
}
