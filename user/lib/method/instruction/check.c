// SPDX-License-Identifier: GPL-2.0
/* check.c - a cache of code, or what keeps decoded instructions? */
#include "method/stride/stride.h"
#include "method/instruction/icache.h"

/* Of what L2 takes: a line that is missed costs as much, less the cycles that a
 * hit takes, plus those in which fetching begins again (a Zen 5: 1.3 times).
 */
#define LEAST_COST 0.45
#define MOST_COST 2
/* Elements so long, full of the shortest instructions, still leave what keeps
 * decoded instructions too small; no line is shorter.
 */
#define ELEMENT_BYTES 32
/* Lines of one set of which none stays, in times its ways. */
#define MANY_TIMES 3

/* Ticks of a load from L2; 0: not known. */
static double below_ticks(const struct icache *c, const struct hierarchy *data)
{
	if (data->cache_count < 2 ||
	    !parameter_is_measured(&data->caches[1].latency_ns))
		return 0;
	return prober_load_ticks(&c->p, data->caches[1].latency_ns.value);
}

/* What a line costs that is missed. */
static int find_cost(struct icache *c, double *ticks, struct failure *f)
{
	const struct xray_level *level = &c->g.level;
	const struct shape missing = { .inner = 1,
				       .stride = level->way_bytes,
				       .outer = MANY_TIMES * level->ways };
	int error = prober_time(&c->p, &missing, 0, ticks, f);

	*ticks -= c->x.hit_ticks;
	return error;
}

static int cost_is_right(struct icache *c, const struct hierarchy *data,
			 struct failure *f)
{
	const double per_ns = c->p.m->timer.ticks_per_ns;
	double below = below_ticks(c, data), ticks = 0;
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
	return 0;
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

/* @elements: how they lie in the lines */
static int expect(struct icache *c, const struct shape *w, const char *elements,
		  enum verdict wanted, struct failure *f)
{
	enum verdict verdict;
	int error;

	if (!c->g.found)
		return 0;
	error = prober_compact(&c->p, w, &c->x.reference, &verdict, NULL, f);
	c->g.found = !error && verdict == wanted;
	if (error || c->g.found)
		return error;
	icache_leave(
		c,
		"%zu ways of %llu bytes, but %zu lines %llu bytes apart with %s %s: it may be what keeps decoded instructions",
		c->g.level.ways, (unsigned long long)c->g.level.way_bytes,
		w->outer, (unsigned long long)w->stride, elements,
		verdict == VERDICT_UNDECIDED ? "are not clear" :
		verdict == VERDICT_COMPACT   ? "fit" :
					       "do not fit");
	return 0;
}

/* A return in every slot of each line. */
static int expect_full(struct icache *c, uint64_t stride, size_t lines,
		       enum verdict wanted, struct failure *f)
{
	const struct shape full = {
		.inner = c->g.level.line_bytes / ELEMENT_BYTES,
		.inner_stride = ELEMENT_BYTES,
		.stride = stride,
		.outer = lines,
	};

	return expect(c, &full, "many returns", wanted, f);
}

/* A cache of lines has room for all elements of the lines that it has, wherever in
 * a line they are.
 */
static int try_places(struct icache *c, struct failure *f)
{
	const struct xray_level *level = &c->g.level;
	const struct shape skewed = {
		.inner = 1,
		.stride = level->way_bytes,
		.outer = level->ways + 1,
		.skew = ELEMENT_BYTES,
		.skews = level->line_bytes / ELEMENT_BYTES,
	};
	int error = expect(c, &skewed, "returns in different places",
			   VERDICT_NON_COMPACT, f);

	return error ? error :
		       expect_full(c, level->way_bytes, level->ways,
				   VERDICT_COMPACT, f);
}

/*
 * Where decoded instructions miss no cache, the search saw the larger of two
 * arrays at each stride. It settles where several sets of the cache have as
 * much room as one set of the other array, or where the other array has no more
 * room than one set of the cache. Lines full of returns overflow the other array:
 * the cache alone has to keep Theorem 1. At T / 2 the lines share two sets; at
 * m * T they share one, where a cache of m times as many sets has A / m ways.
 */
static int try_sets(struct icache *c, struct failure *f)
{
	const struct xray_level *level = &c->g.level;
	const uint64_t half = level->way_bytes / 2;
	int error = 0;

	if (half >= level->line_bytes)
		error = expect_full(c, half, 2 * level->ways, VERDICT_COMPACT,
				    f);
	for (size_t m = 2, rest = level->ways; !error && rest > 1; m++) {
		if (rest % m)
			continue;
		while (rest % m == 0)
			rest /= m;
		error = expect_full(c, m * level->way_bytes,
				    level->ways / m + 1, VERDICT_COMPACT, f);
	}
	return error;
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
	if (!error)
		error = try_sets(c, f);
	return error;
}
