// SPDX-License-Identifier: GPL-2.0
/* trial.c - one sequence of known number of events, counted. */
#include "method/counter/trial.h"

#include <stdarg.h>
#include <stdio.h>

#include "observe/sampler.h"

#define REPETITIONS 4
/* One sample in this many may be unread; a timer interrupt does that. */
#define UNREAD_ONE_IN 8

static bool usable(struct counter_bench *b, const struct sample *s)
{
	if (s->disturbed)
		return false;
	b->check->samples++;
	if (s->counted >> b->role & 1)
		return true;
	b->check->unread++;
	return false;
}

int counter_sample(struct counter_bench *b, const struct counter_walk *w,
		   struct sample *samples, size_t *count, struct failure *f)
{
	struct machine *m = b->p->m;
	struct walk_plan plan = w->plan;
	struct sample taken[COUNTER_SAMPLES];

	*count = 0;
	plan.counters = 1U << b->role;
	for (int i = 0; i < REPETITIONS && *count < COUNTER_SAMPLES; i++) {
		int error;

		if (prober_stopped(b->p))
			return -EINTR;
		plan.samples = (unsigned int)(COUNTER_SAMPLES - *count);
		error = w->view ? m->ops->view_walk(w->view, w->s, &plan, taken,
						    f) :
				  m->ops->walk(m, w->s, &plan, taken, f);
		if (error)
			return error;
		for (unsigned int j = 0; j < plan.samples; j++)
			if (usable(b, &taken[j]))
				samples[(*count)++] = taken[j];
	}
	return 0;
}

double counter_median(const struct sample *samples, size_t count,
		      enum machine_counter role)
{
	double values[COUNTER_SAMPLES] = { 0 };

	for (size_t i = 0; i < count; i++)
		values[i] = samples[i].counts[role];
	return statistics_quantile(values, count, 0.5);
}

void counter_reject(struct counter_check *check, enum counter_state state,
		    const char *format, ...)
{
	va_list args;

	if (check->reason[0])
		return;
	check->state = state;
	va_start(args, format);
	vsnprintf(check->reason, sizeof(check->reason), format, args);
	va_end(args);
}

int counter_try(struct counter_bench *b, const struct counter_walk *w,
		double least, double most, struct failure *f, const char *what,
		...)
{
	struct counter_check *check = b->check;
	struct sample samples[COUNTER_SAMPLES];
	struct counter_trial *t;
	size_t count;
	va_list args;
	int error = counter_sample(b, w, samples, &count, f);

	if (error)
		return error;
	if (!count) {
		if (check->unread)
			counter_reject(
				check, COUNTER_REJECTED,
				"it ran in none of %zu samples: others have the counters, or there is none behind it",
				check->unread);
		else
			counter_reject(check, COUNTER_UNTESTED,
				       "every sample was disturbed");
		return 0;
	}
	if (check->trial_count == COUNTER_TRIALS)
		return 0;
	t = &check->trials[check->trial_count++];
	va_start(args, what);
	vsnprintf(t->what, sizeof(t->what), what, args);
	va_end(args);
	t->least = least;
	t->most = most;
	t->counted = counter_median(samples, count, b->role);
	if (!(t->counted >= least && t->counted <= most))
		counter_reject(check, COUNTER_REJECTED,
			       "%s: counted %.1f, right are %.0f to %.0f",
			       t->what, t->counted, least, most);
	return 0;
}

void counter_conclude(struct counter_check *check)
{
	if (check->unread * UNREAD_ONE_IN > check->samples)
		counter_reject(
			check, COUNTER_REJECTED,
			"multiplexed: it did not run in %zu of %zu samples (does another process use the counters?)",
			check->unread, check->samples);
	if (!check->trial_count)
		counter_reject(check, COUNTER_UNTESTED, "nothing was tried");
	if (!check->reason[0])
		check->state = COUNTER_BELIEVED;
}
