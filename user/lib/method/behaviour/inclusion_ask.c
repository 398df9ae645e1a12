// SPDX-License-Identifier: GPL-2.0
/* inclusion_ask.c - a line among others, and whether it is lost. */
#include "method/behaviour/inclusion_ask.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WORD_BYTES 8
/* Of a miss: where lines go at random x is lost now and then only. */
#define COUNTED_UNIT 0.25
#define BASE_ALIGN 4096

static const struct walk_plan walk_rounds = {
	.warm_rounds = 32,
	.loads = 4000,
	.samples = 8,
};

/* x: anywhere, or any of the lines; then that comes first. */
static uint64_t choose_x(struct question *x)
{
	struct prober *p = x->p;

	if (x->conflict)
		return p->arena_offset +
		       rng_below(&p->rng, (p->arena_bytes - question_span(x)) /
							  BASE_ALIGN +
						  1) *
			       BASE_ALIGN;
	sequence_shuffle(&(struct sequence){ x->lines, x->line_count },
			 &p->rng);
	return x->lines[0];
}

/* Lines may lie at the end of the arena: then it goes on at its beginning. */
static uint64_t other(const struct question *x, uint64_t base, uint64_t apart,
		      uint64_t i)
{
	const struct prober *p = x->p;

	if (!apart)
		return x->lines[i];
	return p->arena_offset +
	       (base - p->arena_offset + i * apart) % p->arena_bytes;
}

/* @kept: where the line lies that is read again and again
 * @apart: bytes between the others, 0: they are those listed
 */
static int build(const struct question *x, uint64_t base, uint64_t kept,
		 uint64_t apart, const uint64_t *order, struct sequence *s,
		 struct failure *f)
{
	size_t n = 0;

	s->offsets = calloc(question_others(x) + x->reads, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < x->reads; i++) {
		s->offsets[n++] = kept + i * WORD_BYTES;
		for (size_t j = 0; j < x->between; j++)
			s->offsets[n++] = other(x, base, apart,
						order[i * x->between + j]);
	}
	s->length = n;
	return 0;
}

static unsigned int counter_of(const struct question *x)
{
	return question_by_counter(x) ? 1U << COUNTER_L1D_MISS : 0;
}

/* The others of a control, whose x hits: what they take tells where they hit. */
static int note_missing(struct question *x, const struct sequence *control,
			struct failure *f)
{
	double first = prober_load_ticks(x->p, x->first->latency_ns.value);
	double here = prober_load_ticks(x->p, x->level->latency_ns.value);
	double each, share;
	size_t reads = x->reads;
	struct readings r;
	int error = sampler_observe(x->p->m, control, &walk_rounds, 0, &r, f);

	if (error || !r.count)
		return error;
	each = (sampler_quantile(r.values, r.count, 0.25) *
			(double)(question_others(x) + reads) -
		first * (double)reads) /
	       (double)question_others(x);
	share = (each - here) / (first + x->unit - here);
	x->least = fmin(x->least, share);
	x->most = fmax(x->most, share);
	return 0;
}

/*
 * By its counter the first level is compared with itself: lines that conflict
 * there alone do to it what those that conflict further down do, unless it is
 * made to give lines back. By time lines cost what they cost where they hit, so
 * they stay what they are and x makes way for a line of another set.
 */
static int build_control(const struct question *x, uint64_t base,
			 const uint64_t *order, struct sequence *s,
			 struct failure *f)
{
	uint64_t line = (uint64_t)x->level->line_bytes.value;
	uint64_t way = question_way_bytes(x->first);

	if (question_by_counter(x))
		return build(x, base, base, way, order, s, f);
	return build(x, base, base + way / 2 / line * line, x->conflict, order,
		     s, f);
}

/* What the first level does by itself, by its counter. */
static void note_first(struct question *x, const struct readings *control)
{
	double loads = (double)(question_others(x) + x->reads);
	double low =
		loads * sampler_peek(control->values, control->count, 0.25);
	double high =
		loads * sampler_peek(control->values, control->count, 0.75);

	x->beyond = fmax(x->beyond, low - (double)question_others(x));
	x->spread = fmax(x->spread, high - low);
}

/**
 * struct placement - a question under way
 * @x: the question
 * @order: of the others
 * @of: x among the others, and the same without a conflict
 */
struct placement {
	struct question *x;
	uint64_t *order;
	struct sequence of[TRIAL_SIDES];
};

static int place(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	struct question *x = a->x;
	uint64_t base = choose_x(x);
	int error;

	(void)b;
	sequence_shuffle(&(struct sequence){ a->order, question_others(x) },
			 &x->p->rng);
	error = build(x, base, base, x->conflict, a->order, &a->of[TRIAL_TEST],
		      f);
	return error ? error :
		       build_control(x, base, a->order, &a->of[TRIAL_CONTROL],
				     f);
}

static int observe(void *context, enum trial_side side, struct trial_block *b,
		   struct failure *f)
{
	struct placement *a = context;

	return prober_observe(a->x->p, &a->of[side], &walk_rounds,
			      counter_of(a->x), &b->of[side], f);
}

static int note(void *context, struct trial_block *b, struct failure *f)
{
	struct placement *a = context;
	bool counted = question_by_counter(a->x);
	int error = note_missing(
		a->x, &a->of[counted ? TRIAL_TEST : TRIAL_CONTROL], f);

	if (!error && counted && b->of[TRIAL_CONTROL].count)
		note_first(a->x, &b->of[TRIAL_CONTROL]);
	return error;
}

static void release(void *context)
{
	struct placement *a = context;

	sequence_free(&a->of[TRIAL_TEST]);
	sequence_free(&a->of[TRIAL_CONTROL]);
}

int question_is_kept(struct question *x, enum verdict *verdict,
		     struct failure *f)
{
	static const struct trial_ops ops = { place, observe, note, release };
	struct placement a = {
		.x = x, .order = calloc(question_others(x), sizeof(*a.order))
	};
	struct trial t = prober_trial(x->p, &ops, &a);
	int error;

	if (!a.order)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < question_others(x); i++)
		a.order[i] = i + 1;
	x->least = INFINITY;
	x->most = -INFINITY;
	x->beyond = 0;
	x->spread = 0;
	t.loads = (double)(question_others(x) + x->reads);
	t.miss = question_by_counter(x) ? COUNTED_UNIT : x->unit;
	t.hit_by_control = true;
	t.most_gain = -QUESTION_LESS;
	t.failed_counts = true;
	error = trial_run(&t, verdict, f);
	free(a.order);
	return error;
}
