// SPDX-License-Identifier: GPL-2.0
/* tlb_decide.c - are these pages compact? The shapes, and the decision. */
#include "../observe/sampler.h"
#include "tlb_search.h"

/* Next to nothing survives so many times its ways under any policy. */
#define SWEEP 3
/* Misses per load of a sequence that has none. */
#define MISCOUNTED 0.1

static uint64_t power_above(uint64_t x)
{
	uint64_t power = 1;

	while (power < x)
		power *= 2;
	return power;
}

struct shape tlb_shape(const struct tlb_search *x, uint64_t stride,
		       size_t count)
{
	struct shape w = { .inner = 1, .stride = stride, .outer = count };
	uint64_t apart, spread, least;

	if (!x->upper)
		return w;
	apart = x->upper->conflict;
	spread = stride < apart ? apart / stride : 1;
	least = SWEEP * x->upper->ways * spread;
	if (count < least)
		w.inner = least / count;
	w.inner_stride = apart * (x->spacing ? x->spacing : 1);
	if (w.inner * w.inner_stride > stride)
		w.inner_stride = apart;
	/* Columns that do not fit between the rows go beyond them. */
	if (w.inner * apart > stride)
		w.inner_stride += power_above(count * stride);
	return w;
}

struct shape tlb_control(const struct tlb_search *x)
{
	return (struct shape){ .inner = 1,
			       .stride = x->upper->conflict,
			       .outer = SWEEP * x->upper->ways };
}

static int observe_control(struct tlb_search *x, size_t length,
			   struct observation *o, struct failure *f)
{
	struct laid s;
	int error;

	if (x->upper) {
		const struct shape w = tlb_control(x);

		error = lens_place(x->lens, &w, false, &s, f);
	} else {
		error = lens_words(x->lens, length, &s, f);
	}
	if (error)
		return error;
	error = lens_observe(x->lens, &s, x->counter, o, f);
	sequence_free(&s.s);
	return error;
}

/* Misses of as many loads as should have one, if any. */
static void to_misses(const struct tlb_search *x, struct observation *o,
		      double hit, bool counted, double unit)
{
	for (size_t i = 0; i < o->count; i++)
		o->misses[i] = unit * (counted ? o->misses[i] :
						 (o->ticks[i] - hit) /
							 x->penalty_ticks);
}

/* A counter that counts where nothing misses counts something else. */
static bool counts_nothing(const struct observation *control)
{
	double sorted[SAMPLES_OF_OBSERVATION];

	for (size_t i = 0; i < control->count; i++)
		sorted[i] = control->misses[i];
	return sampler_quantile(sorted, control->count, 0.5) < MISCOUNTED;
}

static int add_block(struct tlb_search *x, const struct shape *w, bool aligned,
		     double unit, struct decision *d, struct failure *f)
{
	double sorted[SAMPLES_OF_OBSERVATION], hit;
	struct observation test, control;
	struct laid s;
	bool counted;
	int error = lens_place(x->lens, w, aligned, &s, f);

	if (error)
		return error;
	error = observe_control(x, s.s.length, &control, f);
	if (!error)
		error = lens_observe(x->lens, &s, x->counter, &test, f);
	sequence_free(&s.s);
	if (error)
		return error;
	for (size_t i = 0; i < control.count; i++)
		sorted[i] = control.ticks[i];
	hit = sampler_quantile(sorted, control.count, 0.25);
	counted = test.counted && control.counted && counts_nothing(&control);
	to_misses(x, &test, hit, counted, unit);
	to_misses(x, &control, hit, counted, unit);
	decision_add_block(d, test.misses, test.count, control.misses,
			   control.count);
	return 0;
}

int tlb_decide(struct tlb_search *x, const struct shape *w, bool aligned,
	       double unit, enum verdict *verdict, struct failure *f)
{
	struct decision d;

	decision_begin(&d, &x->lens->prober->rules);
	do {
		int error = add_block(x, w, aligned, unit, &d, f);

		if (error)
			return error;
	} while (!decision_done(&d, verdict));
	x->lens->prober->tests++;
	return 0;
}
