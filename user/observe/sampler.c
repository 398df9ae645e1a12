// SPDX-License-Identifier: GPL-2.0
#include "sampler.h"

#include <stdlib.h>

#define REPETITIONS 4
#define ADD_TRIALS 15
#define ADDS 4096

int sampler_take(struct machine *m, const struct sequence *s,
		 const struct walk_plan *plan, double *per_load, size_t *count,
		 struct failure *f)
{
	struct sample samples[SAMPLER_MAX];
	struct walk_plan rest = *plan;

	if (rest.samples > SAMPLER_MAX)
		rest.samples = SAMPLER_MAX;
	*count = 0;
	for (int i = 0; i < REPETITIONS && rest.samples; i++) {
		unsigned int taken = rest.samples;
		int error = m->ops->walk(m, s, &rest, samples, f);

		if (error)
			return error;
		for (unsigned int j = 0; j < taken; j++) {
			if (samples[j].disturbed || !samples[j].loads)
				continue;
			per_load[(*count)++] =
				samples[j].ticks / (double)samples[j].loads;
			rest.samples--;
		}
	}
	return 0;
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

double sampler_cycle_ticks(struct machine *m)
{
	double least = 0;

	for (int i = 0; i < ADD_TRIALS; i++) {
		double ticks = m->ops->add_chain(m, ADDS) / ADDS;

		if (ticks > 0 && (least <= 0 || ticks < least))
			least = ticks;
	}
	return least;
}
