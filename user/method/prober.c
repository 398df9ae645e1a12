// SPDX-License-Identifier: GPL-2.0
#include "prober.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../observe/sampler.h"
#include "time_limit.h"

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
		   double *values, size_t *count, struct failure *f)
{
	struct walk_plan plan = prober_plan(s->length, flags, loads);
	const struct machine_conditions before = p->m->conditions;
	int error;

	if (prober_stopped(p))
		return -EINTR;
	if (counter)
		error = sampler_count(
			p->m, s, &plan,
			(enum machine_counter)__builtin_ctz(counter), values,
			count, f);
	else
		error = sampler_take(p->m, s, &plan, values, count, f);
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
			 unsigned int loads, double *values, size_t *count,
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
		error = observe(p, &s, flags & ~PROBER_TWICE, counter, loads,
				values, count, f);
	sequence_free(&s);
	return error;
}

/* Per load, by time or by a counter. */
static int quiet_level(struct prober *p, const struct shape *w,
		       unsigned int flags, unsigned int counter, double *level,
		       struct failure *f)
{
	double quiet[TIME_BLOCKS], values[SAMPLER_MAX];
	int places = flags & PROBER_ONE_PLACE ? 1 : TIME_BLOCKS;
	size_t blocks = 0, count;

	for (int i = 0; i < places; i++) {
		int error = observe_shape(p, w, flags & ~PROBER_ONE_PLACE,
					  counter, usual_loads(p), values,
					  &count, f);

		if (error)
			return error;
		if (count)
			quiet[blocks++] = sampler_quantile(values, count, 0.25);
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
	double first[SAMPLER_MAX], time[SAMPLER_MAX], last[SAMPLER_MAX];
	size_t before = 0, timed = 0, after = 0;
	unsigned int loads = usual_loads(p);
	struct sequence s;
	uint64_t base;
	int error;

	if (!prober_choose_base(p, w, &base))
		return -ERANGE;
	error = prober_build(p, w, base, &s, f);
	if (error)
		return error;
	error = observe(p, &s, 0, counter, loads, first, &before, f);
	if (!error)
		error = observe(p, &s, 0, 0, loads, time, &timed, f);
	if (!error)
		error = observe(p, &s, 0, counter, loads, last, &after, f);
	sequence_free(&s);
	if (error)
		return error;
	if (!before || !timed || !after)
		return -EAGAIN;
	*ticks = sampler_quantile(time, timed, 0.25);
	*misses = fmax(sampler_quantile(first, before, 0.5),
		       sampler_quantile(last, after, 0.5)) *
		  (double)shape_length(w);
	return 0;
}

/* Ticks per load become misses per round; so do misses per load, with nothing
 * to a hit and 1 to a miss.
 */
static void to_misses(double *values, size_t count, double hit_ticks,
		      size_t length, double penalty_ticks)
{
	for (size_t i = 0; i < count; i++)
		values[i] = (values[i] - hit_ticks) * (double)length /
			    penalty_ticks;
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
	double slow[SAMPLER_MAX], fast[SAMPLER_MAX];
	size_t slow_count = 0, fast_count = 0;
	struct sequence twin;
	int error;

	if (sequence_translation_twin(&twin, s, r->page_bytes, r->line_bytes,
				      p->word_bytes))
		return prober_out_of_memory(f);
	error = observe(p, &twin, 0, counter, loads, slow, &slow_count, f);
	sequence_free(&twin);
	if (!error)
		error = observe_shape(p, &words, 0, counter, loads, fast,
				      &fast_count, f);
	*added = 0;
	if (error || !slow_count || !fast_count)
		return error;
	*added = sampler_quantile(slow, slow_count, 0.25) -
		 sampler_quantile(fast, fast_count, 0.25);
	return 0;
}

int prober_translation(struct prober *p, const struct shape *w,
		       const struct reference *r, double *ticks,
		       struct failure *f)
{
	struct reference timed = *r;
	struct sequence s;
	uint64_t base;
	bool fits;
	int error = prober_twin_fits(p, w, r, &fits, f);

	*ticks = NAN;
	if (error || !fits)
		return error;
	if (!prober_choose_base(p, w, &base))
		return -ERANGE;
	error = prober_build(p, w, base, &s, f);
	if (error)
		return error;
	timed.counter = 0;
	error = find_translation(p, &s, &timed, usual_loads(p), ticks, f);
	sequence_free(&s);
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
 * struct block - one placement of a sequence under test
 * @w: its shape
 * @base: where it lies
 * @s: its addresses in order
 * @how: what it is compared with
 * @r: hits and misses
 * @flags: of prober_time()
 * @least_misses: of a round, least of all blocks
 */
struct block {
	const struct shape *w;
	uint64_t base;
	struct sequence s;
	enum comparison how;
	const struct reference *r;
	unsigned int flags;
	double least_misses;
};

/* As many loads of the control as of the test, so that as much comes between. */
static unsigned int loads_of(const struct prober *p, const struct block *b,
			     unsigned int counter)
{
	double least = 0;

	if (!counter)
		least = prober_least_loads(p, (double)b->s.length,
					   b->r->penalty_ticks);
	return prober_loads(p, LOADS_PER_SAMPLE, least);
}

/* How many times as long a sample of the test takes as one of the control. */
static double exposure_of(const struct block *b, const struct shape *control,
			  unsigned int loads)
{
	double test = fmax((double)b->s.length, loads);

	return test / fmax((double)shape_length(control), loads);
}

/* The test beside the control. */
static int add_block(struct prober *p, struct block *b, struct decision *d,
		     struct failure *f)
{
	const struct shape words = prober_words(p);
	const struct shape *beside = b->how == TWIN ? &words : &b->r->control;
	double test[SAMPLER_MAX], control[SAMPLER_MAX];
	unsigned int counter = b->r->counter & p->counters;
	unsigned int loads = loads_of(p, b, counter);
	double hit = 0, translation = 0;
	double penalty = counter ? 1 : b->r->penalty_ticks;
	size_t tests, controls;
	int error = observe_shape(p, beside, 0, counter, loads, control,
				  &controls, f);

	if (!error && b->how == AGAINST_CONTROL_AND_TWIN)
		error = find_translation(p, &b->s, b->r, loads, &translation,
					 f);
	if (!error && b->r->shaken)
		error = shake(p, b->w, b->base, false, f);
	if (!error)
		error = observe(p, &b->s, b->flags, counter, loads, test,
				&tests, f);
	if (error)
		return error;
	if (!counter)
		hit = sampler_peek(control, controls, 0.25);
	to_misses(test, tests, hit + translation, b->s.length, penalty);
	to_misses(control, controls, hit, b->s.length, penalty);
	decision_add_block(d, test, tests, control, controls,
			   exposure_of(b, beside, loads));
	b->least_misses = fmin(b->least_misses, sampler_peek(test, tests, 0.5));
	return 0;
}

static int compare(struct prober *p, struct block *b, struct decision *d,
		   struct failure *f)
{
	int error;

	if (!prober_choose_base(p, b->w, &b->base))
		return -ERANGE;
	error = prober_build(p, b->w, b->base, &b->s, f);
	if (!error && b->how == TWIN)
		error = make_twin(p, &b->s, b->r, f);
	if (!error)
		error = add_block(p, b, d, f);
	sequence_free(&b->s);
	return error;
}

static int decide(struct prober *p, struct block *b, enum verdict *verdict,
		  struct decision *d, struct failure *f)
{
	decision_begin(d, &p->rules);
	b->least_misses = INFINITY;
	do {
		int error = compare(p, b, d, f);

		if (error)
			return error;
	} while (!decision_done(d, verdict));
	p->tests++;
	return 0;
}

/*
 * Few misses of many lines are typical of policies that keep what they have and
 * seldom let a line in: maybe they have not let all of them in yet.
 */
static int decide_patiently(struct prober *p, struct block *b,
			    enum verdict *verdict, struct decision *d,
			    struct failure *f)
{
	int error = decide(p, b, verdict, d, f);

	if (error || *verdict == VERDICT_COMPACT || d->compact_blocks ||
	    !(b->least_misses < FEW_MISSES * (double)shape_length(b->w)))
		return error;
	b->flags = PROBER_LONG_WARMUP;
	return decide(p, b, verdict, d, f);
}

/* A sequence that is not fast: do caches miss, or translations? */
static int blame(struct prober *p, const struct shape *w,
		 const struct reference *r, enum verdict *verdict,
		 struct evidence *e, struct failure *f)
{
	struct block b = { .w = w, .how = TWIN, .r = r };
	struct decision unused;
	enum verdict twin;
	bool fits = false;
	int error = decide(p, &b, &twin, &unused, f);

	if (error || twin == VERDICT_COMPACT)
		return error;
	*verdict = VERDICT_UNDECIDED;
	b.how = AGAINST_CONTROL_AND_TWIN;
	error = prober_twin_fits(p, w, r, &fits, f);
	if (fits)
		error = decide_patiently(p, &b, verdict, &e->decision, f);
	e->translation = *verdict == VERDICT_UNDECIDED;
	return error;
}

int prober_compact(struct prober *p, const struct shape *w,
		   const struct reference *reference, enum verdict *verdict,
		   struct evidence *evidence, struct failure *f)
{
	struct evidence e = { .counted = reference->counter & p->counters };
	struct block b = { .w = w, .how = AGAINST_CONTROL, .r = reference };
	int error = decide_patiently(p, &b, verdict, &e.decision, f);

	if (!error && *verdict != VERDICT_COMPACT && reference->page_bytes)
		error = blame(p, w, reference, verdict, &e, f);
	e.bases_differ = !error && *verdict == VERDICT_UNDECIDED &&
			 e.decision.compact_blocks >= 3 &&
			 e.decision.non_compact_blocks >= 3;
	if (evidence)
		*evidence = e;
	return error;
}
