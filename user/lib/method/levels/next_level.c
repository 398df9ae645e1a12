// SPDX-License-Identifier: GPL-2.0
/* next_level.c - one level: its latency, its geometry by one strategy after the
 * other, and whether anything lies below.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/level/xor_copies.h"
#include "method/levels/memory_end.h"
#include "method/levels/next.h"
#include "method/levels/place.h"
#include "method/stride/stride.h"

/* The curve is the second way to a latency. */
static int check_latency(struct next *n, struct failure *f)
{
	const struct cache_result c = next_result(n);

	if (!n->found->latency.decided ||
	    !parameter_is_measured(&c.capacity_bytes))
		return 0;
	return xray_check_plateau(n->x, (uint64_t)c.capacity_bytes.value,
				  &n->found->latency, f);
}

/* Lines that a policy keeps above are few of a set that was cleared as far as it goes,
 * but enough to hide what lies below. And lines that come once may not be let in.
 */
static bool may_evict(const struct next *n)
{
	const struct xray_geometry *g = &n->found->geometry;

	return xray_is_below_hashed(n->x) || g->nested || g->reused;
}

static int measure(struct next *n, struct failure *f)
{
	struct xray *x = n->x;
	const struct strategy by = strategy_strides(x);
	bool hiding = false;
	int error = x->upper_count ? xray_is_hiding(x, &hiding, f) : 0;

	if (!error && hiding)
		return next_evict_or_leave(n,
					   XRAY_USED_AGAIN
					   "no fixed-stride sequence fills it",
					   f);
	n->found->latency.steady = true;
	if (!error)
		error = level_measure_latency(x, &n->found->latency, f);
	n->steady = n->found->latency.steady;
	if (!error && !n->steady) {
		const struct latency_finding latency = n->found->latency;

		return next_evict_or_leave(n, latency.reason, f);
	}
	if (!error)
		error = xray_choose_counter(x, f);
	n->found->denied = x->denied;
	if (!error)
		error = next_find_geometry(n, &by, f);
	if (!error && !next_has_ways(n) && may_evict(n))
		error = next_try_evictions(n, f);
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

/* Nothing more can be measured: is there anything? Below a level whose sets are not
 * known nothing could fill the place of another one in the report.
 */
static int look_below(struct next *n, struct failure *f)
{
	const struct cache_result c = next_result(n);
	struct prober *p = n->x->prober;
	int error = 0;

	if (!parameter_is_measured(&c.ways))
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
	const struct cache_result c = next_result(n);

	return n->above && !isfinite(n->memory_ticks) &&
	       !parameter_is_measured(&c.ways) &&
	       !parameter_is_measured(&c.capacity_bytes);
}

/* More is of interest only where memory does not lie below: evictions take long. */
static int look_below_kept(struct next *n, struct failure *f)
{
	int error = look_below(n, f);

	n->found->more = !error && n->found->next_open[0];
	n->found->next_open[0] = '\0';
	return error;
}

static int conclude(struct next *n, int error, struct failure *f)
{
	struct level_finding *found = n->found;
	enum outcome memory = OUTCOME_OPEN;

	found->more &= found->exists;
	if (!error && !found->exists)
		return 0;
	if (!error && found->more && !n->level->keeps)
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
	found->by = xray_counter(n->x) && !found->evicted ? "counters" : "time";
	/* Lines that partly hit above and partly come from memory are no level. */
	if (!error && !n->steady && n->above)
		error = level_end_of_set(n->x->prober, n->above,
					 n->memory_ticks, &memory, f);
	if (memory == OUTCOME_DECIDED)
		found->exists = found->more = false;
	if (error || memory == OUTCOME_DECIDED)
		return error;
	if (found->more)
		return n->level->keeps ? look_below_kept(n, f) : 0;
	return look_below(n, f);
}

/* Where lines cannot be evicted, or come from memory then, nothing is known: those that
 * evict may share their sets in a small level below, too.
 */
static int find_below_kept(struct next *n, struct failure *f)
{
	struct level_finding *found = n->found;
	int error;

	found->exists = true;
	error = next_try_evictions(n, f);
	if (error || (found->evicted && found->exists))
		return conclude(n, error, f);
	*found = (struct level_finding){ .exists = true };
	found->unreached = level_say_unreached(n->above, found->open);
	return 0;
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
	if (above && x->upper[x->upper_count - 1].keeps)
		return find_below_kept(&n, f);
	error = prober_time(x->prober, &x->reference.control, 0, &x->hit_ticks,
			    f);
	if (error && error != -EAGAIN)
		return error == -ERANGE ? 0 : error;
	/* There is always a first level to report, if only as undecided. */
	if (!error && above) {
		error = look_above(&n, &over, f);
		if (!error && over && found->exists)
			error = look_narrow(&n, &over, f);
		/* Those that come once are too few to see. */
		if (!error && over && found->exists)
			error = next_try_evictions(&n, f);
		if (!error && over && found->evicted)
			return conclude(&n, error, f);
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
