// SPDX-License-Identifier: GPL-2.0
/* decide.c - are these pages compact? The shapes, and the decision. */
#include <math.h>

#include "method/tlb/search.h"

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

static int observe_control(struct tlb_search *x, const struct tlb_layout *test,
			   struct tlb_observation *o, struct failure *f)
{
	struct tlb_layout s;
	int error;

	if (x->upper) {
		const struct shape w = tlb_control(x);

		error = test->dense ?
				tlb_layout_place_dense(x->view, &w, false, &s,
						       f) :
				tlb_layout_place(x->view, &w, false, &s, f);
	} else {
		error = tlb_layout_words(x->view, test->s.length, &s, f);
	}
	if (error)
		return error;
	error = tlb_view_observe(x->view, &s, x->counter, o, f);
	sequence_free(&s.s);
	return error;
}

/* A counter that counts where nothing misses counts something else. */
static bool counts_nothing(const struct tlb_observation *control)
{
	return sampler_peek(control->misses, control->count, 0.5) < MISCOUNTED;
}

/**
 * struct placement - pages under test
 * @x: the level
 * @w: their shape
 * @aligned: as of tlb_decide()
 * @unit: pages that share a miss
 * @s: where they lie now
 * @of: what was seen of them, and of the control
 * @share: of the loads that miss, mean of the blocks
 * @blocks: so many
 * @counted: the misses of each block were counted, not timed
 */
struct placement {
	struct tlb_search *x;
	const struct shape *w;
	bool aligned;
	double unit;
	struct tlb_layout s;
	struct tlb_observation of[TRIAL_SIDES];
	double share;
	size_t blocks;
	bool counted;
};

/* Below the first level page tables are walked, and lines of theirs take room in
 * the first cache.
 */
static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;
	struct tlb_search *x = at->x;
	int error = x->upper ? tlb_layout_place_dense(x->view, at->w,
						      at->aligned, &at->s, f) :
			       tlb_layout_place(x->view, at->w, at->aligned,
						&at->s, f);

	/* The first level's control is as many words as pages. */
	if (!error && x->upper) {
		const struct shape control = tlb_control(x);

		b->exposure = trial_exposure(
			at->s.s.length, shape_length(&control), x->view->loads);
	}
	return error;
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *at = context;
	struct tlb_search *x = at->x;

	(void)b;
	return side == TRIAL_CONTROL ?
		       observe_control(x, &at->s, &at->of[side], f) :
		       tlb_view_observe(x->view, &at->s, x->counter,
					&at->of[side], f);
}

/* Misses of as many loads as should have one, if any. */
static void to_misses(const struct placement *at, enum trial_side side,
		      double hit, bool counted, struct readings *r)
{
	const struct tlb_observation *o = &at->of[side];

	for (r->count = 0; r->count < o->count; r->count++)
		r->values[r->count] =
			at->unit * (counted ? o->misses[r->count] :
					      (o->ticks[r->count] - hit) /
						      at->x->penalty_ticks);
}

/* Whether a block is counted or timed is known when both sides have been seen. */
static int convert(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;
	const struct tlb_observation *control = &at->of[TRIAL_CONTROL];
	struct readings *test = &b->of[TRIAL_TEST];
	double hit = sampler_peek(control->ticks, control->count, 0.25);
	bool counted = at->of[TRIAL_TEST].counted && control->counted &&
		       counts_nothing(control);
	double share;

	(void)f;
	to_misses(at, TRIAL_TEST, hit, counted, test);
	to_misses(at, TRIAL_CONTROL, hit, counted, &b->of[TRIAL_CONTROL]);
	share = test->count ? sampler_peek(test->values, test->count, 0.5) /
				      at->unit :
			      0;
	at->share += (share - at->share) / (double)++at->blocks;
	at->counted = at->counted && counted;
	return 0;
}

static void release(void *context)
{
	struct placement *at = context;

	sequence_free(&at->s.s);
}

static int decide(struct placement *at, enum verdict *verdict,
		  struct failure *f)
{
	static const struct trial_ops ops = { place, observe, convert,
					      release };
	struct trial t = prober_trial(at->x->view->prober, &ops, at);

	at->share = 0;
	at->blocks = 0;
	at->counted = true;
	return trial_run(&t, verdict, f);
}

/* The control may have been faster for what the level above still held of it. */
static bool may_be_residue(const struct placement *at)
{
	return !at->counted &&
	       at->share * at->x->penalty_ticks < at->x->residue_ticks;
}

/*
 * Reading the clock takes translations too, and when next to nothing else finds
 * room, each one that was taken pushes out the next one for a whole round. That
 * share of the misses shrinks with the length of the samples.
 */
int tlb_decide(struct tlb_search *x, const struct shape *w, bool aligned,
	       double unit, enum verdict *verdict, struct failure *f)
{
	struct placement at = {
		.x = x, .w = w, .aligned = aligned, .unit = unit
	};
	unsigned int loads = x->view->loads;
	int error;

	x->view->loads = prober_loads(x->view->prober, loads,
				      prober_least_loads(x->view->prober, unit,
							 x->penalty_ticks));
	error = decide(&at, verdict, f);

	for (int i = 0;
	     !error && *verdict != VERDICT_COMPACT && at.share < SOME_MISS;
	     i++) {
		double before = at.share;

		if (i == LENGTHENINGS) {
			*verdict = VERDICT_UNDECIDED;
			break;
		}
		x->view->loads *= LONGER;
		error = decide(&at, verdict, f);
		if (at.share > before / 2)
			break;
	}
	x->view->loads = loads;
	/* What a hypervisor does meanwhile, no longer sample makes fewer. */
	if (!error && *verdict == VERDICT_NON_COMPACT && at.share < FEW_MISS &&
	    x->view->prober->m->virtual_machine)
		*verdict = VERDICT_UNDECIDED;
	if (!error && *verdict == VERDICT_NON_COMPACT && may_be_residue(&at))
		*verdict = VERDICT_UNDECIDED;
	return error;
}
