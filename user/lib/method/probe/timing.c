// SPDX-License-Identifier: GPL-2.0
/* timing.c - what a shape takes, and what counters say of it. */
#include <math.h>
#include <stdlib.h>

#include "method/probe/internal.h"
#include "method/probe/tuning.h"
#include "observe/sampler.h"

int probe_observe(struct prober *p, const struct sequence *s,
		  unsigned int flags, unsigned int counter, unsigned int loads,
		  struct readings *r, struct failure *f)
{
	struct walk_plan plan = prober_plan(s->length, flags, loads);
	const struct machine_conditions before = p->m->conditions;
	int error;

	plan.cycle_ticks = p->cycle_ticks;
	error = prober_observe(p, s, &plan, counter, r, f);

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

int probe_shake(struct prober *p, const struct shape *w, uint64_t base,
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

int probe_observe_shape(struct prober *p, const struct shape *w,
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
	if (flags & (PROBER_TWICE | PROBER_ONCE))
		error = probe_shake(p, w, base, flags & PROBER_TWICE, f);
	if (!error)
		error = probe_observe(p, &s,
				      flags & ~(PROBER_TWICE | PROBER_ONCE),
				      counter, loads, r, f);
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
		int error = probe_observe_shape(p, w, flags & ~PROBER_ONE_PLACE,
						counter, probe_loads(p, 0), &r,
						f);

		if (error)
			return error;
		if (r.count)
			quiet[blocks++] =
				statistics_quantile(r.values, r.count, 0.25);
	}
	if (!blocks)
		return fail(
			f, STATUS_FAILED, EAGAIN,
			"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
	*level = statistics_quantile(quiet, blocks, 0.5);
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
	unsigned int loads = probe_loads(p, 0);
	struct sequence s;
	uint64_t base;
	int error;

	if (!prober_choose_base(p, w, &base))
		return -ERANGE;
	error = prober_build(p, w, base, &s, f);
	if (error)
		return error;
	error = probe_observe(p, &s, 0, counter, loads, &first, f);
	if (!error)
		error = probe_observe(p, &s, 0, 0, loads, &time, f);
	if (!error)
		error = probe_observe(p, &s, 0, counter, loads, &last, f);
	sequence_free(&s);
	if (error)
		return error;
	if (!first.count || !time.count || !last.count)
		return -EAGAIN;
	*ticks = statistics_quantile(time.values, time.count, 0.25);
	*misses = fmax(statistics_quantile(first.values, first.count, 0.5),
		       statistics_quantile(last.values, last.count, 0.5)) *
		  (double)shape_length(w);
	return 0;
}

int prober_time_sequence(struct prober *p, const struct sequence *s,
			 unsigned int flags, double *ticks, struct failure *f)
{
	struct readings r;
	int error = probe_observe(p, s, flags, 0, probe_loads(p, 0), &r, f);

	*ticks = r.count ? statistics_quantile(r.values, r.count, 0.25) : NAN;
	return error;
}
