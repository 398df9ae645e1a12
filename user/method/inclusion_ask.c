// SPDX-License-Identifier: GPL-2.0
/* inclusion_ask.c - a line among others, and whether it is lost. */
#include "inclusion_ask.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../observe/sampler.h"

#define WORD_BYTES 8
#define NEITHER 0.4
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

/* Misses of x in a round, in @values, as far as one can tell from one walk. */
static int observe(const struct question *x, const struct sequence *s,
		   double *values, size_t *count, struct failure *f)
{
	struct prober *p = x->p;

	if (prober_stopped(p))
		return -EINTR;
	if (question_by_counter(x))
		return sampler_count(p->m, s, &walk_rounds, COUNTER_L1D_MISS,
				     values, count, f);
	return sampler_take(p->m, s, &walk_rounds, values, count, f);
}

/* From per load to lost lines per round, above what the control shows. */
static void to_losses(const struct question *x, double base, double *values,
		      size_t count)
{
	double loads = (double)(question_others(x) + x->reads);

	for (size_t i = 0; i < count; i++) {
		values[i] = (values[i] - base) * loads /
			    (question_by_counter(x) ? COUNTED_UNIT : x->unit);
		if (values[i] < QUESTION_LESS)
			values[i] = NEITHER;
	}
}

/* The others of a control, whose x hits: what they take tells where they hit. */
static int note_missing(struct question *x, const struct sequence *control,
			struct failure *f)
{
	double first = x->first->latency_ns.value * question_ticks_per_ns(x);
	double here = x->level->latency_ns.value * question_ticks_per_ns(x);
	double ticks[SAMPLER_MAX], each, share;
	size_t count = 0, reads = x->reads;
	int error =
		sampler_take(x->p->m, control, &walk_rounds, ticks, &count, f);

	if (error || !count)
		return error;
	each = (sampler_quantile(ticks, count, 0.25) *
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
static void note_first(struct question *x, const double *control, size_t count)
{
	double loads = (double)(question_others(x) + x->reads);
	double low = loads * sampler_peek(control, count, 0.25);
	double high = loads * sampler_peek(control, count, 0.75);

	x->beyond = fmax(x->beyond, low - (double)question_others(x));
	x->spread = fmax(x->spread, high - low);
}

static int add_block(struct question *x, uint64_t *order, struct decision *d,
		     struct failure *f)
{
	double test[SAMPLER_MAX], control[SAMPLER_MAX], base_value;
	uint64_t base;
	struct sequence with = { .offsets = NULL }, without = with;
	size_t tests = 0, controls = 0;
	struct prober *p = x->p;
	int error;

	base = choose_x(x);
	sequence_shuffle(&(struct sequence){ order, question_others(x) },
			 &p->rng);
	error = build(x, base, base, x->conflict, order, &with, f);
	if (!error)
		error = build_control(x, base, order, &without, f);
	if (!error)
		error = observe(x, &without, control, &controls, f);
	if (!error)
		error = observe(x, &with, test, &tests, f);
	if (!error)
		error = note_missing(
			x, question_by_counter(x) ? &with : &without, f);
	sequence_free(&with);
	sequence_free(&without);
	if (error)
		return error;
	base_value = controls ? sampler_peek(control, controls, 0.25) : 0;
	if (question_by_counter(x) && controls)
		note_first(x, control, controls);
	to_losses(x, base_value, test, tests);
	to_losses(x, base_value, control, controls);
	decision_add_block(d, test, tests, control, controls, 1);
	return 0;
}

int question_is_kept(struct question *x, enum verdict *verdict,
		     struct failure *f)
{
	uint64_t *order = calloc(question_others(x), sizeof(*order));
	struct decision d;
	int error = 0;

	if (!order)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < question_others(x); i++)
		order[i] = i + 1;
	x->least = INFINITY;
	x->most = -INFINITY;
	x->beyond = 0;
	x->spread = 0;
	decision_begin(&d, &x->p->rules);
	do {
		error = add_block(x, order, &d, f);
	} while (!error && !decision_done(&d, verdict));
	x->p->tests++;
	free(order);
	return error;
}
