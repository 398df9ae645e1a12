// SPDX-License-Identifier: GPL-2.0
/* each.c - a simulated walk that times each load by itself. */
#include <math.h>
#include <string.h>

#include "machine/sim/walk.h"

int sim_walk_each(struct sim *s, const struct sequence *q,
		  const struct walk_plan *plan, struct sample *sample,
		  struct failure *f)
{
	const size_t length = q->length;
	struct sim_path path = { .accesses = s->accesses, .length = length };
	const uint64_t loads = walk_each_loads(length, plan);
	double *ticks = plan->each->ticks;
	int error = walk_check_each(q, plan, f);
	bool unused = false;

	if (error)
		return error;
	memset(ticks, 0, length * sizeof(*ticks));
	*sample = (struct sample){ .loads = loads };
	if (plan->step_count)
		error = sim_take_steps(s, plan, &sample->disturbed, f);
	else
		s->now += sim_follow(s, &path, plan->warm_rounds * length,
				     &unused);
	if (error)
		return error;
	for (uint64_t i = 0; i < loads; i++) {
		double cycles = sim_follow(s, &path, 1, &sample->disturbed);
		double took;

		if (!walk_each_times(plan->each, i % length)) {
			s->now += cycles;
			continue;
		}
		took = sim_reading(s, cycles);
		sample->ticks += took;
		ticks[i % length] += fmin(took, plan->each->most_ticks) *
				     (double)length / (double)loads;
	}
	sim_wander(s);
	machine_count_walk(&s->machine, length, plan, sample);
	return 0;
}
