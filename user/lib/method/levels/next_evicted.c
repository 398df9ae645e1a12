// SPDX-License-Identifier: GPL-2.0
/* next_evicted.c - a level by means of lines that are evicted one by one from above. */
#include <errno.h>
#include <math.h>

#include "method/level/xor_copies.h"
#include "method/levels/next.h"
#include "method/stride/stride.h"

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
		error = next_find_geometry(n, &by, f);
		if (!error && next_has_ways(n))
			error = evict_look_later(ev, n->level, &more, f);
		if (!error && more == VERDICT_COMPACT)
			level_say(n->found->held, "%s", XRAY_MORE_ROOM);
	}
	if (error == -EINTR)
		level_say(n->found->held, "%s", XRAY_ENDED);
	return error;
}

/* By lines that are evicted from the level above, as @n->x says. */
static int evict_from_above(struct next *n, struct failure *f)
{
	struct level_finding *found = n->found;
	const struct cache_result *above = n->above;
	struct evictor ev;
	int error;

	if (!isfinite(n->memory_ticks) ||
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
	if (!error && next_has_ways(n))
		error = evict_ends(&ev, n->level, &n->ends, f);
	return error;
}

/* What takes no victims sees a use of each line that comes to it, and so may be evicted
 * from in turn.
 */
static bool goes_on(struct next *n)
{
	return n->found->geometry.takes != VERDICT_COMPACT &&
	       xray_go_by_evictions(n->x, n->level, &n->found->linear);
}

/* The index of a linear level above is written as masks meanwhile. What was known
 * before stays, unless all of the level is known then.
 */
static int evict_from_linear(struct next *n, struct failure *f)
{
	const struct level_finding before = *n->found;
	struct xray_level upper[RESULT_MAX_LEVELS];
	struct prober *p = n->x->prober;
	const uint64_t offset = p->arena_offset, bytes = p->arena_bytes;
	struct xray *own = n->x, x = *own;
	struct index_function linear;
	int error;

	if (!x.upper_count)
		return 0;
	for (size_t i = 0; i < x.upper_count; i++)
		upper[i] = x.upper[i];
	if (!xray_go_by_evictions(&x, &upper[x.upper_count - 1], &linear))
		return 0;
	x.upper = upper;
	n->x = &x;
	n->found->open[0] = '\0';
	error = evict_from_above(n, f);
	n->x = own;
	p->arena_offset = offset;
	p->arena_bytes = bytes;
	if (n->found->evicted && n->found->exists && next_has_ways(n))
		n->found->more = !error && goes_on(n);
	else
		*n->found = before;
	return error;
}

int next_try_evictions(struct next *n, struct failure *f)
{
	return xray_is_below_hashed(n->x) ? evict_from_above(n, f) :
					    evict_from_linear(n, f);
}

/* Lines evicted one by one, or the level is open. */
int next_evict_or_leave(struct next *n, const char *why, struct failure *f)
{
	int error = next_try_evictions(n, f);

	if (!error && !n->found->evicted)
		level_say(n->found->open, "%s", why);
	return error;
}
