// SPDX-License-Identifier: GPL-2.0
/*
 * last_time.c - whether time refutes what accessed bits show of a last array, where
 * clearing these takes entries.
 *
 * The fewer are kept the smaller the array looks, and if others held as many of each
 * set all the time, nothing in accessed bits would show it. But one page of each set
 * more than an array has ways misses by time, too, whatever the policy is.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/statistics.h"
#include "method/tlb/last.h"
#include "method/tlb/tuning.h"

/* Of ways + 1 pages one misses in each round whatever is replaced; a policy that keeps
 * all but the last one loses two, and others more: random replacement three.
 */
#define LEAST_TIMES 1.5
/* Trials that the clock of the core, faster than before, makes look quicker. */
#define FASTER 0.1
/* Pages of which nearly all miss, times the entries: no fewer than half are seen. */
#define ALL_TIMES 4
/* Pages that fit, if the array is that large. */
#define FIT_SHARE 0.5

/** struct row_times - of a load, of rows that fit, of a page more, and of many more */
struct row_times {
	double fit;
	double more;
	double all;
};

/* The least of several samples, as what disturbs adds to them. */
static int walk_row(struct tlb_view *v, const struct tlb_layout *row,
		    double *ticks, struct failure *f)
{
	/* Policies that are not LRU take rounds to keep what fits. */
	const struct walk_plan plan = { .warm_rounds = LAST_TIME_ROUNDS,
					.loads = (unsigned int)row->s.length,
					.samples = TLB_VIEW_SAMPLES };
	const struct machine_conditions before = v->prober->m->conditions;
	struct sample samples[TLB_VIEW_SAMPLES];
	double least = INFINITY;
	int error = v->prober->m->ops->view_walk(row->view, &row->s, &plan,
						 samples, f);

	if (error)
		return error;
	prober_count_samples(v->prober, &before, samples[0].loads);
	for (int i = 0; i < TLB_VIEW_SAMPLES; i++)
		if (!samples[i].disturbed && samples[i].loads)
			least = fmin(least, samples[i].ticks /
						    (double)samples[i].loads);
	*ticks = isfinite(least) ? least : 0;
	return 0;
}

static int time_row(struct tlb_view *v, double pages, double *ticks,
		    struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = 1,
				 .outer = (size_t)pages };
	struct tlb_layout layout;
	int error = prober_stopped(v->prober) ?
			    -EINTR :
			    tlb_layout_place_dense(v, &w, true, &layout, f);

	if (error)
		return error;
	error = walk_row(v, &layout, ticks, f);
	sequence_free(&layout.s);
	return error;
}

static int time_rows(struct tlb_view *v, const struct accessed_array *a,
		     double more, struct row_times *t, struct failure *f)
{
	/* Of more words than the first cache holds, loads miss there. */
	const double all = fmin(ALL_TIMES * a->entries, (double)v->cached);
	int error = time_row(v, FIT_SHARE * a->entries, &t->fit, f);

	if (!error)
		error = time_row(v, more, &t->more, f);
	if (!error)
		error = time_row(v, all, &t->all, f);
	return error;
}

static int try_rows(struct tlb_view *v, const struct accessed_array *a,
		    double more, bool *refuted, struct failure *f)
{
	const double least = LEAST_TIMES * (1 - a->entries / more);
	struct prober *p = v->prober;
	uint64_t hits = 0, trials = 0;

	if (!budget_draw(&p->budget, p->rules.alpha))
		return 0;
	p->tests++;
	for (int i = 0; i < LAST_TIME_TRIALS; i++) {
		struct row_times t = { 0 };
		int error = time_rows(v, a, more, &t, f);

		if (error)
			return error;
		if (t.all <= t.fit || t.fit <= 0 || t.more <= 0)
			continue;
		trials++;
		hits += t.more - t.fit < least * (t.all - t.fit);
	}
	*refuted = trials && statistics_binomial_tail(hits, trials, FASTER) <=
				     p->rules.alpha;
	return 0;
}

static int open_view(const struct tlb_survey *s, const struct kept_view *of,
		     double pages, struct tlb_view *v, struct failure *f)
{
	return tlb_view_open(v, s->p, of->view->request.page_bytes, TLB_LOADS,
			     s->cache, (uint64_t)pages, false, f);
}

int tlb_last_ask_time(const struct tlb_survey *s, const struct kept_view *of,
		      struct accessed_array *a, struct failure *f)
{
	const double more = (a->ways + 1) * a->sets;
	struct failure why = { .text = "" };
	struct tlb_view v;
	bool refuted = false;
	int error;

	if (!a->ways_found || !s->p->m->clearing_disturbs)
		return 0;
	error = open_view(s, of, ALL_TIMES * a->entries, &v, &why);
	/* Where time cannot be had, bits alone decide. */
	if (error)
		return error == -EINTR ? error : 0;
	if (more < (double)v.cached)
		error = try_rows(&v, a, more, &refuted, f);
	tlb_view_close(&v);
	if (error == -ERANGE)
		return 0;
	if (error || !refuted)
		return error;
	a->found = a->ways_found = false;
	snprintf(
		a->reason, sizeof(a->reason),
		"%.0f entries by accessed bits, but %.0f pages in a row are no slower than %.0f: others held the rest all the time",
		a->entries, more, FIT_SHARE * a->entries);
	return 0;
}
