// SPDX-License-Identifier: GPL-2.0
/* prober.c - is a shape compact? A trial against its control, and its twin. */
#include "method/probe/internal.h"
#include "observe/sampler.h"
#include "method/probe/tuning.h"

/* Misses of a line below which a policy may not have let all lines in yet. */
#define FEW_MISSES 0.4
/* Misses of a round that are none, and tries until there are none. */
#define NO_MISS 0.4
#define QUIET_TRIES 4
/* Of the samples of a block, those that are to show none, and misses of a round that
 * are none there. What fits a set of 12 ways stayed in a fifth of short samples while
 * another thread of the core was busy, in two sets at once; what does not, in none.
 */
#define MOST_SAMPLES 0.75
#define NO_MISS_OF_DATA 0.25

enum comparison {
	AGAINST_CONTROL,
	/* The same, less what translation costs. */
	AGAINST_CONTROL_AND_TWIN,
	/* The twin against words of one line: compact says that translation
	 * costs nothing.
	 */
	TWIN,
};

/**
 * struct placement - a sequence under test
 * @p: runs the tests
 * @w: its shape
 * @how: what it is compared with
 * @control: lines that hit
 * @r: hits and misses
 * @flags: of prober_time()
 * @counter: that decides, a bit; 0: time
 * @base: where the sequence lies now
 * @s: its addresses in order
 * @loads: of each sample
 * @hit: what the last control took, 0: none yet
 */
struct placement {
	struct prober *p;
	const struct shape *w;
	enum comparison how;
	struct shape control;
	const struct reference *r;
	unsigned int flags;
	unsigned int counter;
	uint64_t base;
	struct sequence s;
	unsigned int loads;
	double hit;
};

/* As many loads of the control as of the test, so that as much comes between. */
static unsigned int loads_of(const struct placement *a)
{
	double least = 0;

	if (!a->counter)
		least = prober_least_loads(a->p, (double)a->s.length,
					   a->r->penalty_ticks);
	return probe_loads(a->p, least);
}

static int replace_by_twin(struct placement *a, struct failure *f)
{
	struct sequence twin;
	int error = probe_twin(a->p, &a->s, a->r, &twin, f);

	if (error)
		return error;
	sequence_free(&a->s);
	a->s = twin;
	return 0;
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error;

	if (!prober_choose_base(a->p, a->w, &a->base))
		return -ERANGE;
	error = prober_build(a->p, a->w, a->base, &a->s, f);
	if (!error && a->how == TWIN)
		error = replace_by_twin(a, f);
	if (error)
		return error;
	a->loads = loads_of(a);
	b->exposure = trial_exposure(a->s.length, shape_length(&a->control),
				     a->loads);
	return 0;
}

static uint64_t alignment_of(const struct shape *w)
{
	uint64_t all = w->lead | w->stride | w->inner_stride | w->copy_stride |
		       w->skew;

	return all & -all;
}

/* Elements of code are as long as their offsets are aligned: those of the
 * control are as long as those of the test.
 */
static void align_control(struct placement *a)
{
	const uint64_t bytes = alignment_of(a->w);

	if (a->r->code_bytes && a->how != TWIN && bytes < a->r->code_bytes &&
	    bytes < alignment_of(&a->control))
		a->control.lead = bytes;
}

static bool is_code(const struct placement *a)
{
	return a->r->code_bytes && !a->counter && a->how == AGAINST_CONTROL;
}

static double quiet(const struct readings *r)
{
	return r->count ? statistics_peek(r->values, r->count, 0.25) : 0;
}

static int observe_control(struct placement *a, struct readings *control,
			   struct failure *f)
{
	return probe_observe_shape(a->p, &a->control, 0, a->counter, a->loads,
				   control, f);
}

/* Ticks of @length elements, in misses. */
static double in_misses(const struct placement *a, double ticks)
{
	return ticks * (double)shape_length(a->w) / a->r->penalty_ticks;
}

static void keep_quieter(struct readings *kept, const struct readings *again)
{
	if (again->count && (!kept->count || quiet(again) < quiet(kept)))
		*kept = *again;
}

/* Code of other work, also of the other thread of a core, takes lines that fit
 * out of the cache, though seldom all the time.
 */
static int control_quietly(struct placement *a, struct readings *control,
			   struct failure *f)
{
	int error = observe_control(a, control, f);

	for (int i = 1; !error && a->hit > 0 && i < QUIET_TRIES &&
			in_misses(a, quiet(control) - a->hit) > NO_MISS;
	     i++) {
		struct readings again;

		error = observe_control(a, &again, f);
		if (!error)
			keep_quieter(control, &again);
	}
	if (!error && control->count)
		a->hit = quiet(control);
	return error;
}

/* More lines than fit miss in each round, in whatever order: where none does,
 * they fit.
 */
static int test_quietly(struct placement *a, struct readings *test,
			struct failure *f)
{
	struct readings again;
	int error = 0;

	if (a->hit <= 0)
		error = control_quietly(a, &again, f);
	for (int i = 1; !error && i < QUIET_TRIES &&
			in_misses(a, quiet(test) - a->hit) > NO_MISS;
	     i++) {
		sequence_free(&a->s);
		error = prober_build(a->p, a->w, a->base, &a->s, f);
		if (!error)
			error = probe_observe(a->p, &a->s, a->flags, a->counter,
					      a->loads, &again, f);
		if (!error)
			keep_quieter(test, &again);
	}
	return error;
}

static bool may_be_shared(const struct placement *a)
{
	return a->r->shared && !a->r->code_bytes && !a->counter &&
	       a->how == AGAINST_CONTROL;
}

static double most_misses(const struct placement *a,
			  const struct trial_block *b)
{
	const struct readings *test = &b->of[TRIAL_TEST];
	const struct readings *control = &b->of[TRIAL_CONTROL];

	if (!test->count || !control->count)
		return 0;
	return in_misses(a, statistics_peek(test->values, test->count,
					    MOST_SAMPLES) -
				    quiet(control));
}

/* The test in another order, between two looks at the control, of which the quieter
 * counts.
 * @control: the one before; (out) the one after
 */
static int observe_again(struct placement *a, struct readings *control,
			 struct trial_block *again, struct failure *f)
{
	int error;

	again->of[TRIAL_CONTROL] = *control;
	sequence_free(&a->s);
	error = prober_build(a->p, a->w, a->base, &a->s, f);
	if (!error && a->r->shaken)
		error = probe_shake(a->p, a->w, a->base, false, f);
	if (!error)
		error = probe_observe(a->p, &a->s, PROBER_SHORT_WARMUP, 0,
				      a->loads, &again->of[TRIAL_TEST], f);
	if (!error)
		error = observe_control(a, control, f);
	if (!error)
		keep_quieter(&again->of[TRIAL_CONTROL], control);
	return error;
}

/* The quietest of all samples, each against the control beside it. */
static void keep_quietest(struct trial_block *b, const struct trial_block *again)
{
	const double faster = quiet(&again->of[TRIAL_CONTROL]) -
			      quiet(&b->of[TRIAL_CONTROL]);
	struct readings *kept = &b->of[TRIAL_TEST];
	const struct readings *more = &again->of[TRIAL_TEST];
	const size_t count = kept->count;

	if (!again->of[TRIAL_CONTROL].count)
		return;
	for (size_t i = 0; i < more->count && kept->count < SAMPLER_MAX; i++)
		kept->values[kept->count++] = more->values[i] - faster;
	statistics_quantile(kept->values, kept->count, 0);
	kept->count = count;
}

/*
 * Lines of another thread of the core, also of another guest, take the places of some
 * that fit, now and then: then up to all of a set miss in turn. The shorter a sample,
 * the likelier nothing comes between. Lines that do not fit miss in each round, in
 * whatever order, so that the quietest samples show it as well.
 */
static int outlast_others(struct placement *a, struct trial_block *b,
			  struct failure *f)
{
	struct readings control = b->of[TRIAL_CONTROL];
	struct trial_block again;
	int error = 0;

	a->loads = probe_short_loads(a->p, (double)a->s.length,
				     a->r->penalty_ticks, a->loads);
	for (int i = 0; !error && i < OUTLAST_TRIES &&
			most_misses(a, b) > NO_MISS_OF_DATA;
	     i++) {
		error = observe_again(a, &control, &again, f);
		if (!error)
			keep_quietest(b, &again);
	}
	return error;
}

static int observe_side(void *context, enum trial_side side,
			struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error = 0;

	if (side == TRIAL_CONTROL)
		return is_code(a) ? control_quietly(a, &b->of[side], f) :
				    observe_control(a, &b->of[side], f);
	if (a->how == AGAINST_CONTROL_AND_TWIN)
		error = probe_translation(a->p, &a->s, a->r, a->loads,
					  &b->added, f);
	if (!error && a->r->shaken)
		error = probe_shake(a->p, a->w, a->base, false, f);
	if (!error)
		error = probe_observe(a->p, &a->s, a->flags, a->counter,
				      a->loads, &b->of[side], f);
	if (!error && is_code(a))
		error = test_quietly(a, &b->of[side], f);
	if (!error && may_be_shared(a))
		error = outlast_others(a, b, f);
	return error;
}

static void release(void *context)
{
	struct placement *a = context;

	sequence_free(&a->s);
}

/* As large a share of the placements may be too disturbed to count. */
static void want_orders(struct decision_rules *r, unsigned int orders)
{
	if (orders <= r->min_non_compact_blocks)
		return;
	r->max_blocks = r->max_blocks * orders / r->min_non_compact_blocks;
	r->min_non_compact_blocks = orders;
}

static struct trial trial_of(struct placement *a)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe_side,
					      .release = release };
	struct trial t = prober_trial(a->p, &ops, a);

	a->counter = a->r->counter & a->p->counters;
	a->control = a->how == TWIN ?
			     probe_near(a->p, a->r, shape_length(a->w)) :
			     a->r->control;
	align_control(a);
	t.loads = (double)shape_length(a->w);
	t.hit_by_control = !a->counter;
	if (a->how != TWIN)
		want_orders(&t.rules, a->r->orders);
	if (!a->counter)
		t.miss = a->r->penalty_ticks;
	return t;
}

/*
 * Few misses of many lines are typical of policies that keep what they have and
 * seldom let a line in: maybe they have not let all of them in yet.
 */
static int decide_patiently(struct placement *a, enum verdict *verdict,
			    struct trial *t, struct failure *f)
{
	int error;

	*t = trial_of(a);
	error = trial_run(t, verdict, f);
	if (error || *verdict == VERDICT_COMPACT ||
	    t->decision.compact_blocks ||
	    t->least_misses >= FEW_MISSES * (double)shape_length(a->w))
		return error;
	a->flags = PROBER_LONG_WARMUP;
	return trial_run(t, verdict, f);
}

/* A sequence that is not fast: do caches miss, or translations? */
static int blame(struct placement *a, enum verdict *verdict, struct trial *t,
		 bool *translation, struct failure *f)
{
	struct placement other = {
		.p = a->p, .w = a->w, .how = TWIN, .r = a->r
	};
	struct trial twins = trial_of(&other);
	enum verdict twin;
	bool fits = false;
	int error = trial_run(&twins, &twin, f);

	if (error || twin == VERDICT_COMPACT)
		return error;
	*verdict = VERDICT_UNDECIDED;
	other.how = AGAINST_CONTROL_AND_TWIN;
	error = prober_twin_fits(a->p, a->w, a->r, &fits, f);
	if (fits)
		error = decide_patiently(&other, verdict, t, f);
	*translation = *verdict == VERDICT_UNDECIDED;
	return error;
}

int prober_compact(struct prober *p, const struct shape *w,
		   const struct reference *reference, enum verdict *verdict,
		   struct evidence *evidence, struct failure *f)
{
	struct evidence e = { .counted = reference->counter & p->counters };
	struct placement a = {
		.p = p, .w = w, .how = AGAINST_CONTROL, .r = reference
	};
	struct trial t;
	int error = decide_patiently(&a, verdict, &t, f);

	if (!error && *verdict != VERDICT_COMPACT && reference->page_bytes)
		error = blame(&a, verdict, &t, &e.translation, f);
	e.decision = t.decision;
	e.bases_differ = !error && trial_split(&t, *verdict);
	if (evidence)
		*evidence = e;
	return error;
}
