// SPDX-License-Identifier: GPL-2.0
/* chase_steps.c - steps before a sample, and counts of the sample alone.
 */
#include "machine/native/chase_steps.h"

#include <math.h>

#include "machine/host/cpu.h"
#include "machine/host/interrupts.h"
#include "machine/native/mapped_view.h"

/* Longer steps vary by more than a reading of the counters disturbs. */
#define FEW_STEPS 16384
/* Steps of a few milliseconds are interrupted about every time. */
#define QUIET_TRIES 8

/* Without a helper the thread moves there and back. */
static bool take_step_elsewhere(const struct machine *m,
				const struct chase_path *path,
				const struct walk_step *step, size_t i)
{
	bool there;

	if (path->helpers) {
		step_helpers_take(path->helpers, step->other, &path->steps[i],
				  path->base, step->kind);
		return true;
	}
	there = cpu_move_to(m->others[step->other - 1]);
	step_lines_take(&path->steps[i], path->base, step->kind);
	return cpu_move_to(m->cpu) && there;
}

static bool take_from_to(const struct machine *m, const struct chase_path *path,
			 const struct walk_plan *plan, size_t from, size_t to)
{
	bool done = true;

	for (size_t i = from; i < to; i++) {
		const struct walk_step *step = &plan->steps[i];

		if (step->other)
			done = take_step_elsewhere(m, path, step, i) && done;
		else
			step_lines_take(&path->steps[i], path->base,
					step->kind);
	}
	return done;
}

bool chase_take_steps(const struct machine *m, const struct chase_path *path,
		      const struct walk_plan *plan)
{
	const size_t before = plan->step_count - plan->after_code;
	bool done = take_from_to(m, path, plan, 0, before);

	if (plan->code)
		mapped_view_again(plan->code);
	return take_from_to(m, path, plan, before, plan->step_count) && done;
}

bool chase_steps_move(const struct walk_plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].other)
			return true;
	return false;
}

bool chase_differs(const struct chase_path *path, const struct walk_plan *plan)
{
	size_t lines = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		lines += path->steps[i].length;
	return path->meter && !plan->between && lines && lines <= FEW_STEPS &&
	       !chase_steps_move(plan);
}

/*
 * Reading the counters between the steps and the loads would push out dozens of
 * the lines that the steps have brought. So the steps are counted by
 * themselves, then they and the loads: what differs are the loads. Reading
 * costs the same, and so does timing, of no loads at all.
 */
static bool take_difference(struct machine *m, void **p,
			    const struct timer *timer,
			    const struct chase_path *path,
			    const struct walk_plan *plan, uint64_t loads,
			    struct sample *sample)
{
	const struct chase_meter *meter = path->meter;
	double counts[4][MACHINE_COUNTERS] = { 0 };
	bool valid = true, quiet = true;

	/* The first time all that reading needs comes back. */
	for (int i = 0; i < 4; i++) {
		interrupts_watch();
		if (i)
			chase_take_steps(m, path, plan);
		*p = chase_timed(*p, timer, path, i < 3 ? 0 : loads, sample);
		quiet = quiet && !(i > 1 && interrupts_seen());
		valid = meter->read(meter->context, counts[i]) && valid;
	}
	sample->counted = valid ? meter->counted : 0;
	for (int i = 0; i < MACHINE_COUNTERS; i++)
		sample->counts[i] =
			fmax(0, (counts[3][i] - counts[2][i]) -
					(counts[2][i] - counts[1][i]));
	return quiet;
}

bool chase_difference(struct machine *m, void **p, const struct timer *timer,
		      const struct chase_path *path,
		      const struct walk_plan *plan, uint64_t loads,
		      struct sample *sample)
{
	for (int i = 0; i < QUIET_TRIES; i++) {
		if (i)
			chase_take_steps(m, path, plan);
		if (take_difference(m, p, timer, path, plan, loads, sample))
			return true;
	}
	return false;
}
