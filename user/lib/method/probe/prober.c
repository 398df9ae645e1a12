// SPDX-License-Identifier: GPL-2.0
/* prober.c - is a shape compact? A trial against its control, and its twin. */
#include "method/probe/internal.h"
#include "method/probe/quiet.h"
#include "method/probe/tuning.h"

/* Misses of a line below which a policy may not have let all lines in yet. */
#define FEW_MISSES 0.4
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

static int observe_side(void *context, enum trial_side side,
			struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error = 0;

	if (side == TRIAL_CONTROL)
		return quiet_control(a, &b->of[side], f);
	if (a->how == AGAINST_CONTROL_AND_TWIN)
		error = probe_translation(a->p, &a->s, a->r, a->loads,
					  &b->added, f);
	if (!error && a->r->shaken)
		error = probe_shake(a->p, a->w, a->base, false, f);
	if (!error)
		error = probe_observe(a->p, &a->s, a->flags, a->counter,
				      a->loads, &b->of[side], f);
	return error ? error : quiet_test(a, b, f);
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
			     *quiet_choose(a);
	align_control(a);
	t.loads = (double)shape_length(a->w);
	t.hit_by_control = !a->counter;
	if (a->how != TWIN)
		want_orders(&t.rules, a->r->orders);
	if (!a->counter)
		t.miss = a->r->penalty_ticks;
	quiet_begin(a, &t);
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
