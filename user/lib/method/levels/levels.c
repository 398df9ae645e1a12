// SPDX-License-Identifier: GPL-2.0
/* levels.c - one level after the other, and a later look at all of them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/level/level.h"
#include "method/level/page_share.h"
#include "method/levels/memory_end.h"
#include "method/probe/time_limit.h"
#include "method/stride/contention.h"

#define METHOD "x-ray"
#define MEMORY_SHARE (1 - 3 * XRAY_LEVEL_SHARE)
/* Later looks, and how much later than all levels were found the last one is. */
#define LOOKS 2
#define LATER_MS 300
/* Who crowds the first level may be gone after 0.3, 0.9 or 2.1 s. */
#define CROWDS 4

/**
 * struct levels - under way
 * @p: asks the machine
 * @h: where results go
 * @known: geometries, nearest first
 * @asked: how each was found
 * @memory_ticks: what a load of memory takes
 * @spent_ns: what each level has taken, of prober.limit_s
 * @drawn: what the tests of each level have drawn, in all attempts
 * @crowd: why nothing can be said of the first level; empty: it can
 * @crowds: so often somebody else was there
 * @alone: nobody else uses the first level all the time, as far as that is asked:
 *         in guests
 */
struct levels {
	struct prober *p;
	struct hierarchy *h;
	struct xray_level known[RESULT_MAX_LEVELS];
	struct xray_asked asked[RESULT_MAX_LEVELS];
	double memory_ticks;
	double spent_ns[RESULT_MAX_LEVELS];
	double drawn[RESULT_MAX_LEVELS];
	char crowd[200];
	int crowds;
	bool alone;
};

void xray_leave_open(struct cache_result *c, const char *reason)
{
	struct parameter *all[CACHE_PARAMETERS];

	cache_parameters(c, all);
	for (size_t i = 0; i < CACHE_PARAMETERS; i++)
		parameter_undecided(all[i], METHOD, "%s", reason);
	parameter_undecided(&c->index_decision, METHOD, "%s", reason);
}

int xray_look_between(struct xray *x, struct hierarchy *h, double memory_ticks,
		      double next_ticks, bool *found, struct failure *f)
{
	int error = level_end_is_level(x->prober,
				       &h->caches[x->upper_count - 1],
				       memory_ticks, next_ticks, found, f);
	struct cache_result *next;
	char reason[200];

	if (error || !*found)
		return error;
	next = hierarchy_add(h);
	snprintf(
		reason, sizeof(reason),
		"faster than %s, but what surely misses L%zu misses this level, too: it holds too little more, or too few of the lines that are new",
		isfinite(next_ticks) ? "the next level" : "memory",
		x->upper_count);
	if (next)
		xray_leave_open(next, reason);
	return 0;
}

/* --- the later look ------------------------------------------------------ */

void xray_remember(const struct xray *x, const struct xray_level *level,
		   struct xray_asked *asked)
{
	*asked = (struct xray_asked){
		.x = *x,
		.level = *level,
		.arena_offset = x->prober->arena_offset,
		.arena_bytes = x->prober->arena_bytes,
		.found_ns = time_limit_now_ns(x->prober),
	};
}

/* What keeps lines only ever takes room: as many as fit now have it. */
static int look(const struct xray_asked *asked, bool *more, struct failure *f)
{
	struct xray x = asked->x;
	struct prober *p = x.prober;
	const uint64_t arena_offset = p->arena_offset;
	const uint64_t arena_bytes = p->arena_bytes;
	enum verdict verdict = VERDICT_UNDECIDED;
	struct evidence e;
	int error;

	/* The counter that it was found by is not believed any more. */
	if (!xray_counter(&x) && x.reference.penalty_ticks <= 0)
		return 0;
	p->arena_offset = asked->arena_offset;
	p->arena_bytes = asked->arena_bytes;
	error = xray_compact(&x, asked->level.way_bytes, asked->level.ways + 1,
			     &verdict, &e, f);
	p->arena_offset = arena_offset;
	p->arena_bytes = arena_bytes;
	*more = !error && verdict == VERDICT_COMPACT;
	if (error != -EAGAIN && error != -ERANGE)
		return error;
	f->text[0] = '\0';
	return 0;
}

/* *doubted: the first level that has more room now; @count: none. */
static int look_at_all(const struct xray_asked *asked, size_t count,
		       size_t *doubted, struct failure *f)
{
	*doubted = count;
	if (count)
		prober_progress(asked[0].x.prober,
				"a later look at what was found");
	for (size_t k = 0; k < count && *doubted == count; k++) {
		bool more = false;
		int error = 0;

		if (asked[k].level.ways)
			error = look(&asked[k], &more, f);
		if (error)
			return error;
		if (more)
			*doubted = k;
	}
	return 0;
}

static double last_found_ns(const struct xray_asked *asked, size_t count)
{
	double ns = -INFINITY;

	for (size_t k = 0; k < count; k++)
		if (asked[k].level.ways)
			ns = fmax(ns, asked[k].found_ns);
	return ns;
}

int xray_look_later(const struct xray_asked *asked, size_t count,
		    size_t *doubted, struct failure *f)
{
	int error = 0;

	*doubted = count;
	for (int i = 0; count && !error && *doubted == count && i < LOOKS;
	     i++) {
		/* Some time has gone by since most of it was measured. */
		if (i)
			time_limit_wait(asked[0].x.prober,
					last_found_ns(asked, count), LATER_MS);
		error = look_at_all(asked, count, doubted, f);
	}
	return error;
}

void xray_leave_held(struct cache_result *c, const char *reason)
{
	struct parameter *counted[] = { &c->ways, &c->capacity_bytes,
					&c->effective_ways,
					&c->effective_capacity_bytes };

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (parameter_is_measured(counted[i]))
			parameter_undecided(counted[i], METHOD, "%s", reason);
	c->clearing_lines = 0;
	if (c->inclusion != INCLUSION_UNKNOWN)
		parameter_undecided(&c->inclusion_decision, METHOD, "%s",
				    reason);
	c->inclusion = INCLUSION_UNKNOWN;
}

/* What lies below was reached through sequences that may have stayed above. */
static void leave_doubted(struct hierarchy *h, size_t from, const char *why)
{
	char reason[sizeof(h->caches[from].ways.reason)];

	xray_leave_held(&h->caches[from], why);
	snprintf(reason, sizeof(reason), "L%zu: %s", from + 1, why);
	for (size_t i = from + 1; i < h->cache_count; i++) {
		const int level = h->caches[i].level;
		const char *type = h->caches[i].type;

		h->caches[i] =
			(struct cache_result){ .level = level, .type = type };
		xray_leave_open(&h->caches[i], reason);
	}
}

/* What rests on one set of the first level does not without it. */
static void leave_set(struct cache_result *c, const char *why)
{
	if (parameter_is_measured(&c->line_bytes))
		parameter_undecided(&c->line_bytes, METHOD, "%s", why);
	if (parameter_is_measured(&c->sets))
		parameter_undecided(&c->sets, METHOD, "%s", why);
	parameter_undecided(&c->index_decision, METHOD, "%s", why);
	c->index = INDEX_UNKNOWN;
}

/* --- one after the other ------------------------------------------------- */

/* The first level as strides show it, whatever told of it; no ways: not known. */
static struct xray_level first_level(const struct levels *l)
{
	const struct cache_result *c = &l->h->caches[0];
	struct xray_level level = { .ways = 0 };

	if (l->known[0].ways || !l->h->cache_count ||
	    !parameter_is_measured(&c->capacity_bytes) ||
	    !parameter_is_measured(&c->line_bytes))
		return l->known[0];
	level.ways = (size_t)c->ways.value;
	level.line_bytes = (uint64_t)c->line_bytes.value;
	level.way_bytes = (uint64_t)c->capacity_bytes.value / level.ways;
	return level;
}

/* Does somebody else use the first level? Ways of sets that nobody could count tell
 * nothing then.
 */
static int look_for_crowd(struct levels *l, struct xray *x, struct failure *f)
{
	const struct xray_level level = first_level(l);

	if (level.ways)
		return xray_crowded(x, &level, l->crowds > 0, l->crowd,
				    sizeof(l->crowd), f);
	if (l->h->cache_count && !xray_counter(x) &&
	    parameter_is_measured(&l->h->caches[0].ways))
		snprintf(
			l->crowd, sizeof(l->crowd),
			"its sets are not known, so that nothing tells whether somebody else uses it all the time");
	return 0;
}

/* What is known of a level whose time is over stays. */
static void end_late(struct levels *l, size_t i, bool *more)
{
	struct cache_result *c = l->h->cache_count > i ? &l->h->caches[i] :
							 hierarchy_add(l->h);
	char why[64];

	time_limit_why(l->p, why, sizeof(why));
	if (c)
		xray_report_rest_open(c, why);
	*more = false;
}

/* Whoever waits for a level does so once, however often it is measured. */
static int next_level(struct levels *l, struct xray *x, size_t i, bool *more,
		      struct failure *f)
{
	struct prober *p = l->p;
	const double begun_ns = time_limit_now_ns(p);
	double all_ns = p->limit_s > 0 ? p->limit_s * 1e9 : INFINITY;
	struct time_limit before;
	int error;

	time_limit_set(p, fmax(all_ns - l->spent_ns[i], 1), &before);
	error = xray_next_level(x, l->h, &l->known[i], l->memory_ticks, more,
				f);
	time_limit_restore(p, &before);
	l->spent_ns[i] += time_limit_now_ns(p) - begun_ns;
	if (error != -EINTR || time_limit_interrupted(p))
		return error;
	end_late(l, i, more);
	return 0;
}

static int measure_from(struct levels *l, size_t first, struct failure *f)
{
	struct prober *p = l->p;
	bool more = true;
	int error = 0;

	l->h->cache_count = first;
	for (size_t i = first; i < RESULT_MAX_LEVELS; i++)
		l->asked[i].level.ways = 0;
	for (size_t i = first;
	     !error && more && i < p->most_levels && i < RESULT_MAX_LEVELS - 1;
	     i++) {
		struct xray x;

		if (!i)
			l->alone = !p->m->virtual_machine;
		p->done = fmin(MEMORY_SHARE + (double)i * XRAY_LEVEL_SHARE, 1);
		xray_prepare(&x, p, l->known, i);
		/* Whichever attempt is wrong, its answer may be the one that stays. */
		x.drawn_before -= l->drawn[i];
		/* What is found below a hashed level lies in a window of its own. */
		xray_remember(&x, &(struct xray_level){ .ways = 0 },
			      &l->asked[i]);
		error = next_level(l, &x, i, &more, f);
		l->drawn[i] = p->budget.alpha_drawn - x.drawn_before;
		l->asked[i].x = x;
		if (!error && x.by_strides)
			l->asked[i].level = l->known[i];
		if (!error && !i && p->m->virtual_machine) {
			error = look_for_crowd(l, &x, f);
			l->alone = !error && !l->crowd[0];
		}
		more = more && !l->crowd[0];
	}
	return error;
}

/* A neighbour who holds a way of each set all the time looks like a level with
 * fewer ways, until he leaves.
 */
static int measure_patiently(struct levels *l, struct failure *f)
{
	size_t from = 0, count;
	int error = 0, looks = 0;

	while (!error && looks < XRAY_ATTEMPTS && l->crowds < CROWDS) {
		struct prober *p = l->p;

		if (looks || l->crowds) {
			p->arena_offset = l->asked[from].arena_offset;
			p->arena_bytes = l->asked[from].arena_bytes;
		}
		l->crowd[0] = '\0';
		error = measure_from(l, from, f);
		if (!error && l->crowd[0]) {
			if (++l->crowds < CROWDS)
				p->m->ops->pause(p->m,
						 LATER_MS << (l->crowds - 1));
			from = 0;
			continue;
		}
		looks++;
		count = l->h->cache_count;
		from = count;
		if (!error)
			error = xray_look_later(l->asked, count, &from, f);
		if (error || from == count)
			return error;
	}
	if (!error)
		leave_doubted(l->h, from,
			      l->crowd[0] ? l->crowd : XRAY_MORE_ROOM);
	if (!error && l->crowd[0] && !l->known[0].ways)
		leave_set(&l->h->caches[0], l->crowd);
	return error;
}

/* --- interrupted --------------------------------------------------------- */

/* Is it not known who held room in this level while its ways were counted? What
 * eviction sets tell below the first one has controls of its own.
 */
static bool is_unsure(const struct levels *l, size_t i, bool looked)
{
	if (!i && !l->alone)
		return true;
	return l->asked[i].x.by_strides && (!looked || !l->asked[i].level.ways);
}

/* The later look comes at once, for it takes no longer than an answer may; a level
 * that is not finished cannot be asked about.
 */
static void end_interrupted(struct levels *l)
{
	const size_t count = l->h->cache_count;
	struct failure unused = { .text = "" };
	struct time_limit before;
	size_t from;
	int error;

	time_limit_lift(l->p, &before);
	error = look_at_all(l->asked, count, &from, &unused);
	time_limit_restore(l->p, &before);
	if (!error && from < count)
		leave_doubted(l->h, from, XRAY_MORE_ROOM);
	for (size_t i = 0; i < count; i++)
		if (is_unsure(l, i, !error))
			xray_leave_held(&l->h->caches[i], XRAY_ENDED);
	if (count && !l->alone && !l->asked[0].x.by_strides)
		leave_set(&l->h->caches[0], XRAY_ENDED);
}

int xray_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	const uint64_t arena_offset = p->arena_offset;
	const uint64_t arena_bytes = p->arena_bytes;
	struct levels l = { .p = p, .h = h };
	int error;

	hierarchy_init(h);
	error = page_share_measure(p, &p->page_ticks, f);
	if (!error)
		error = xray_measure_memory(p, h, &l.memory_ticks, f);
	if (!error)
		error = measure_patiently(&l, f);
	if (error == -EINTR)
		end_interrupted(&l);
	p->arena_offset = arena_offset;
	p->arena_bytes = arena_bytes;
	h->tests = p->tests;
	h->complete = !error;
	return error;
}
