// SPDX-License-Identifier: GPL-2.0
/* levels.c - one level after the other, and a later look at all of them. */
#include "method/levels/levels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/level/page_share.h"
#include "method/levels/internal.h"
#include "method/levels/tuning.h"
#include "method/probe/time_limit.h"
#include "method/stride/stride.h"

#define MEMORY_SHARE (1 - 3 * XRAY_LEVEL_SHARE)

/**
 * struct levels - under way
 * @p: runs the tests
 * @h: where results go
 * @found: what is known of each level
 * @known: geometries, nearest first
 * @recheck: how each was found
 * @memory_ticks: what a load of memory takes
 * @spent_ns: what each level has taken, of prober.limit_s
 * @spent: accesses that each level has taken, of prober.most_accesses
 * @drawn: what the tests of each level have drawn, in all attempts
 * @contention: why the first level is open; empty: it is not
 * @contentions: how often other load was seen there
 * @uncontended: the first level is used by nothing else all the time, as far as
 *               that was looked for: in guests
 */
struct levels {
	struct prober *p;
	struct hierarchy *h;
	struct level_finding found[RESULT_MAX_LEVELS];
	struct xray_level known[RESULT_MAX_LEVELS];
	struct xray_recheck recheck[RESULT_MAX_LEVELS];
	double memory_ticks;
	double spent_ns[RESULT_MAX_LEVELS];
	uint64_t spent[RESULT_MAX_LEVELS];
	double drawn[RESULT_MAX_LEVELS];
	char contention[200];
	int contentions;
	bool uncontended;
};

/* --- results ------------------------------------------------------------- */

/* Level @i, and that below it which cannot be measured. */
static void add_level(struct levels *l, size_t i)
{
	struct level_finding *found = &l->found[i];
	struct cache_result *c = found->exists ? hierarchy_add(l->h) : NULL;

	if (!c)
		return;
	level_report(found, i + 1, c);
	if (!found->next_open[0] || i + 1 == RESULT_MAX_LEVELS)
		return;
	found[1] = (struct level_finding){
		.exists = true,
		.unreached = found->next_unreached,
	};
	level_say(found[1].open, "%s", found->next_open);
	add_level(l, i + 1);
}

static void report_again(struct levels *l)
{
	for (size_t i = 0; i < l->h->cache_count; i++)
		level_report(&l->found[i], i + 1, &l->h->caches[i]);
}

/* What lies below was reached through sequences that may have stayed above. */
static void doubt_from(struct levels *l, size_t from, const char *why)
{
	level_say(l->found[from].held, "%s", why);
	for (size_t i = from + 1; i < l->h->cache_count; i++) {
		l->found[i] = (struct level_finding){ .exists = true };
		level_say(l->found[i].open, "L%zu: %s", from + 1, why);
	}
}

/* --- one after the other ------------------------------------------------- */

/* The first level as strides show it, whatever has found it; no ways: not known. */
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

/* Does other load use the first level? Where sets could not be counted, that is not
 * known.
 */
static int look_for_contention(struct levels *l, struct xray *x,
			       struct failure *f)
{
	const struct xray_level level = first_level(l);

	if (level.ways)
		return xray_find_contention(x, &level, l->contentions > 0,
					    l->contention,
					    sizeof(l->contention), f);
	if (l->h->cache_count && !xray_counter(x) &&
	    parameter_is_measured(&l->h->caches[0].ways))
		snprintf(
			l->contention, sizeof(l->contention),
			"its sets are not known, so it is not known whether other load uses it all the time");
	return 0;
}

/* One at least, of those that all attempts to measure a level have together. */
static void limit_accesses(const struct levels *l, size_t i)
{
	const uint64_t all = l->p->most_accesses;

	if (all)
		time_limit_accesses(l->p,
				    all > l->spent[i] ? all - l->spent[i] : 1);
}

/* The limit of a level holds for all attempts to measure it. */
static int next_level(struct levels *l, struct xray *x, size_t i,
		      struct failure *f)
{
	struct prober *p = l->p;
	const double begun_ns = time_limit_now_ns(p);
	const uint64_t begun = p->m->conditions.accesses;
	double all_ns = p->limit_s > 0 ? p->limit_s * 1e9 : INFINITY;
	struct level_finding *found = &l->found[i];
	struct time_limit before;
	int error;

	*found = (struct level_finding){ .exists = false };
	time_limit_set(p, fmax(all_ns - l->spent_ns[i], 1), &before);
	limit_accesses(l, i);
	error = level_find(x, i ? &l->h->caches[i - 1] : NULL, l->memory_ticks,
			   found, &l->known[i], f);
	time_limit_restore(p, &before);
	l->spent_ns[i] += time_limit_now_ns(p) - begun_ns;
	l->spent[i] += p->m->conditions.accesses - begun;
	if (error == -EINTR && !time_limit_interrupted(p)) {
		/* What is known of a level whose time is over stays. */
		found->exists = true;
		found->more = false;
		time_limit_why(p, found->rest_open, sizeof(found->rest_open));
		error = 0;
	}
	add_level(l, i);
	return error;
}

static int measure_from(struct levels *l, size_t first, struct failure *f)
{
	struct prober *p = l->p;
	bool more = true;
	int error = 0;

	l->h->cache_count = first;
	for (size_t i = first; i < RESULT_MAX_LEVELS; i++)
		l->recheck[i].level.ways = 0;
	for (size_t i = first;
	     !error && more && i < p->most_levels && i < RESULT_MAX_LEVELS - 1;
	     i++) {
		struct budget_scope scope;
		struct xray x;

		if (!i)
			l->uncontended = !p->m->virtual_machine;
		p->done = fmin(MEMORY_SHARE + (double)i * XRAY_LEVEL_SHARE, 1);
		/* Whichever attempt is wrong, its answer may be the one that stays. */
		scope = budget_resume(&p->budget, l->drawn[i]);
		xray_prepare(&x, p, l->known, i);
		x.drawn_before = scope.drawn;
		/* What is found below a hashed level lies in a window of its own. */
		xray_remember(&x, &(struct xray_level){ .ways = 0 },
			      &l->recheck[i]);
		error = next_level(l, &x, i, f);
		l->drawn[i] = budget_close(&p->budget, &scope);
		l->recheck[i].x = x;
		if (!error && l->found[i].by_strides)
			l->recheck[i].level = l->known[i];
		if (!error && !i && p->m->virtual_machine) {
			error = look_for_contention(l, &x, f);
			l->uncontended = !error && !l->contention[0];
		}
		more = l->found[i].more && !l->contention[0];
	}
	return error;
}

/* While other load holds a way of each set all the time, the level seems to have
 * fewer ways.
 */
static int measure_patiently(struct levels *l, struct failure *f)
{
	size_t from = 0, count;
	int error = 0, looks = 0;

	while (!error && looks < XRAY_ATTEMPTS &&
	       l->contentions < CONTENTIONS) {
		struct prober *p = l->p;

		if (looks || l->contentions) {
			p->arena_offset = l->recheck[from].arena_offset;
			p->arena_bytes = l->recheck[from].arena_bytes;
		}
		l->contention[0] = '\0';
		error = measure_from(l, from, f);
		if (!error && l->contention[0]) {
			if (++l->contentions < CONTENTIONS)
				p->m->ops->pause(
					p->m,
					CONTENTION_MS << (l->contentions - 1));
			from = 0;
			continue;
		}
		looks++;
		count = l->h->cache_count;
		from = count;
		if (!error)
			error = xray_look_later(l->recheck, count, &from, f);
		if (error || from == count)
			return error;
	}
	if (error)
		return error;
	doubt_from(l, from, l->contention[0] ? l->contention : XRAY_MORE_ROOM);
	if (l->contention[0] && !l->known[0].ways)
		level_say(l->found[0].set_open, "%s", l->contention);
	report_again(l);
	return 0;
}

/* --- interrupted --------------------------------------------------------- */

/* May other load have held room in this level while its ways were counted? What
 * eviction sets find below the first level has controls of its own.
 */
static bool is_unsure(const struct levels *l, size_t i, bool looked)
{
	if (!i && !l->uncontended)
		return true;
	return l->found[i].by_strides && (!looked || !l->recheck[i].level.ways);
}

/* The later look comes at once, for it takes no longer than an answer may; a level
 * that is not finished has nothing to look at.
 */
static void end_interrupted(struct levels *l)
{
	const size_t count = l->h->cache_count;
	struct failure unused = { .text = "" };
	struct time_limit before;
	size_t from;
	int error;

	time_limit_lift(l->p, &before);
	error = xray_look_once(l->recheck, count, &from, &unused);
	time_limit_restore(l->p, &before);
	if (!error && from < count)
		doubt_from(l, from, XRAY_MORE_ROOM);
	for (size_t i = 0; i < count; i++)
		if (is_unsure(l, i, !error) && !l->found[i].held[0])
			level_say(l->found[i].held, "%s", XRAY_ENDED);
	if (count && !l->uncontended && !l->found[0].by_strides)
		level_say(l->found[0].set_open, "%s", XRAY_ENDED);
	report_again(l);
}

static int measure_memory(struct levels *l, struct failure *f)
{
	struct memory_finding memory;
	int error = xray_measure_memory(l->p, &memory, f);

	if (error)
		return error;
	l->memory_ticks = memory.ticks;
	memory_report(&memory, l->h);
	return 0;
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
		error = measure_memory(&l, f);
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
