// SPDX-License-Identifier: GPL-2.0
/*
 * compact.c - is a list of lines compact, by a few quick samples or by a trial?
 *
 * Quick: the list and its control lines are walked in turns until only one
 * verdict fits the samples. Disturbance only adds ticks to either, so that the
 * fastest sample of each counts.
 */

#include <errno.h>
#include <math.h>

#include "method/evset/oracle/list_walk.h"

/* Share of a round's time that may drift during a quick test. */
#define DOUBT 0.003
/* Quick samples of a list, at most. */
#define MOST_SAMPLES 6
/* Shorter lists are compared with the recent hit time of their length. */
#define RECENT_MOST 128
/* Two lines at least miss in a list that does not fit: they share a way. */
#define QUICK_LEAST 0.9
/* In a guest, a neighbour on the same core slows lists that fit, for a
 * millisecond at a time: half to nine tenths of all samples of 200 lines.
 */
#define LATER_MS 1
#define SLOW_TIMES 2
#define MOST_SLOW 24
#define FORGET 0.99
#define FEW_MISSES 0.4
/* Longer than a tick of a kernel's timer. */
#define PAUSE_MS 5

/**
 * struct quick_samples - samples of a list and of its control lines, in turns
 * @e: the level; @count lines of it
 * @taken: samples
 * @list: fewest ticks per load of the list; disturbance only adds
 * @hit: fewest ticks per load of the control lines
 * @slow: samples that missed although the list had time to settle
 * @settled: the list had time to settle, once
 */
struct quick_samples {
	struct evset_machine *e;
	size_t count;
	size_t taken;
	double list;
	double hit;
	size_t slow;
	bool settled;
};

static int take_sample(struct quick_samples *l, const uint64_t *lines,
		       enum evset_control control, struct failure *f)
{
	double misses = 0, hit = 0;
	int error = evset_sample_list(l->e, lines, l->count, control, &misses,
				      &hit, f);

	l->taken++;
	if (error)
		return error == -EAGAIN ? 0 : error;
	l->settled |= control == EVSET_CONTROL_PAGES;
	l->slow += control == EVSET_CONTROL_PAGES && misses >= QUICK_LEAST;
	l->hit = fmin(l->hit, hit);
	l->list = fmin(l->list,
		       hit + misses * l->e->scale.penalty / (double)l->count);
	return 0;
}

static size_t samples_least(const struct quick_samples *l)
{
	return l->e->o.together && !xray_counter(l->e->x) ? 2 : 1;
}

/* Samples that have to miss: more than the longest recent run of samples that
 * missed of a list that was found compact.
 */
static size_t slow_needed(const struct evset_machine *e)
{
	size_t n = 1 + (size_t)(SLOW_TIMES * e->effort.false_miss_streak);

	if (!e->window.splintered)
		return 0;
	if (n < e->effort.samples_required)
		n = e->effort.samples_required;
	return n < MOST_SLOW ? n : MOST_SLOW;
}

static void remember(struct evset_machine *e, const struct quick_samples *l)
{
	e->effort.false_miss_streak =
		fmax((double)l->slow, FORGET * e->effort.false_miss_streak);
}

/* *clear: no other verdict fits. */
static enum verdict judge(const struct quick_samples *l, bool *clear)
{
	double doubt = DOUBT * (double)l->count * l->hit / l->e->scale.penalty;
	double least = QUICK_LEAST + doubt;
	double misses =
		(l->list - l->hit) * (double)l->count / l->e->scale.penalty;

	*clear = false;
	if (!isfinite(misses))
		return VERDICT_UNDECIDED;
	if (misses >= least) {
		*clear = l->settled && misses >= least + doubt / 2 &&
			 l->slow >= slow_needed(l->e);
		return VERDICT_NON_COMPACT;
	}
	/* The control may have been disturbed. A policy that has not settled
	 * (tree-PLRU) may keep others of few lines of one set: these miss only
	 * later.
	 */
	*clear = misses < least - doubt / 2 && l->taken >= samples_least(l) &&
		 (misses > doubt / 2 - least || l->taken >= MOST_SAMPLES / 2);
	return VERDICT_COMPACT;
}

static int compact_quickly(struct evset_machine *e, const uint64_t *lines,
			   size_t count, enum verdict *verdict,
			   struct failure *f)
{
	struct quick_samples l = {
		.e = e, .count = count, .list = INFINITY, .hit = INFINITY
	};
	const size_t most = MOST_SAMPLES + slow_needed(e);
	bool clear = false;

	while (!clear && l.taken < most) {
		enum evset_control control = EVSET_CONTROL_PAGES_BRIEFLY;
		int error;

		if (!l.taken && (count <= RECENT_MOST || xray_counter(e->x)))
			control = EVSET_CONTROL_RECENT;
		else if (l.taken && *verdict == VERDICT_NON_COMPACT)
			control = EVSET_CONTROL_PAGES;
		if (e->window.splintered && l.slow)
			e->x->prober->m->ops->pause(e->x->prober->m, LATER_MS);
		error = take_sample(&l, lines, control, f);
		if (error)
			return error;
		*verdict = judge(&l, &clear);
		/* The recent hit time may be out of date. */
		if (!clear && control == EVSET_CONTROL_RECENT &&
		    !xray_counter(e->x))
			l.hit = INFINITY;
	}
	if (*verdict == VERDICT_COMPACT)
		remember(e, &l);
	return 0;
}

static int compact_finally(struct evset_machine *e, const uint64_t *lines,
			   size_t count, enum verdict *verdict,
			   struct failure *f)
{
	const size_t set = e->o.together ? e->o.together : count;
	double misses;
	int error =
		evset_list_decide(e, lines, count, false, verdict, &misses, f);

	/* Few misses may come from a policy that has not settled. */
	if (error || *verdict == VERDICT_COMPACT ||
	    misses >= FEW_MISSES * (double)set)
		return error;
	return evset_list_decide(e, lines, count, true, verdict, &misses, f);
}

int evset_compact(void *context, const uint64_t *lines, size_t count,
		  bool final, enum verdict *verdict, struct failure *f)
{
	struct evset_machine *e = context;

	e->x->prober->tests++;
	if (e->o.tests > e->budget.most_tests ||
	    e->o.accesses > e->budget.most_accesses)
		return -EAGAIN;
	return (final ? compact_finally : compact_quickly)(e, lines, count,
							   verdict, f);
}

void evset_machine_pause(void *context)
{
	struct evset_machine *e = context;

	e->x->prober->m->ops->pause(e->x->prober->m, PAUSE_MS);
}
