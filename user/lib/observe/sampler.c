// SPDX-License-Identifier: GPL-2.0
#include "observe/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPETITIONS 4
#define ADD_TRIALS 15
#define ADDS 4096
/* Of a step of the clock, as it was measured. */
#define NEARLY_ONE 1.01

/* MACHINE_COUNTERS stands for time. */
static bool value_of(const struct sample *s, enum machine_counter counter,
		     double *per_load, size_t *unread)
{
	bool timed = counter == MACHINE_COUNTERS;

	if (s->disturbed || !s->loads)
		return false;
	if (!timed && !(s->counted >> counter & 1)) {
		++*unread;
		return false;
	}
	*per_load = (timed ? s->ticks : s->counts[counter]) / (double)s->loads;
	return true;
}

static int take(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, enum machine_counter counter,
		double *per_load, size_t *count, size_t *unread,
		struct failure *f)
{
	struct sample samples[SAMPLER_MAX];
	struct walk_plan rest = *plan;

	if (rest.samples > SAMPLER_MAX)
		rest.samples = SAMPLER_MAX;
	*count = 0;
	*unread = 0;
	for (int i = 0; i < REPETITIONS && rest.samples; i++) {
		unsigned int taken = rest.samples;
		int error = m->ops->walk(m, s, &rest, samples, f);

		if (error)
			return error;
		for (unsigned int j = 0; j < taken; j++) {
			if (!value_of(&samples[j], counter, &per_load[*count],
				      unread))
				continue;
			++*count;
			rest.samples--;
		}
	}
	return 0;
}

int sampler_take(struct machine *m, const struct sequence *s,
		 const struct walk_plan *plan, double *per_load, size_t *count,
		 struct failure *f)
{
	size_t none;

	return take(m, s, plan, MACHINE_COUNTERS, per_load, count, &none, f);
}

int sampler_count_telling(struct machine *m, const struct sequence *s,
			  const struct walk_plan *plan,
			  enum machine_counter counter, double *per_load,
			  size_t *count, size_t *unread, struct failure *f)
{
	struct walk_plan counting = *plan;

	counting.counters = 1U << counter;
	return take(m, s, &counting, counter, per_load, count, unread, f);
}

int sampler_count(struct machine *m, const struct sequence *s,
		  const struct walk_plan *plan, enum machine_counter counter,
		  double *per_load, size_t *count, struct failure *f)
{
	size_t unread;

	return sampler_count_telling(m, s, plan, counter, per_load, count,
				     &unread, f);
}

int sampler_observe(struct machine *m, const struct sequence *s,
		    const struct walk_plan *plan, unsigned int counter,
		    struct readings *r, struct failure *f)
{
	if (!counter)
		return sampler_take(m, s, plan, r->values, &r->count, f);
	return sampler_count(m, s, plan,
			     (enum machine_counter)__builtin_ctz(counter),
			     r->values, &r->count, f);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

double sampler_quantile(double *values, size_t count, double q)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), by_value);
	return values[(size_t)(q * (double)(count - 1) + 0.5)];
}

double sampler_peek(const double *values, size_t count, double q)
{
	double sorted[SAMPLER_MAX];

	for (size_t i = 0; i < count; i++)
		sorted[i] = values[i];
	return sampler_quantile(sorted, count, q);
}

double sampler_low_mean(const double *values, size_t count)
{
	double sorted[SAMPLER_MAX], sum = 0;
	size_t half = (count + 1) / 2;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = values[i];
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (size_t i = 0; i < half; i++)
		sum += sorted[i];
	return sum / (double)half;
}

double sampler_add_ticks(struct machine *m, int trials, unsigned int adds)
{
	double least = 0;

	for (int i = 0; i < trials; i++) {
		double ticks = m->ops->add_chain(m, adds) / adds;

		if (ticks > 0 && (least <= 0 || ticks < least))
			least = ticks;
	}
	return least;
}

double sampler_cycle_ticks(struct machine *m)
{
	return sampler_add_ticks(m, ADD_TRIALS, ADDS);
}

static double mean_between(const double *sorted, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += sorted[i];
	return sum / (double)(to - from);
}

double sampler_overhead(double *pairs, size_t count, double resolution_ticks)
{
	double median = sampler_quantile(pairs, count, 0.5);
	size_t tail = count / 20;

	if (count <= 2 * tail || pairs[count - tail - 1] - pairs[tail] >
					 resolution_ticks * NEARLY_ONE)
		return median;
	return mean_between(pairs, tail, count - tail);
}

double sampler_middle(const double *values, size_t count)
{
	return sampler_near_middle(values, count, 0);
}

double sampler_near_middle(const double *values, size_t count, double step)
{
	double sorted[SAMPLER_MAX], median, reach = step * NEARLY_ONE;
	size_t from, to;

	if (count > SAMPLER_MAX)
		count = SAMPLER_MAX;
	if (!count)
		return NAN;
	memcpy(sorted, values, count * sizeof(*values));
	median = sampler_quantile(sorted, count, 0.5);
	from = count / 4;
	to = count - count / 4;
	/* Without a step equal values beyond a quartile would weigh one side. */
	while (step > 0 && from && median - sorted[from - 1] <= reach)
		from--;
	while (step > 0 && to < count && sorted[to] - median <= reach)
		to++;
	return mean_between(sorted, from, to);
}
