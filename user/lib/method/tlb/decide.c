// SPDX-License-Identifier: GPL-2.0
/* decide.c - are these pages compact? The shapes, and the decision. */
#include <math.h>

#include "method/tlb/search.h"
#include "method/tlb/tuning.h"

/*
 * A sweep of this many times the ways leaves nearly none of the earlier pages
 * under any policy.
 */
#define SWEEP 3
/* Where there is no room for that many, this many times the entries leave few. */
#define LEAST_SWEEP 2
/* Misses per load that a counter may show of a sequence without misses. */
#define MISCOUNTED 0.1
/*
 * Fewer misses than this may come from reading the clock. Far apart, where a
 * walk costs several times the least penalty, they look like more.
 */
#define SOME_MISS 0.75
#define FEW_MISS 0.25
/* Misses of a round, at least, less what a penalty may be off by while the clock of the
 * core changes by a sixth.
 */
#define LEAST_MISSES 0.8

static uint64_t power_above(uint64_t x)
{
	uint64_t power = 1;

	while (power < x)
		power *= 2;
	return power;
}

size_t tlb_fewer_columns(const struct tlb_search *x, size_t rows, uint64_t most)
{
	size_t least = (LEAST_SWEEP * x->upper->ways + rows - 1) / rows;

	return most >= least ? most : 0;
}

struct shape tlb_shape(const struct tlb_search *x, uint64_t stride,
		       size_t count)
{
	struct shape w = { .inner = 1, .stride = stride, .outer = count };
	uint64_t apart, spread, least;
	size_t fewer;

	if (!x->upper)
		return w;
	apart = x->upper->conflict;
	spread = stride < apart ? apart / stride : 1;
	least = SWEEP * x->upper->ways * spread;
	if (count < least)
		w.inner = least / count;
	/* The next column would share the sets of the next row. */
	fewer = tlb_fewer_columns(x, count, stride / apart);
	if (w.inner > stride / apart && fewer)
		w.inner = fewer;
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

/* @apart: pages between two places that words alternate between; 0: one place */
static int observe_control(struct tlb_search *x, const struct tlb_layout *test,
			   uint64_t apart, struct tlb_observation *o,
			   struct failure *f)
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
		const size_t pages = test->s.length / test->orders;

		/* Of an odd number one step would stay where it is. */
		error = tlb_layout_words(
			x->view, pages + (apart ? pages % 2 : 0), &s, f);
	}
	if (error)
		return error;
	if (apart)
		error = tlb_layout_apart(x->view, apart, &s);
	if (!error)
		error = tlb_view_observe(x->view, &s, x->counter, o, f);
	sequence_free(&s.s);
	return error;
}

/* A counter that counts misses where none can be counts another event. */
static bool counts_nothing(const struct tlb_observation *control)
{
	return statistics_peek(control->misses, control->count, 0.5) <
	       MISCOUNTED;
}

/**
 * struct placement - pages under test
 * @x: the level
 * @w: their shape
 * @aligned: as of tlb_decide()
 * @unit: pages that share a miss
 * @apart: of the control's words, see observe_control()
 * @s: where they lie now
 * @of: observations of test and control
 * @share: misses per load, mean of the blocks
 * @blocks: number of blocks
 * @counted: the misses of each block were counted, not timed
 */
struct placement {
	struct tlb_search *x;
	const struct shape *w;
	bool aligned;
	double unit;
	uint64_t apart;
	struct tlb_layout s;
	struct tlb_observation of[TRIAL_SIDES];
	double share;
	size_t blocks;
	bool counted;
};

/*
 * Below the first level page tables are walked, and their lines take room in
 * the first cache: full lines keep that room small.
 */
static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;
	struct tlb_search *x = at->x;
	int error = x->upper ? tlb_layout_place_dense(x->view, at->w,
						      at->aligned, &at->s, f) :
			       tlb_layout_place(x->view, at->w, at->aligned,
						&at->s, f);

	/* The first level's control has as many words as the test has pages. */
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
		       observe_control(x, &at->s, at->apart, &at->of[side], f) :
		       tlb_view_observe(x->view, &at->s, x->counter,
					&at->of[side], f);
}

/*
 * Misses per @unit loads, of which at least one misses if the shape is not
 * compact.
 */
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

/* Misses are counted where both sides were; otherwise they are timed. */
static int convert(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *at = context;
	const struct tlb_observation *control = &at->of[TRIAL_CONTROL];
	struct readings *test = &b->of[TRIAL_TEST];
	double hit = statistics_peek(control->ticks, control->count, 0.25);
	bool counted = at->of[TRIAL_TEST].counted && control->counted &&
		       counts_nothing(control);
	double share;

	(void)f;
	to_misses(at, TRIAL_TEST, hit, counted, test);
	to_misses(at, TRIAL_CONTROL, hit, counted, &b->of[TRIAL_CONTROL]);
	share = test->count ? statistics_peek(test->values, test->count, 0.5) /
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

/*
 * A return to a place far away may cost cycles of its own (three on a Zen 3, 1 MiB away,
 * six on a Zen 5, 256 KiB away), which no miss explains: the words of its control are as
 * far apart, and never nearer than two pages of the test. Where no view shows them there,
 * what is slow may be the way.
 */
static uint64_t far_apart(const struct tlb_search *x, const struct shape *w)
{
	uint64_t half = (shape_span(w) + 1) / 2;

	if (x->upper || x->view->code != VIEW_RETURNS)
		return 0;
	return half > w->stride ? half : w->stride;
}

static int decide_near(struct placement *at, enum verdict *verdict,
		       struct failure *f)
{
	int error;

	at->apart = 0;
	error = decide(at, verdict, f);
	if (*verdict == VERDICT_NON_COMPACT)
		*verdict = VERDICT_UNDECIDED;
	return error;
}

static int decide_far(struct placement *at, enum verdict *verdict,
		      struct failure *f)
{
	int error = decide(at, verdict, f);

	return error == -ERANGE && at->apart ? decide_near(at, verdict, f) :
					       error;
}

/* The control is faster if the level above still held some of its pages. */
static bool may_be_residue(const struct placement *at)
{
	return !at->counted &&
	       at->share * at->x->penalty_ticks < at->x->residue_ticks;
}

/*
 * Misses that a hypervisor causes do not become fewer in longer samples. One page less
 * would show them too: where it shows none, they are those of the page that is too many
 * (65 of 64 entries: 6 a round of a Zen 4).
 */
static bool may_be_host(const struct placement *at)
{
	const struct tlb_search *x = at->x;

	return at->share < FEW_MISS && x->view->prober->m->virtual_machine &&
	       (x->upper || x->fits + 1 != shape_length(at->w));
}

/*
 * Of pages that do not fit at least one of @unit misses in each round, whatever the policy
 * is. Fewer are no misses: returns of a Zen 5 take three cycles more from one page to
 * another, at times, which looked like a third of a miss each, and like an array of 16
 * entries for 64.
 */
static bool are_too_few(const struct placement *at)
{
	return !at->counted && at->share * at->unit < LEAST_MISSES;
}

/*
 * Where an array is full, the entry that reading the clock takes may be one that the
 * order of the pages never replaces: as many pages as a Zen 5 has entries, 96, miss 6
 * times in each round as long as they are walked in the same order. Several orders soon
 * replace it. They decide where few pages miss: under LRU one page too many misses seldom
 * in an order that changes, and always in one that does not.
 */
static int try_orders(struct placement *at, unsigned int loads,
		      enum verdict *verdict, struct failure *f)
{
	struct tlb_view *v = at->x->view;
	const double share = at->share;
	enum verdict changing = VERDICT_UNDECIDED;
	int error;

	v->orders = v->line_bytes / v->slot_bytes;
	v->loads = loads;
	for (int i = 0; i < LENGTHENINGS; i++)
		v->loads *= LONGER_SAMPLES;
	error = decide_far(at, &changing, f);
	v->orders = 1;
	at->share = share;
	if (!error && changing == VERDICT_COMPACT)
		*verdict = VERDICT_COMPACT;
	return error;
}

/*
 * Reading the clock needs translations too. If next to nothing else fits, each
 * of them evicts the next one for a whole round. The share of such misses
 * shrinks with longer samples.
 */
int tlb_decide(struct tlb_search *x, const struct shape *w, bool aligned,
	       double unit, enum verdict *verdict, struct failure *f)
{
	struct placement at = {
		.x = x,
		.w = w,
		.aligned = aligned,
		.unit = unit,
		.apart = far_apart(x, w),
	};
	unsigned int loads = x->view->loads, least;
	int error;

	x->view->loads = prober_loads(x->view->prober, loads,
				      prober_least_loads(x->view->prober, unit,
							 x->penalty_ticks));
	least = x->view->loads;
	error = decide_far(&at, verdict, f);

	for (int i = 0;
	     !error && *verdict != VERDICT_COMPACT && at.share < SOME_MISS;
	     i++) {
		double before = at.share;

		if (i == LENGTHENINGS) {
			*verdict = VERDICT_UNDECIDED;
			break;
		}
		x->view->loads *= LONGER_SAMPLES;
		error = decide_far(&at, verdict, f);
		if (at.share > before / 2)
			break;
	}
	if (!error && !x->upper && *verdict != VERDICT_COMPACT &&
	    at.share < FEW_MISS)
		error = try_orders(&at, least, verdict, f);
	x->view->loads = loads;
	if (!error && *verdict == VERDICT_NON_COMPACT && may_be_host(&at))
		*verdict = VERDICT_UNDECIDED;
	if (!error && *verdict == VERDICT_COMPACT)
		x->fits = shape_length(w) > x->fits ? shape_length(w) : x->fits;
	if (!error && *verdict == VERDICT_NON_COMPACT &&
	    (may_be_residue(&at) || are_too_few(&at)))
		*verdict = VERDICT_UNDECIDED;
	return error;
}
