// SPDX-License-Identifier: GPL-2.0
#include "method/evset/minimal/random_subsets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/oracle/per_load.h"

/* About half of the sets of a subset of this share of missing lines overflow.
 */
#define MISSING_LEAST 0.4
#define MISSING_SAMPLES 4
#define FAST_QUANTILE 0.1
/* While few sets overflow, subsets grow faster. That half of them do just after
 * that is no chance: a neighbour causes it for some milliseconds.
 */
#define FEW_OVERFLOW 0.05
#define FAST_GROWTH 4
#define GROWTH 8
#define DOUBTS 6
/* Few rounds in each sample: which other lines are in the subset makes more of
 * a difference than the timer's steps, and time counts.
 */
#define SAMPLE_ROUNDS 12
/* Bounds of the share of missing lines, beyond which the length of the next
 * subset changes: under contention that comes and goes, one length is useless
 * half of the time. There are MORE_SAMPLES times as many samples as one length
 * would take.
 */
#define MOST_MISSING 0.6
#define FEW_MISSING 0.4
#define LENGTH_STEP 16
#define MORE_SAMPLES 3
/* Chance fills all sets with lines out of a part of the window. */
#define MOST_LINES 8192
#define SPARSE 8
#define FIRST_TIMES 4

int evset_subsets_begin(struct evset_subsets *c, struct evset_assignment *d,
			struct failure *f)
{
	const size_t n = d->count + 1;

	*c = (struct evset_subsets){
		.d = d,
		.all = calloc(n, sizeof(*c->all)),
		.lines = calloc(n, sizeof(*c->lines)),
		.excess = calloc(2 * n, sizeof(*c->excess)),
		.class_of = calloc(n, sizeof(*c->class_of))
	};
	if (!c->all || !c->lines || !c->excess || !c->class_of)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < d->count; i++)
		d->class_of[i] = EVSET_NO_CLASS;
	return 0;
}

void evset_subsets_end(struct evset_subsets *c)
{
	free(c->all);
	free(c->lines);
	free(c->excess);
	free(c->class_of);
}

void evset_subsets_list(struct evset_subsets *c)
{
	c->left = 0;
	for (size_t i = 0; i < c->d->count; i++)
		if (c->d->class_of[i] == EVSET_NO_CLASS)
			c->all[c->left++] = i;
}

/* Random ones of all lines, first. */
static void draw(struct rng *rng, size_t *all, size_t count, size_t wanted)
{
	for (size_t i = 0; i < wanted; i++) {
		size_t j = i + rng_below(rng, count - i), kept = all[i];

		all[i] = all[j];
		all[j] = kept;
	}
}

static int take_sample(struct evset_machine *e, struct evset_subsets *c,
		       unsigned int rounds, struct failure *f)
{
	draw(&e->x->prober->rng, c->all, c->left, c->count);
	for (size_t i = 0; i < c->count; i++)
		c->lines[i] = c->d->lines[c->all[i]];
	return evset_sample_each(e, c->lines, c->count, rounds, c->excess, f);
}

static double share_missing(const struct evset_machine *e, const double *excess,
			    size_t count, double *sorted)
{
	double from;
	size_t n = 0;

	memcpy(sorted, excess, count * sizeof(*excess));
	from = statistics_quantile(sorted, count, FAST_QUANTILE) +
	       evset_missing_by(e);
	for (size_t i = 0; i < count; i++)
		n += excess[i] > from;
	return (double)n / (double)count;
}

/* Fewest missing lines of some samples: a neighbour makes many miss for a
 * moment.
 */
static int least_missing(struct evset_machine *e, struct evset_subsets *c,
			 double *share, struct failure *f)
{
	int error = 0;

	*share = 1;
	for (int i = 0; !error && *share > MISSING_LEAST && i < MISSING_SAMPLES;
	     i++) {
		error = take_sample(e, c, evset_sure_rounds(e), f);
		if (!error)
			*share = fmin(*share,
				      share_missing(e, c->excess, c->count,
						    c->excess + c->count));
	}
	return error;
}

/* *share: the same some time later, if it has risen suddenly. */
static int doubt(struct evset_machine *e, struct evset_subsets *c,
		 double before, double *share, struct failure *f)
{
	const bool sudden = before < FEW_OVERFLOW;
	struct machine *m = e->x->prober->m;
	int error = 0;

	for (unsigned int i = 0;
	     !error && sudden && MISSING_LEAST < *share && i < DOUBTS; i++) {
		m->ops->pause(m, 1U << i);
		error = least_missing(e, c, share, f);
	}
	return error;
}

int evset_subsets_size(struct evset_machine *e, struct evset_subsets *c,
		       size_t first, struct failure *f)
{
	double before = 0, share = 0;
	size_t growth = FAST_GROWTH;
	int error = 0;

	for (c->count = first; !error && c->count < c->left;
	     c->count += c->count / growth + 1) {
		error = least_missing(e, c, &share, f);
		if (!error)
			error = doubt(e, c, before, &share, f);
		if (!error && share > MISSING_LEAST)
			return 0;
		growth = share < FEW_OVERFLOW ? FAST_GROWTH : GROWTH;
		before = share;
	}
	c->count = 0;
	return error;
}

/* For the next sample. If the timer's steps hide missing lines in one sample,
 * their share says nothing.
 */
static void choose_length(const struct evset_machine *e,
			  struct evset_subsets *c)
{
	const size_t step = c->count / LENGTH_STEP;
	double share;

	if (evset_sure_rounds(e) > EVSET_SURE_LEAST)
		return;
	share = share_missing(e, c->excess, c->count, c->excess + c->count);
	if (share > MOST_MISSING)
		c->count -= step;
	else if (share < FEW_MISSING && c->count + step < c->left)
		c->count += step;
}

int evset_subsets_sample(struct evset_machine *e, struct evset_subsets *c,
			 size_t of_each, const size_t *place,
			 struct evset_samples *l, struct failure *f)
{
	size_t lines = 0;
	int error = evset_samples_begin(
		l, c->left, MORE_SAMPLES * of_each * c->left / c->count, f);

	for (size_t k = 0; !error && k < l->room && lines < of_each * c->left;
	     k++) {
		error = take_sample(e, c, SAMPLE_ROUNDS, f);
		for (size_t i = 0; !error && i < c->count; i++)
			evset_samples_add(l, place[c->all[i]], k, c->excess[i]);
		lines += c->count;
		if (!error)
			choose_length(e, c);
	}
	return error;
}

int evset_gather_pool(struct evset_machine *e, uint64_t align_bytes,
		      struct evset_unsorted *u, struct failure *f)
{
	uint64_t at = rng_below(&e->x->prober->rng,
				e->window.low_bytes / align_bytes) *
		      align_bytes;

	u->prefix = FIRST_TIMES * e->o.upper_evictors + 1;
	return evset_random_places(e, at, MOST_LINES, SPARSE, &u->lines,
				   &u->count, f);
}
