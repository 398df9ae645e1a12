// SPDX-License-Identifier: GPL-2.0
#include "method/probe/prober.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/probe/time_limit.h"
#include "observe/sampler.h"

/* With none of each half wrong the rate is below 4 % (95 %, Wilson). */
#define MASK_PAIRS 200

#define TIME_BLOCKS 5

/* A sample should last microseconds: long against the timer, short against
 * the time between interrupts.
 */
#define LOADS_PER_SAMPLE 2000
#define SHAKES 10
#define FEW_MISSES 0.4

void prober_begin(struct prober *p, struct machine *m, uint64_t seed)
{
	*p = (struct prober){
		.m = m,
		.rng = { seed },
		.rules = decision_default_rules(),
		.budget = budget_unlimited(),
		.arena_bytes = m->region.bytes,
		.word_bytes = sizeof(uint64_t),
		.most_levels = SIZE_MAX,
		.mask_pairs = MASK_PAIRS,
	};
	if (m->region.extent_count && m->region.phys_known) {
		p->arena_offset = m->region.extents[0].offset;
		p->arena_bytes = m->region.extents[0].bytes;
	}
}

void prober_progress(struct prober *p, const char *format, ...)
{
	char text[120];
	va_list args;

	if (!p->progress)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	p->progress(p->progress_context, text, p->done);
}

bool prober_stopped(const struct prober *p)
{
	return time_limit_interrupted(p) || time_limit_over(p);
}

int prober_out_of_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "measure: out of memory (free some)");
}

static unsigned int usual_loads(const struct prober *p)
{
	return prober_loads(p, LOADS_PER_SAMPLE, 0);
}

/* @counter: a bit, 0: time. @loads: of each sample, a round at least */
static int observe(struct prober *p, const struct sequence *s,
		   unsigned int flags, unsigned int counter, unsigned int loads,
		   struct readings *r, struct failure *f)
{
	const struct walk_plan plan = prober_plan(s->length, flags, loads);
	const struct machine_conditions before = p->m->conditions;
	int error = prober_observe(p, s, &plan, counter, r, f);

	prober_count_samples(p, &before, loads < s->length ? s->length : loads);
	return error;
}

/* Each line by two of its words. */
static int double_words(struct sequence *s, uint64_t word_bytes,
			struct failure *f)
{
	uint64_t *both = realloc(s->offsets, 2 * s->length * sizeof(*both));

	if (!both)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < s->length; i++)
		both[s->length + i] = both[i] + word_bytes;
	s->offsets = both;
	s->length *= 2;
	return 0;
}

/* The same lines in other orders, from where the last one has left them. */
static int shake(struct prober *p, const struct shape *w, uint64_t base,
		 bool twice, struct failure *f)
{
	const struct walk_plan plan = { .warm_rounds = 2,
					.loads = 1,
					.samples = 1 };
	struct sample unused;

	for (int i = 0; i < SHAKES; i++) {
		struct sequence s;
		int error = prober_build(p, w, base, &s, f);

		if (!error && twice) {
			error = double_words(&s, p->word_bytes, f);
			if (!error && sequence_check(&s))
				error = -ERANGE;
			sequence_shuffle(&s, &p->rng);
		}
		if (!error)
			error = p->m->ops->walk(p->m, &s, &plan, &unused, f);
		sequence_free(&s);
		if (error)
			return error;
	}
	return 0;
}

/* A shape somewhere in the arena, in random order. */
static int observe_shape(struct prober *p, const struct shape *w,
			 unsigned int flags, unsigned int counter,
			 unsigned int loads, struct readings *r,
			 struct failure *f)
{
	struct sequence s;
	uint64_t base;
	int error;

	if (!prober_choose_base(p, w, &base))
		return -ERANGE;
	error = prober_build(p, w, base, &s, f);
	if (error)
		return error;
	if (flags & PROBER_TWICE)
		error = shake(p, w, base, true, f);
	if (!error)
		error = observe(p, &s, flags & ~PROBER_TWICE, counter, loads, r,
				f);
	sequence_free(&s);
	return error;
}

/* Per load, by time or by a counter. */
static int quiet_level(struct prober *p, const struct shape *w,
		       unsigned int flags, unsigned int counter, double *level,
		       struct failure *f)
{
	double quiet[TIME_BLOCKS];
	int places = flags & PROBER_ONE_PLACE ? 1 : TIME_BLOCKS;
	struct readings r;
	size_t blocks = 0;

	for (int i = 0; i < places; i++) {
		int error = observe_shape(p, w, flags & ~PROBER_ONE_PLACE,
					  counter, usual_loads(p), &r, f);

		if (error)
			return error;
		if (r.count)
			quiet[blocks++] =
				sampler_quantile(r.values, r.count, 0.25);
	}
	if (!blocks)
		return fail(
			f, STATUS_FAILED, EAGAIN,
			"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
	*level = sampler_quantile(quiet, blocks, 0.5);
	return 0;
}

int prober_time(struct prober *p, const struct shape *w, unsigned int flags,
		double *ticks, struct failure *f)
{
	return quiet_level(p, w, flags, 0, ticks, f);
}

int prober_misses(struct prober *p, const struct shape *w, unsigned int flags,
		  unsigned int counter, double *per_round, struct failure *f)
{
	int error = quiet_level(p, w, flags, counter, per_round, f);

	if (!error)
		*per_round *= (double)shape_length(w);
	return error;
}

int prober_time_and_misses(struct prober *p, const struct shape *w,
			   unsigned int counter, double *ticks, double *misses,
			   struct failure *f)
{
	struct readings first, time, last;
	unsigned int loads = usual_loads(p);
	struct sequence s;
	uint64_t base;
	int error;

	if (!prober_choose_base(p, w, &base))
		return -ERANGE;
	error = prober_build(p, w, base, &s, f);
	if (error)
		return error;
	error = observe(p, &s, 0, counter, loads, &first, f);
	if (!error)
		error = observe(p, &s, 0, 0, loads, &time, f);
	if (!error)
		error = observe(p, &s, 0, counter, loads, &last, f);
	sequence_free(&s);
	if (error)
		return error;
	if (!first.count || !time.count || !last.count)
		return -EAGAIN;
	*ticks = sampler_quantile(time.values, time.count, 0.25);
	*misses = fmax(sampler_quantile(first.values, first.count, 0.5),
		       sampler_quantile(last.values, last.count, 0.5)) *
		  (double)shape_length(w);
	return 0;
}

/* The twin: as many loads in the same pages, none of them in conflict. */
static int make_twin(const struct prober *p, struct sequence *s,
		     const struct reference *r, struct failure *f)
{
	struct sequence twin;

	if (sequence_translation_twin(&twin, s, r->page_bytes, r->line_bytes,
				      p->word_bytes))
		return prober_out_of_memory(f);
	sequence_free(s);
	*s = twin;
	return 0;
}

/* What translation adds to each load of a sequence: ticks, or misses that page
 * walks cause.
 */
static int find_translation(struct prober *p, const struct sequence *s,
			    const struct reference *r, unsigned int loads,
			    double *added, struct failure *f)
{
	const struct shape words = prober_words(p);
	unsigned int counter = r->counter & p->counters;
	struct readings slow, fast = { .count = 0 };
	struct sequence twin;
	int error;

	if (sequence_translation_twin(&twin, s, r->page_bytes, r->line_bytes,
				      p->word_bytes))
		return prober_out_of_memory(f);
	error = observe(p, &twin, 0, counter, loads, &slow, f);
	sequence_free(&twin);
	if (!error)
		error = observe_shape(p, &words, 0, counter, loads, &fast, f);
	*added = 0;
	if (error || !slow.count || !fast.count)
		return error;
	*added = sampler_quantile(slow.values, slow.count, 0.25) -
		 sampler_quantile(fast.values, fast.count, 0.25);
	return 0;
}

int prober_translation(struct prober *p, const struct sequence *s,
		       const struct reference *r, double *ticks,
		       struct failure *f)
{
	struct reference timed = *r;
	bool fits;
	int error = prober_sequence_twin_fits(p, s, r, &fits, f);

	*ticks = NAN;
	if (error || !fits)
		return error;
	timed.counter = 0;
	return find_translation(p, s, &timed, usual_loads(p), ticks, f);
}

int prober_time_sequence(struct prober *p, const struct sequence *s,
			 unsigned int flags, double *ticks, struct failure *f)
{
	struct readings r;
	int error = observe(p, s, flags, 0, usual_loads(p), &r, f);

	*ticks = r.count ? sampler_quantile(r.values, r.count, 0.25) : NAN;
	return error;
}

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
 * @p: asks the machine
 * @w: its shape
 * @how: what it is compared with
 * @beside: the control
 * @r: hits and misses
 * @flags: of prober_time()
 * @counter: that decides, a bit; 0: time
 * @base: where the sequence lies now
 * @s: its addresses in order
 * @loads: of each sample
 */
struct placement {
	struct prober *p;
	const struct shape *w;
	enum comparison how;
	struct shape beside;
	const struct reference *r;
	unsigned int flags;
	unsigned int counter;
	uint64_t base;
	struct sequence s;
	unsigned int loads;
};

/* As many loads of the control as of the test, so that as much comes between. */
static unsigned int loads_of(const struct placement *a)
{
	double least = 0;

	if (!a->counter)
		least = prober_least_loads(a->p, (double)a->s.length,
					   a->r->penalty_ticks);
	return prober_loads(a->p, LOADS_PER_SAMPLE, least);
}

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error;

	if (!prober_choose_base(a->p, a->w, &a->base))
		return -ERANGE;
	error = prober_build(a->p, a->w, a->base, &a->s, f);
	if (!error && a->how == TWIN)
		error = make_twin(a->p, &a->s, a->r, f);
	if (error)
		return error;
	a->loads = loads_of(a);
	b->exposure =
		trial_exposure(a->s.length, shape_length(&a->beside), a->loads);
	return 0;
}

static int observe_side(void *context, enum trial_side side,
			struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	int error = 0;

	if (side == TRIAL_CONTROL)
		return observe_shape(a->p, &a->beside, 0, a->counter, a->loads,
				     &b->of[side], f);
	if (a->how == AGAINST_CONTROL_AND_TWIN)
		error = find_translation(a->p, &a->s, a->r, a->loads, &b->added,
					 f);
	if (!error && a->r->shaken)
		error = shake(a->p, a->w, a->base, false, f);
	return error ? error :
		       observe(a->p, &a->s, a->flags, a->counter, a->loads,
			       &b->of[side], f);
}

static void release(void *context)
{
	struct placement *a = context;

	sequence_free(&a->s);
}

static struct trial trial_of(struct placement *a)
{
	static const struct trial_ops ops = { .place = place,
					      .observe = observe_side,
					      .release = release };
	struct trial t = prober_trial(a->p, &ops, a);

	a->counter = a->r->counter & a->p->counters;
	a->beside = a->how == TWIN ? prober_words(a->p) : a->r->control;
	t.loads = (double)shape_length(a->w);
	t.hit_by_control = !a->counter;
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
