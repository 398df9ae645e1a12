// SPDX-License-Identifier: GPL-2.0
#include "machine/native/chase.h"

#include <math.h>
#include <stdlib.h>

#include "machine/host/presence.h"
#include "machine/native/chase_clock.h"
#include "machine/native/chase_each.h"
#include "machine/native/chase_steps.h"

static int check(const struct machine *m, const struct sequence *s,
		 const struct walk_plan *plan, struct failure *f)
{
	int error;

	if (!s->length)
		return fail(f, STATUS_FAILED, EINVAL,
			    "walk: empty sequence (report this as a bug)");
	error = walk_check_offsets(m, s, f);
	for (size_t i = 0; !error && i < plan->step_count; i++)
		error = walk_check_offsets(m, plan->steps[i].lines, f);
	return error;
}

/* Loads between two checks of the thread: one context switch spoils all. */
#define UNCHECKED_LOADS 8192

/* Lines for follow_storing(), which does whole rounds. */
struct stores {
	char *base;
	struct step_lines lines;
};

static void *follow_storing(void *p, uint64_t stores)
{
	const struct stores *to = p;

	for (; stores; stores -= to->lines.length)
		step_lines_take(&to->lines, to->base, STEP_STORE);
	return p;
}

static void flush_sequence(const char *base, const struct sequence *s)
{
	for (size_t i = 0; i < s->length; i++)
		step_flush(base + s->offsets[i]);
	step_fence();
}

/* No load waits for another one: the processor has many under way. */
static void refresh(const char *base, const struct sequence *s)
{
	for (size_t i = 0; i < s->length; i++)
		(void)*(volatile const uint64_t *)(const void *)(base +
								 s->offsets[i]);
}

/* Reading adds to the counts itself: the difference of two readings in a row.
 */
static void *take_sample(void *p, const struct timer *timer,
			 const struct chase_path *path, uint64_t loads,
			 struct sample *sample)
{
	double none[MACHINE_COUNTERS] = { 0 }, before[MACHINE_COUNTERS] = { 0 };
	double after[MACHINE_COUNTERS] = { 0 };
	const struct chase_meter *meter = path->meter;
	bool valid;

	if (!meter)
		return chase_timed(p, timer, path, loads, sample);
	valid = meter->read(meter->context, none) &&
		meter->read(meter->context, before);
	p = chase_timed(p, timer, path, loads, sample);
	valid = meter->read(meter->context, after) && valid;
	sample->counted = valid ? meter->counted : 0;
	for (int i = 0; i < MACHINE_COUNTERS; i++)
		sample->counts[i] =
			fmax(0, (after[i] - before[i]) - (before[i] - none[i]));
	return p;
}

/* What times the clock takes lines of code, too: rounds follow. */
static void *take_clocked(void *p, const struct timer *timer,
			  const struct chase_path *path, struct chase_clock *c,
			  uint64_t loads, struct sample *sample)
{
	bool good = false;

	if (!c->adds)
		return take_sample(p, timer, path, loads, sample);
	do {
		if (!chase_clock_begin(c, timer) && chase_clock_waits(c, timer))
			continue;
		p = chase_path_follow(path, p, path->round);
		p = take_sample(p, timer, path, loads, sample);
		good = chase_clock_end(c, timer, sample);
	} while (!good && chase_clock_waits(c, timer));
	sample->disturbed = !good;
	return p;
}

/* Whole units, and whole rounds at least where a sample is one of them. */
static uint64_t loads_of_sample(const struct chase_path *path,
				const struct walk_plan *plan)
{
	if (plan->flags & (WALK_COLD | WALK_STORES) || plan->step_count ||
	    plan->loads <= path->round)
		return path->round;
	if (path->flush_count)
		return (plan->loads + path->round - 1) / path->round *
		       path->round;
	return (plan->loads + path->unit - 1) / path->unit * path->unit;
}

/*
 * The system calls that detect disturbance use cache lines themselves, which
 * some policies keep for many rounds. So there are few calls, and a round of
 * loads follows each.
 */
void chase_sample(struct machine *m, const struct timer *timer,
		  const struct chase_path *path, const struct walk_plan *plan,
		  struct sample *samples)
{
	uint64_t loads = loads_of_sample(path, plan);
	bool cold = plan->flags & (WALK_COLD | WALK_STORES) || plan->step_count;
	bool difference = chase_differs(path, plan);
	bool at_once = plan->flags & WALK_AT_ONCE;
	struct chase_clock clock = chase_clock_choose(timer, plan, path->pace);
	bool lacking = false;
	unsigned int first = 0;
	void *p = path->start;
	struct presence before = presence_now();

	if (plan->warm_rounds && !plan->step_count &&
	    !(plan->flags & WALK_STORES))
		p = chase_path_follow(path, p, plan->warm_rounds * path->round);
	/* Pages that are not there yet come now. */
	chase_take_steps(m, path, plan);
	for (unsigned int i = 0; i < plan->samples; i++) {
		bool done = chase_take_steps(m, path, plan);

		if (chase_steps_move(plan) && !path->helpers)
			before = presence_now();
		if (plan->flags & WALK_COLD)
			flush_sequence(path->base, path->sequence);
		else if (plan->flags & WALK_REFRESHED)
			refresh(path->base, path->sequence);
		else if (!cold && i == first && (i || !at_once))
			p = chase_path_follow(path, p, path->round);
		if (plan->step_count)
			chase_rehearse(timer, path, loads);
		if (difference)
			done = chase_difference(m, &p, timer, path, plan, loads,
						&samples[i]) &&
			       done;
		else
			p = take_clocked(p, timer, path, &clock, loads,
					 &samples[i]);
		lacking |= samples[i].disturbed;
		if (i + 1 < plan->samples && !cold &&
		    (i + 1 - first) * loads < UNCHECKED_LOADS)
			continue;
		presence_mark(m->cpu, &before, samples + first, i + 1 - first);
		samples[i].disturbed |= !done;
		first = i + 1;
		before = presence_now();
	}
	chase_clock_finish(&clock, lacking);
	machine_count_walk(m, path->round, plan, samples);
}

static void release(struct step_lines *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		step_lines_free(&steps[i]);
	free(steps);
}

/* Lists of the plan's steps, and of the sequence if it is stored to. */
static int make_lists(const struct sequence *s, const struct walk_plan *plan,
		      struct step_lines **steps, struct step_lines *stores,
		      struct failure *f)
{
	int error = 0;

	*steps = calloc(plan->step_count + 1, sizeof(**steps));
	if (!*steps)
		return fail_memory(f, "walk");
	for (size_t i = 0; !error && i < plan->step_count; i++)
		error = step_lines_make(&(*steps)[i], plan->steps[i].lines, f);
	if (!error && plan->flags & WALK_STORES)
		error = step_lines_make(stores, s, f);
	if (error)
		release(*steps, plan->step_count);
	return error;
}

int chase_walk(struct machine *m, char *base, const struct timer *timer,
	       const struct chase_meter *meter, const struct sequence *s,
	       const struct walk_plan *plan, struct sample *samples,
	       struct failure *f)
{
	int error = check(m, s, plan, f);
	bool storing = plan->flags & WALK_STORES;
	struct stores stores = { .base = base };
	struct step_lines *steps = NULL;
	struct chase_path path = {
		.follow = storing ? follow_storing : chase_follow,
		.unit = CHASE_UNIT,
		.round = s->length,
		.base = base,
		.sequence = s,
		.flushes = plan->flushes,
		.flush_count = plan->flush_count,
		.meter = meter,
	};

	if (!error && plan->each)
		error = walk_check_each(s, plan, f);
	if (!error)
		error = walk_check_flushes(m, s, plan, f);
	if (!error)
		error = make_lists(s, plan, &steps, &stores.lines, f);
	if (error)
		return error;
	path.start = storing ? (void *)&stores : base + s->offsets[0];
	path.steps = steps;
	if (!storing)
		chase_lay_out(base, s);
	path.helpers = step_helpers_start(m, plan);
	if (plan->each)
		chase_each(m, timer, &path, plan, samples);
	else
		chase_sample(m, timer, &path, plan, samples);
	step_helpers_stop(path.helpers);
	release(steps, plan->step_count);
	step_lines_free(&stores.lines);
	return 0;
}
