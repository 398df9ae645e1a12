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
	if (!counter)
		return sampler_take(m, s, plan, r->values, &r->count, f);
	return sampler_count(m, s, plan,
			     (enum machine_counter)__builtin_ctz(counter),
			     r->values, &r->count, f);
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
