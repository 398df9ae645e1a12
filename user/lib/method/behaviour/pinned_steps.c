// SPDX-License-Identifier: GPL-2.0
/* pinned_steps.c - what is done to lines, and what is read of them then. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/behaviour/pinned.h"
#include "method/behaviour/tuning.h"
#include "method/probe/aside.h"

/* Misses of a line that is there, at most; of one that is lost: PINNED_LOST_SHARE. */
#define THERE 0.25

static struct sequence *add_step(enum step_kind kind, size_t length,
				 struct pinned_steps *s)
{
	struct sequence *lines = &s->lines[s->count];

	lines->length = 0;
	lines->offsets = calloc(length + 1, sizeof(*lines->offsets));
	s->failed = s->failed || !lines->offsets;
	s->steps[s->count++] = (struct walk_step){ kind, lines, 0 };
	return lines;
}

static void append(struct sequence *lines, const uint64_t *from, size_t n,
		   uint64_t apart)
{
	for (size_t i = 0; lines->offsets && i < n; i++)
		lines->offsets[lines->length++] = from[i] ^ apart;
}

void pinned_step(const struct pinned *k, const struct pinned_place *at,
		 enum step_kind kind, enum pinned_list list, size_t from,
		 size_t n, struct pinned_steps *s)
{
	struct sequence *lines = add_step(kind, n * k->count, s);

	if (list == PINNED_FILL) {
		list = PINNED_PUSH;
		from += k->wanted;
	}
	for (size_t i = 0; i < k->count; i++)
		append(lines, at->offsets[list] + from, n, k->apart[i]);
}

void pinned_step_all(const struct pinned *k, const struct pinned_place *at,
		     enum step_kind kind, enum pinned_list list,
		     struct pinned_steps *s)
{
	pinned_step(k, at, kind, list, 0, at->counts[list], s);
}

void pinned_begin(const struct pinned *k, const struct pinned_place *at,
		  struct pinned_steps *s)
{
	pinned_step_all(k, at, STEP_FLUSH, PINNED_X, s);
	pinned_step_all(k, at, STEP_FLUSH, PINNED_PUSH, s);
	pinned_step_all(k, at, STEP_FLUSH, PINNED_UPPER, s);
	pinned_step(k, at, STEP_LOAD, PINNED_FILL, 0,
		    at->counts[PINNED_PUSH] - k->wanted, s);
}

/* The levels above the holder lose it first, so that the holder sees the use. */
static void use(const struct pinned *k, const struct pinned_place *at, size_t i,
		struct sequence *lines)
{
	append(lines, at->offsets[PINNED_OVER_HOLDER],
	       at->counts[PINNED_OVER_HOLDER], k->apart[i]);
	append(lines, at->offsets[PINNED_X], 1, k->apart[i]);
}

void pinned_rounds(const struct pinned *k, const struct pinned_place *at,
		   enum pinned_list list, size_t n, struct pinned_steps *s)
{
	size_t each = (n + 1) * (at->counts[PINNED_OVER_HOLDER] + 2);
	size_t have = list == PINNED_PUSH ? k->wanted : at->passing;
	struct sequence *lines = add_step(STEP_LOAD, each * k->count, s);

	for (size_t j = 0; j < n || !j; j++)
		for (size_t i = 0; i < k->count; i++) {
			use(k, at, i, lines);
			append(lines, at->offsets[list] + j % have, j < n,
			       k->apart[i]);
		}
}

/* Translations of the pinned lines, which are of one page. */
static void translate(const struct pinned *k, const struct pinned_place *at,
		      struct pinned_steps *s)
{
	struct sequence *lines = add_step(STEP_FLUSH, 1, s);
	struct aside a;
	uint64_t line;

	aside_begin(&a, k->h, at->offsets[PINNED_X][0]);
	for (int list = 0; list < PINNED_LISTS; list++)
		for (size_t i = 0; i < at->counts[list]; i++)
			for (size_t j = 0; j < k->count; j++)
				aside_use(&a,
					  at->offsets[list][i] ^ k->apart[j]);
	if (aside_find(&a, &line))
		append(lines, &line, 1, 0);
}

int pinned_observe(const struct pinned *k, const struct pinned_place *at,
		   struct pinned_steps *s, unsigned int counter,
		   struct readings *r, struct failure *f)
{
	struct walk_plan plan = {
		.samples = k->alone ? PINNED_ALONE_SAMPLES : PINNED_SAMPLES,
		.steps = s->steps,
	};
	uint64_t offsets[PINNED_LINES];
	const struct sequence x = { offsets, k->count };
	int error;

	for (size_t i = 0; i < k->count; i++)
		offsets[i] = at->offsets[PINNED_X][0] ^ k->apart[i];
	translate(k, at, s);
	plan.step_count = s->count;
	error = s->failed ? prober_out_of_memory(f) :
			    prober_observe(k->p, &x, &plan, counter, r, f);
	for (size_t i = 0; i < s->count; i++)
		sequence_free(&s->lines[i]);
	s->count = 0;
	return error;
}

/* Standard deviations from the mean to a quartile, of a normal distribution. */
#define QUARTILE 0.6745

/*
 * A quartile of the samples, or of one line of their mean, which is finer than the
 * steps of the clock: these are as long as what they have to show.
 */
static double quartile_of(const struct pinned *k, const struct readings *r,
			  bool upper)
{
	const double step = k->p->m->timer.resolution_ticks;
	double mean, sum = 0;

	if (!k->alone)
		return statistics_peek(r->values, r->count,
				       upper ? 0.75 : 0.25);
	mean = statistics_near_middle(r->values, r->count, step);
	/* What lies further away is no part of the mean. */
	for (size_t i = 0; i < r->count; i++)
		sum += fmin(pow(r->values[i] - mean, 2), step * step);
	return mean +
	       (upper ? QUARTILE : -QUARTILE) * sqrt(sum) / (double)r->count;
}

static double value_of(const struct pinned *k, const struct readings *r)
{
	if (k->alone)
		return statistics_near_middle(r->values, r->count,
					      k->p->m->timer.resolution_ticks);
	return r->count ? statistics_peek(r->values, r->count, 0.25) : NAN;
}

int pinned_present(const struct pinned *k, const struct pinned_place *at,
		   enum pinned_list list, unsigned int counter, double *value,
		   struct failure *f)
{
	struct pinned_steps s = { .count = 0 };
	struct readings r = { .count = 0 };
	int error;

	pinned_step_all(k, at, STEP_FLUSH, PINNED_X, &s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_X, &s);
	pinned_step_all(k, at, STEP_LOAD, list, &s);
	error = pinned_observe(k, at, &s, counter, &r, f);
	*value = value_of(k, &r);
	return error;
}

int pinned_time(const struct pinned *k, const struct pinned_place *at,
		const struct pinned_act *act, double *value, struct failure *f)
{
	struct pinned_steps s = { .count = 0 };
	struct readings r = { .count = 0 };
	int error;

	act->lay(k, at, act, &s);
	error = pinned_observe(k, at, &s, 0, &r, f);
	*value = value_of(k, &r);
	return error;
}

static enum pinned_fate fate_of(const struct pinned *k,
				const struct readings *r,
				const struct pinned_scale *scale)
{
	double low;

	if (!r->count)
		return PINNED_UNCLEAR;
	low = quartile_of(k, r, false) - scale->base;
	if (low >= PINNED_LOST_SHARE * scale->unit)
		return low < scale->beyond ? PINNED_LOST : PINNED_UNCLEAR;
	if (quartile_of(k, r, true) - scale->base <= THERE * scale->unit)
		return PINNED_THERE;
	return PINNED_UNCLEAR;
}

int pinned_fate(const struct pinned *k, const struct pinned_place *at,
		const struct pinned_act *act, enum pinned_fate *fate,
		struct failure *f)
{
	const struct pinned_scale *scale = &k->scales[act->side];
	struct pinned_steps s = { .count = 0 };
	struct readings r = { .count = 0 };
	int error;

	act->lay(k, at, act, &s);
	error = pinned_observe(k, at, &s, scale->counter, &r, f);
	*fate = fate_of(k, &r, scale);
	return error;
}

int pinned_fates(const struct pinned *k, const struct pinned_place *at,
		 const struct pinned_act *acts, enum pinned_fate *fates,
		 struct failure *f)
{
	size_t first = rng_below(&k->p->rng, 2);
	int error = pinned_fate(k, at, &acts[first], &fates[first], f);

	return error ? error :
		       pinned_fate(k, at, &acts[!first], &fates[!first], f);
}
