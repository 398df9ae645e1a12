// SPDX-License-Identifier: GPL-2.0
/* timed_lines.c - lines that are timed for latencies. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/level/latency.h"
#include "method/level/tuning.h"
#include "observe/sampler.h"

int list_build(struct prober *p, const struct list *list, struct sequence *q,
	       struct failure *f)
{
	uint64_t base;

	if (list->spread)
		return spread_build(p, list->spread, q, f);
	if (!prober_choose_base(p, &list->w, &base))
		return -ERANGE;
	return prober_build(p, &list->w, base, q, f);
}

/** struct timing - a list that is timed again and again */
struct timing {
	struct prober *p;
	const struct list *list;
	unsigned int flags;
};

static int time_list(void *context, double *ticks, struct failure *f)
{
	const struct timing *t = context;
	struct sequence q;
	int error;

	if (!t->list->spread)
		return prober_time(t->p, &t->list->w, t->flags, ticks, f);
	error = list_build(t->p, t->list, &q, f);
	if (error)
		return error;
	error = prober_time_sequence(t->p, &q, t->flags, ticks, f);
	sequence_free(&q);
	return error;
}

/* Cycles come from integer additions timed right before, so that the clock
 * frequency cancels. Disturbance only adds: the quieter trials are nearer the truth.
 */
int latency_of_trials(struct prober *p,
		      int (*time)(void *context, double *ticks,
				  struct failure *f),
		      void *context, struct latency *l, struct failure *f)
{
	double cycles[LATENCY_TRIALS], ticks[LATENCY_TRIALS];
	size_t count = 0;

	*l = (struct latency){ NAN, NAN, NAN };
	for (int i = 0; i < LATENCY_TRIALS; i++) {
		double cycle = sampler_cycle_ticks(p->m), t;
		int error = time(context, &t, f);

		if (error)
			return error;
		if (!isfinite(t))
			continue;
		ticks[count] = t;
		cycles[count++] = cycle > 0 ? t / cycle : NAN;
	}
	if (!count)
		return 0;
	l->ticks = statistics_quantile(ticks, count, 0.25);
	l->ns = l->ticks / p->m->timer.ticks_per_ns;
	if (isfinite(cycles[0]))
		l->cycles = statistics_quantile(cycles, count, 0.25);
	return 0;
}

int latency_find(struct prober *p, const struct list *list, unsigned int flags,
		 struct latency *l, struct failure *f)
{
	struct timing t = { p, list, flags };
	int error = latency_of_trials(p, time_list, &t, l, f);

	if (error || isfinite(l->ticks))
		return error;
	return fail(
		f, STATUS_FAILED, EAGAIN,
		"measure: no undisturbed sample (the CPU is too busy: choose another with --cpu)");
}

void latency_take_off(struct latency *l, double ticks)
{
	double rest = l->ticks > 0 ? 1 - ticks / l->ticks : 1;

	l->ticks *= rest;
	l->cycles *= rest;
	l->ns *= rest;
}

void latency_leave_open(struct latency_finding *found, const char *method,
			const char *format, ...)
{
	va_list args;

	found->method = method;
	found->decided = false;
	va_start(args, format);
	vsnprintf(found->reason, sizeof(found->reason), format, args);
	va_end(args);
}

int xray_time_lines(struct prober *p, const uint64_t *lines, size_t count,
		    double *ticks, struct failure *f)
{
	static const struct walk_plan plan = { .warm_rounds = LINES_ROUNDS,
					       .loads = LINES_LOADS,
					       .samples = LINES_SAMPLES };
	struct sequence s = { .length = count };
	struct readings r = { .count = 0 };
	int error;

	s.offsets = calloc(count, sizeof(*s.offsets));
	if (!s.offsets)
		return prober_out_of_memory(f);
	memcpy(s.offsets, lines, count * sizeof(*lines));
	sequence_shuffle(&s, &p->rng);
	error = prober_observe(p, &s, &plan, 0, &r, f);
	sequence_free(&s);
	*ticks = r.count ? statistics_quantile(r.values, r.count, 0.25) : NAN;
	return error;
}
