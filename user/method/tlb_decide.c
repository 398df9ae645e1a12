// SPDX-License-Identifier: GPL-2.0
/* tlb_decide.c - are these pages compact? The shapes, and the decision. */
#include <math.h>

#include "../observe/sampler.h"
#include "tlb_search.h"

/* Next to nothing survives so many times its ways under any policy. */
#define SWEEP 3
/* Misses per load of a sequence that has none. */
#define MISCOUNTED 0.1
/*
 * What so few loads do may be what reading the clock does; far apart, where a
 * walk costs several times the least penalty, it looks like more.
 */
#define SOME_MISS 0.75
#define FEW_MISS 0.25
#define LONGER 8
#define LENGTHENINGS 2

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

static int observe_control(struct tlb_search *x, const struct laid *test,
			   struct observation *o, struct failure *f)
{
	struct laid s;
	int error;

	if (x->upper) {
		const struct shape w = tlb_control(x);

		error = test->dense ?
				lens_place_dense(x->lens, &w, false, &s, f) :
				lens_place(x->lens, &w, false, &s, f);
	} else {
		error = lens_words(x->lens, test->s.length, &s, f);
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
	return sampler_peek(control->misses, control->count, 0.5) < MISCOUNTED;
}

/* How many times as long a sample of the test takes as one of the control. */
static double exposure_of(const struct tlb_search *x, const struct laid *test)
{
	double loads = x->lens->loads, length = (double)test->s.length;
	struct shape control;

	/* As many words as pages. */
	if (!x->upper)
		return 1;
	control = tlb_control(x);
	return fmax(length, loads) /
	       fmax((double)shape_length(&control), loads);
}

/**
 * struct tally - what a decision rests on
 * @share: of the loads that miss, mean of the blocks
 * @counted: the misses of each block were counted, not timed
 */
struct tally {
	double share;
	bool counted;
};

static void add_share(struct tally *t, const struct decision *d, double share,
		      bool counted)
{
	t->share += (share - t->share) / (double)d->blocks;
	t->counted = t->counted && counted;
}

static int add_block(struct tlb_search *x, const struct shape *w, bool aligned,
		     double unit, struct decision *d, struct tally *t,
		     struct failure *f)
{
	struct observation test, control;
	struct laid s;
	bool counted;
	double hit, exposure;
	/*
	 * Below the first level page tables are walked, and lines of theirs
	 * take room in the first cache.
	 */
	int error = x->upper ? lens_place_dense(x->lens, w, aligned, &s, f) :
			       lens_place(x->lens, w, aligned, &s, f);

	if (error)
		return error;
	error = observe_control(x, &s, &control, f);
	if (!error)
		error = lens_observe(x->lens, &s, x->counter, &test, f);
	exposure = exposure_of(x, &s);
	sequence_free(&s.s);
	if (error)
		return error;
	hit = sampler_peek(control.ticks, control.count, 0.25);
	counted = test.counted && control.counted && counts_nothing(&control);
	to_misses(x, &test, hit, counted, unit);
	to_misses(x, &control, hit, counted, unit);
	decision_add_block(d, test.misses, test.count, control.misses,
			   control.count, exposure);
	add_share(t, d,
		  test.count ? sampler_quantile(test.misses, test.count, 0.5) /
				       unit :
			       0,
		  counted);
	return 0;
}

static int decide(struct tlb_search *x, const struct shape *w, bool aligned,
		  double unit, enum verdict *verdict, struct tally *t,
		  struct failure *f)
{
	struct decision d;

	*t = (struct tally){ .counted = true };
	decision_begin(&d, &x->lens->prober->rules);
	do {
		int error = add_block(x, w, aligned, unit, &d, t, f);

		if (error)
			return error;
	} while (!decision_done(&d, verdict));
	x->lens->prober->tests++;
	return 0;
}

/* The control may have been faster for what the level above still held of it. */
static bool may_be_residue(const struct tlb_search *x, const struct tally *t)
{
	return !t->counted && t->share * x->penalty_ticks < x->residue_ticks;
}

/*
 * Reading the clock takes translations too, and when next to nothing else finds
 * room, each one that was taken pushes out the next one for a whole round. That
 * share of the misses shrinks with the length of the samples.
 */
int tlb_decide(struct tlb_search *x, const struct shape *w, bool aligned,
	       double unit, enum verdict *verdict, struct failure *f)
{
	unsigned int loads = x->lens->loads;
	struct tally t;
	int error;

	x->lens->loads = prober_loads(x->lens->prober, loads,
				      prober_least_loads(x->lens->prober, unit,
							 x->penalty_ticks));
	error = decide(x, w, aligned, unit, verdict, &t, f);

	for (int i = 0;
	     !error && *verdict != VERDICT_COMPACT && t.share < SOME_MISS;
	     i++) {
		double before = t.share;

		if (i == LENGTHENINGS) {
			*verdict = VERDICT_UNDECIDED;
			break;
		}
		x->lens->loads *= LONGER;
		error = decide(x, w, aligned, unit, verdict, &t, f);
		if (t.share > before / 2)
			break;
	}
	x->lens->loads = loads;
	/* What a hypervisor does meanwhile, no longer sample makes fewer. */
	if (!error && *verdict == VERDICT_NON_COMPACT && t.share < FEW_MISS &&
	    x->lens->prober->m->virtual_machine)
		*verdict = VERDICT_UNDECIDED;
	if (!error && *verdict == VERDICT_NON_COMPACT && may_be_residue(x, &t))
		*verdict = VERDICT_UNDECIDED;
	return error;
}
