// SPDX-License-Identifier: GPL-2.0
#include "observe/sampler.h"

#define REPETITIONS 4
#define ADD_TRIALS 15
#define ADDS 4096

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

unsigned int sampler_miss_counter(unsigned int counters, size_t level)
{
	static const enum machine_counter of_level[] = { COUNTER_L1D_MISS,
							 COUNTER_L2_MISS,
							 COUNTER_L3_MISS };

	if (level >= sizeof(of_level) / sizeof(of_level[0]))
		return 0;
	return counters & 1U << of_level[level];
}

int sampler_observe(struct machine *m, const struct sequence *s,
		    const struct walk_plan *plan, unsigned int counter,
		    struct readings *r, struct failure *f)
{
	enum machine_counter by =
		counter ? (enum machine_counter)__builtin_ctz(counter) :
			  MACHINE_COUNTERS;
	struct sample samples[SAMPLER_MAX];
	struct walk_plan rest = *plan;

	if (counter)
		rest.counters = counter;
	if (rest.samples > SAMPLER_MAX)
		rest.samples = SAMPLER_MAX;
	r->count = 0;
	r->unread = 0;
	for (int i = 0; i < REPETITIONS && rest.samples; i++) {
		unsigned int taken = rest.samples;
		int error = m->ops->walk(m, s, &rest, samples, f);

		if (error)
			return error;
		for (unsigned int j = 0; j < taken; j++) {
			if (!value_of(&samples[j], by, &r->values[r->count],
				      &r->unread))
				continue;
			r->count++;
			rest.samples--;
		}
	}
	return 0;
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
