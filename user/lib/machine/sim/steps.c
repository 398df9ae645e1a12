// SPDX-License-Identifier: GPL-2.0
/* steps.c - steps of a simulated machine before a sample. */
#include <stdlib.h>

#include "machine/sim/walk.h"

static void prepare(const struct sim *s, const struct walk_step *step,
		    struct model_access *accesses)
{
	const struct machine *m = &s->machine;

	for (size_t i = 0; i < step->lines->length; i++) {
		accesses[i] = sim_access(s, step->lines->offsets[i]);
		if (step->other)
			accesses[i].cpu =
				(unsigned int)m->others[step->other - 1];
		if (step->kind == STEP_STORE)
			accesses[i].kind = MODEL_STORE;
	}
}

static void take_step(struct sim *s, const struct walk_step *step,
		      const struct model_access *accesses, bool *noticed)
{
	size_t length = step->lines->length;
	struct sim_path path = { .accesses = accesses, .length = length };

	if (step->kind != STEP_FLUSH)
		s->now += sim_follow(s, &path, length, noticed);
	else
		for (size_t i = 0; i < length; i++)
			model_flush_line(s->model, accesses[i].phys);
}

static void run_code(struct sim *s, struct view *view, bool *noticed)
{
	struct sim_path code = sim_view_again(view);

	s->now += sim_follow(s, &code, code.length, noticed);
}

/* Steps, with the code among them. */
static void take_steps(struct sim *s, const struct walk_plan *plan,
		       const struct model_access *at, bool *noticed)
{
	const size_t before = plan->step_count - plan->after_code;

	for (size_t i = 0; i <= plan->step_count; i++) {
		if (i == before && plan->code)
			run_code(s, plan->code, noticed);
		if (i == plan->step_count)
			break;
		take_step(s, &plan->steps[i], at, noticed);
		at += plan->steps[i].lines->length;
	}
}

static void take_all(struct sim *s, size_t length, const struct walk_plan *plan,
		     const struct model_access *accesses,
		     struct sample *samples)
{
	struct machine *m = &s->machine;

	for (unsigned int i = 0; i < plan->samples; i++) {
		struct sim_path path = { .accesses = s->accesses,
					 .length = length };
		bool noticed = false;

		take_steps(s, plan, accesses, &noticed);
		sim_take_sample(s, &path, length, plan->counters, &samples[i]);
		samples[i].disturbed |= noticed;
		sim_wander(s);
	}
	machine_count_walk(m, length, plan, samples);
}

/* Accesses of all steps, in a row; the caller frees them. */
static int prepare_all(struct sim *s, const struct walk_plan *plan,
		       struct model_access **accesses, struct failure *f)
{
	struct model_access *at;
	size_t count = 1;
	int error = 0;

	for (size_t i = 0; !error && i < plan->step_count; i++) {
		count += plan->steps[i].lines->length;
		error = walk_check_offsets(&s->machine, plan->steps[i].lines,
					   f);
	}
	if (error)
		return error;
	*accesses = calloc(count, sizeof(**accesses));
	if (!*accesses)
		return fail_memory(f, "walk");
	at = *accesses;
	for (size_t i = 0; i < plan->step_count; i++) {
		prepare(s, &plan->steps[i], at);
		at += plan->steps[i].lines->length;
	}
	return 0;
}

int sim_take_steps(struct sim *s, const struct walk_plan *plan, bool *noticed,
		   struct failure *f)
{
	struct model_access *accesses = NULL;
	int error = prepare_all(s, plan, &accesses, f);

	if (!error)
		take_steps(s, plan, accesses, noticed);
	free(accesses);
	return error;
}

int sim_walk_steps(struct sim *s, size_t length, const struct walk_plan *plan,
		   struct sample *samples, struct failure *f)
{
	struct model_access *accesses = NULL;
	int error = prepare_all(s, plan, &accesses, f);

	if (!error)
		take_all(s, length, plan, accesses, samples);
	free(accesses);
	return error;
}
