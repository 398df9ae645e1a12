// SPDX-License-Identifier: GPL-2.0
/* sim_each.c - a simulated walk that times each load by itself. */
#include <math.h>
#include <string.h>

#include "sim_walk.h"

int sim_walk_each(struct sim *s, const struct sequence *q,
		  const struct walk_plan *plan, struct sample *sample,
		  struct failure *f)
{
	const size_t length = q->length;
	struct sim_path path = { .accesses = s->accesses, .length = length };
	const uint64_t rounds = (plan->loads + length - 1) / length;
	const uint64_t loads = (rounds ? rounds : 1) * length;
	double *ticks = plan->each->ticks;
	bool unused = false;

	if (plan->samples != 1 || plan->flags || plan->flush_count ||
	    plan->step_count || plan->counters)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: loads are timed one by one in one plain sample (report this as a bug)");
	for (size_t i = 0; i < length; i++)
		if (q->offsets[i] % WALK_EACH_BYTES)
			return fail(
				f, STATUS_FAILED, EINVAL,
				"walk: offset %#llx: not a multiple of %d (report this as a bug)",
				(unsigned long long)q->offsets[i],
				WALK_EACH_BYTES);
	s->now += sim_follow(s, &path, plan->warm_rounds * length, &unused);
	memset(ticks, 0, length * sizeof(*ticks));
	*sample = (struct sample){ .loads = loads };
	for (uint64_t i = 0; i < loads; i++) {
		double cycles = sim_follow(s, &path, 1, &sample->disturbed);
		double took = sim_reading(s, cycles);

		sample->ticks += took;
		ticks[i % length] += fmin(took, plan->each->most_ticks) *
				     (double)length / (double)loads;
	}
	s->machine.conditions.samples++;
	s->machine.conditions.disturbed += sample->disturbed;
	sim_wander(s);
	machine_count_accesses(&s->machine, length, plan, sample);
	return 0;
}
