// SPDX-License-Identifier: GPL-2.0
/* miss_penalty.c - what a miss of a level costs. */
#include "method/evset/oracle/miss_penalty.h"

#include <errno.h>
#include <math.h>

#include "method/evset/oracle/list_walk.h"
#include "method/evset/oracle/set_conflict.h"
#include "method/probe/time_limit.h"

#define CLEARLY_SLOW 1.2
/* The largest penalty of this many slow lengths counts. */
#define SLOW_LENGTHS 3
/* Factors over the control of half the length, and over the penalty so far. */
#define TWIN_MISSES 1.5
#define FAR_MORE 2
#define SAMPLES 3
#define WHOLE_LINE_BYTES 64
/* Of fewer pages two sizes would be the same. */
#define WHOLE_PAGES_LEAST 4
#define WHOLE_BYTES_MOST (UINT64_C(16) << 20)
/* Time limit for whole pages of a guest: under contention sizes rise evenly or
 * not at all, and sizes of some MiB take a second; a level of 1 MiB takes a
 * tenth of the limit.
 */
#define WHOLE_GUEST_NS 4e8
/* This many sizes that cost the same, within this factor, miss in one level. */
#define LEVEL 1.25
#define LEVEL_SIZES 3
#define PAST_SIZES 2
/* The @count lines overflow every set, and so do their control lines: beside the
 * level's control, in few pages.
 */
static int penalty_of_all(struct evset_machine *e, const uint64_t *lines,
			  size_t count, double *ticks, struct failure *f)
{
	double misses = 0, hit = 0;
	int error = evset_sample_list(e, lines, count, EVSET_CONTROL_SHORT,
				      &misses, &hit, f);

	*ticks = misses / (double)count;
	if (error || *ticks < (CLEARLY_SLOW - 1) * hit)
		*ticks = 0;
	return error == -EAGAIN ? 0 : error;
}

/* Ticks per load of a list above those of its control lines: the median, since
 * both may be disturbed.
 */
static int ticks_above_control(struct evset_machine *e, const uint64_t *lines,
			       size_t count, double *ticks, double *hit,
			       struct failure *f)
{
	double all[SAMPLES];
	size_t samples = 0;

	for (int i = 0; i < SAMPLES; i++) {
		double misses = 0;
		int error = evset_sample_list(
			e, lines, count, EVSET_CONTROL_PAGES, &misses, hit, f);

		if (error && error != -EAGAIN)
			return error;
		if (!error)
			all[samples++] = misses / (double)count;
	}
	*ticks = samples ? statistics_quantile(all, samples, 0.5) : 0;
	return 0;
}

bool evset_list_cost_add(struct evset_list_cost *c, double ticks, double hit)
{
	bool slow = ticks >= (CLEARLY_SLOW - 1) * hit;

	if (c->slow && ticks < c->ticks && hit > TWIN_MISSES * c->hit)
		return true;
	if (c->slow > 1 && ticks > FAR_MORE * c->ticks)
		return true;
	if (!slow) {
		*c = (struct evset_list_cost){ .slow = 0 };
		return false;
	}
	c->ticks = fmax(c->ticks, ticks);
	c->hit = hit;
	return ++c->slow == SLOW_LENGTHS;
}

bool evset_page_cost_add(struct evset_page_cost *l, double ticks)
{
	const bool same = ticks <= LEVEL * l->before &&
			  l->before <= LEVEL * ticks;

	l->before = ticks;
	l->costly = FAR_MORE * ticks >= l->enough ? l->costly + 1 : 0;
	if (l->first <= 0 && ticks >= l->slow)
		l->first = ticks;
	/* A size that costs more after these misses the next level. */
	if (!same && l->sizes >= LEVEL_SIZES)
		return true;
	l->sizes = ticks < l->slow ? 0 : same ? l->sizes + 1 : 1;
	if (l->sizes >= LEVEL_SIZES)
		l->ticks = fmax(l->ticks, ticks);
	return FAR_MORE * l->ticks >= l->enough;
}

double evset_page_cost_whole(const struct evset_page_cost *l)
{
	return l->ticks <= LEVEL * l->first && l->first <= LEVEL * l->ticks ?
		       l->ticks :
		       0;
}

bool evset_page_cost_past(const struct evset_page_cost *l)
{
	return l->costly >= PAST_SIZES && l->before > LEVEL * l->first;
}

/* Candidates may lie in few sets of a large level below, by an index that uses
 * fewer of their bits, and overflow both levels at once: then the penalty is
 * that of two misses. Whole pages lie in all sets of both levels.
 */
static int compare_with_pages(struct evset_machine *e, double *ticks,
			      struct failure *f)
{
	const double most =
		(double)WHOLE_BYTES_MOST / (double)e->window.low_bytes;
	const struct prober *p = e->x->prober;
	const double until = e->window.splintered ?
				     time_limit_now_ns(p) + WHOLE_GUEST_NS :
				     INFINITY;
	struct evset_page_cost l = {
		.slow = (CLEARLY_SLOW - 1) * e->x->hit_ticks, .enough = *ticks
	};
	bool done = false;
	int error = 0;

	for (double n = WHOLE_PAGES_LEAST;
	     !error && !done && n <= most && time_limit_now_ns(p) < until;
	     n *= M_SQRT2) {
		double now = NAN;

		error = evset_whole_pages(e, (size_t)n, 1, WHOLE_LINE_BYTES,
					  &now, f);
		if (!error && isfinite(now))
			done = evset_page_cost_add(&l, now) ||
			       (e->window.splintered &&
				evset_page_cost_past(&l));
	}
	e->scale.whole_penalty = evset_page_cost_whole(&l);
	if (l.ticks > 0 && *ticks > FAR_MORE * l.ticks)
		*ticks = l.ticks;
	return error;
}

int evset_miss_penalty(struct evset_machine *e, const uint64_t *lines,
		       size_t count, enum outcome *outcome, struct failure *f)
{
	struct evset_list_cost c = { .slow = 0 };
	size_t n = 2 * e->o.upper_evictors + 16;
	int error = evset_find_conflict(e, f);

	e->scale.penalty = 1;
	e->scale.whole_penalty = 0;
	*outcome = outcome_if(xray_counter(e->x), OUTCOME_OPEN);
	if (error)
		return error;
	for (bool done = *outcome == OUTCOME_DECIDED; !done && n <= count;
	     n *= 2) {
		double ticks = 0, hit = 0;

		error = ticks_above_control(e, lines, n, &ticks, &hit, f);
		if (error)
			return error;
		done = evset_list_cost_add(&c, ticks, hit);
	}
	if (*outcome != OUTCOME_DECIDED && !c.slow && e->window.contiguous)
		error = penalty_of_all(e, lines, count, &c.ticks, f);
	if (error || c.ticks <= 0)
		return error;
	error = compare_with_pages(e, &c.ticks, f);
	e->scale.penalty = c.ticks;
	*outcome = OUTCOME_DECIDED;
	return error;
}
