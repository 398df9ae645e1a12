// SPDX-License-Identifier: GPL-2.0
#include "prober.h"

#include <stdarg.h>
#include <stdio.h>

#include "../observe/sampler.h"

#define SAMPLES_PER_BLOCK 8
#define TIME_BLOCKS 5

/* A sample should last microseconds: long against the timer, short against
 * the time between interrupts.
 */
#define LOADS_PER_SAMPLE 2000
/* Rounds until any deterministic policy has settled, and bimodal insertion
 * nearly so, but no more loads than this.
 */
#define WARM_ROUNDS 64
#define WARM_LOADS 20000
#define WARM_ROUNDS_LEAST 5

/* No line of any level is longer; bases are aligned to it. */
#define BASE_ALIGN 1024

void prober_begin(struct prober *p, struct machine *m, uint64_t seed)
{
	*p = (struct prober){
		.m = m,
		.rng = { seed },
		.rules = decision_default_rules(),
		.arena_bytes = m->region.bytes,
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
	p->progress(p->progress_context, text);
}

static bool stopped(const struct prober *p)
{
	return p->stop && *p->stop;
}

static int out_of_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "measure: out of memory (free some)");
}

/* Return: false when the shape does not fit into the arena. */
static bool choose_base(struct prober *p, const struct shape *w, uint64_t *base)
{
	uint64_t span = shape_span(w);

	if (span > p->arena_bytes)
		return false;
	*base = p->arena_offset +
		rng_below(&p->rng, (p->arena_bytes - span) / BASE_ALIGN + 1) *
			BASE_ALIGN;
	return true;
}

static struct walk_plan plan_for(size_t length, unsigned int flags)
{
	size_t warm = WARM_LOADS / (length ? length : 1);

	if (warm > WARM_ROUNDS)
		warm = WARM_ROUNDS;
	if (warm < WARM_ROUNDS_LEAST)
		warm = WARM_ROUNDS_LEAST;
	return (struct walk_plan){
		.flags = flags,
		.warm_rounds = (unsigned int)warm,
		.loads = LOADS_PER_SAMPLE,
		.samples = SAMPLES_PER_BLOCK,
	};
}

/* A shape, placed and in random order. */
static int build(struct prober *p, const struct shape *w, uint64_t base,
		 struct sequence *s, struct failure *f)
{
	if (sequence_place(s, w, base))
		return out_of_memory(f);
	if (shape_columns(w) == 1)
		sequence_shuffle(s, &p->rng);
	else if (sequence_shuffle_columns(s, shape_columns(w), &p->rng)) {
		sequence_free(s);
		return out_of_memory(f);
	}
	return 0;
}

static int observe(struct prober *p, const struct shape *w, uint64_t base,
		   unsigned int flags, double *values, size_t *count,
		   struct failure *f)
{
	struct walk_plan plan = plan_for(shape_length(w), flags);
	struct sequence s;
	int error;

	if (stopped(p))
		return -EINTR;
	error = build(p, w, base, &s, f);
	if (error)
		return error;
	error = sampler_take(p->m, &s, &plan, values, count, f);
	sequence_free(&s);
	return error;
}

int prober_time(struct prober *p, const struct shape *w, unsigned int flags,
		double *ticks, struct failure *f)
{
	double medians[TIME_BLOCKS], values[SAMPLER_MAX];
	size_t blocks = 0, count;

	for (int i = 0; i < TIME_BLOCKS; i++) {
		uint64_t base;
		int error;

		if (!choose_base(p, w, &base))
			return -ERANGE;
		error = observe(p, w, base, flags, values, &count, f);
		if (error)
			return error;
		if (count)
			medians[blocks++] =
				sampler_quantile(values, count, 0.5);
	}
	if (!blocks)
		return fail(
			f, STATUS_FAILED, EAGAIN,
			"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
	*ticks = sampler_quantile(medians, blocks, 0.5);
	return 0;
}

/* Ticks per load become misses per round. */
static void to_misses(double *values, size_t count, double hit_ticks,
		      size_t length, double penalty_ticks)
{
	for (size_t i = 0; i < count; i++)
		values[i] = (values[i] - hit_ticks) * (double)length /
			    penalty_ticks;
}

static int add_block(struct prober *p, const struct shape *w,
		     const struct reference *r, struct decision *d,
		     struct failure *f)
{
	double test[SAMPLER_MAX], control[SAMPLER_MAX], sorted[SAMPLER_MAX];
	size_t tests, controls;
	uint64_t base, control_base;
	double hit;
	int error;

	if (!choose_base(p, w, &base) ||
	    !choose_base(p, &r->control, &control_base))
		return -ERANGE;
	error = observe(p, &r->control, control_base, 0, control, &controls, f);
	if (!error)
		error = observe(p, w, base, 0, test, &tests, f);
	if (error)
		return error;
	for (size_t i = 0; i < controls; i++)
		sorted[i] = control[i];
	hit = sampler_quantile(sorted, controls, 0.25);
	to_misses(test, tests, hit, shape_length(w), r->penalty_ticks);
	to_misses(control, controls, hit, shape_length(w), r->penalty_ticks);
	decision_add_block(d, test, tests, control, controls);
	return 0;
}

static int decide(struct prober *p, const struct shape *w,
		  const struct reference *r, enum verdict *verdict,
		  struct decision *d, struct failure *f)
{
	decision_begin(d, &p->rules);
	do {
		int error = add_block(p, w, r, d, f);

		if (error)
			return error;
	} while (!decision_done(d, verdict));
	p->tests++;
	return 0;
}

/* The twin: as many loads in the same pages, none of them in conflict. */
static int observe_twin(struct prober *p, const struct shape *w,
			const struct reference *r, double *values,
			size_t *count, struct failure *f)
{
	struct walk_plan plan = plan_for(shape_length(w), 0);
	struct sequence s, twin;
	uint64_t base;
	int error;

	if (!choose_base(p, w, &base))
		return -ERANGE;
	error = build(p, w, base, &s, f);
	if (error)
		return error;
	error = sequence_translation_twin(&twin, &s, r->page_bytes,
					  r->line_bytes);
	sequence_free(&s);
	if (error)
		return out_of_memory(f);
	error = sampler_take(p->m, &twin, &plan, values, count, f);
	sequence_free(&twin);
	return error;
}

/* Return: 0 with *slow telling whether translation alone costs as much as the
 * misses that were seen.
 */
static int twin_is_slow(struct prober *p, const struct shape *w,
			const struct reference *r, bool *slow,
			struct failure *f)
{
	const struct shape words = { .inner = 1, .stride = 8, .outer = 64 };
	double test[SAMPLER_MAX], control[SAMPLER_MAX];
	enum verdict verdict;
	struct decision d;
	size_t tests, controls;

	decision_begin(&d, &p->rules);
	do {
		uint64_t base;
		double hit;
		int error;

		if (!choose_base(p, &words, &base))
			return -ERANGE;
		error = observe(p, &words, base, 0, control, &controls, f);
		if (!error)
			error = observe_twin(p, w, r, test, &tests, f);
		if (error)
			return error;
		hit = sampler_quantile(control, controls, 0.25);
		to_misses(test, tests, hit, shape_length(w), r->penalty_ticks);
		to_misses(control, controls, hit, shape_length(w),
			  r->penalty_ticks);
		decision_add_block(&d, test, tests, control, controls);
	} while (!decision_done(&d, &verdict));
	p->tests++;
	*slow = verdict != VERDICT_COMPACT;
	return 0;
}

int prober_compact(struct prober *p, const struct shape *w,
		   const struct reference *reference, enum verdict *verdict,
		   struct evidence *evidence, struct failure *f)
{
	struct evidence e = { .bases_differ = false };
	int error = decide(p, w, reference, verdict, &e.decision, f);

	if (!error && *verdict == VERDICT_NON_COMPACT &&
	    reference->page_bytes) {
		error = twin_is_slow(p, w, reference, &e.translation, f);
		if (e.translation)
			*verdict = VERDICT_UNDECIDED;
	}
	e.bases_differ = !error && *verdict == VERDICT_UNDECIDED &&
			 e.decision.compact_blocks >= 3 &&
			 e.decision.non_compact_blocks >= 3;
	if (evidence)
		*evidence = e;
	return error;
}
