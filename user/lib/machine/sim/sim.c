// SPDX-License-Identifier: GPL-2.0
#include "machine/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "machine/sim/counts.h"
#include "machine/sim/load.h"
#include "machine/sim/walk.h"

/* Start-stop pairs of which the timer's overhead is the median. */
#define PAIRS 101

/* Calibrated like the real ones. */
static void calibrate(struct sim *s)
{
	const struct profile *p = s->profile;
	double pairs[PAIRS];

	s->resolution = p->timer_resolution_ns / p->cycle_ns;
	for (int i = 0; i < PAIRS; i++) {
		/* Pairs do not stand still against the timer's steps. */
		s->now += s->resolution * rng_uniform(&s->rng);
		pairs[i] = sim_reading(s, 0);
	}
	s->machine.timer = (struct timer_info){
		.name = "model",
		.ticks_per_ns = 1 / p->cycle_ns,
		.resolution_ticks = s->resolution,
		.overhead_ticks =
			statistics_overhead(pairs, PAIRS, s->resolution),
		.spread_ticks = statistics_quantile(pairs, PAIRS, 0.95) -
				statistics_quantile(pairs, PAIRS, 0.05),
	};
}

static int prepare(struct sim *s, const struct sequence *q, struct failure *f)
{
	int error = sim_room(s, q->length, f);

	if (!error)
		error = walk_check_offsets(&s->machine, q, f);
	if (error)
		return error;
	if (offset_set_begin(&s->taken, q->length))
		return fail_memory(f, "walk");
	for (size_t i = 0; i < q->length; i++) {
		if (!offset_set_add(&s->taken, q->offsets[i]))
			return fail(
				f, STATUS_FAILED, EINVAL,
				"walk: offset %#llx comes twice (report this as a bug)",
				(unsigned long long)q->offsets[i]);
		s->accesses[i] = sim_access(s, q->offsets[i]);
	}
	return 0;
}

static int walk(struct machine *m, const struct sequence *q,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	int error = prepare(sim_of(m), q, f);

	if (!error && plan->each)
		return sim_walk_each(sim_of(m), q, plan, samples, f);
	for (size_t i = 0; !error && plan->flags & WALK_STORES && i < q->length;
	     i++)
		sim_of(m)->accesses[i].kind = MODEL_STORE;
	if (!error && (plan->step_count || plan->flags & WALK_STORES))
		return sim_walk_steps(sim_of(m), q->length, plan, samples, f);
	if (!error)
		error = walk_check_flushes(m, q, plan, f);
	if (!error)
		sim_walk(sim_of(m), q->length, 0, plan, samples);
	return error;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	return sim_without_overhead(sim_of(m), sim_reading(sim_of(m), adds));
}

static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

/* Its own time, in which pauses take none. */
static double clock_ns(const struct machine *m)
{
	return ((const struct sim *)m)->now / m->timer.ticks_per_ns;
}

static void close_machine(struct machine *m)
{
	struct sim *s = sim_of(m);

	if (s->model)
		model_destroy(s->model);
	sim_memory_free(&s->memory);
	free(s->accesses);
	offset_set_free(&s->taken);
	free(m->region.extents);
	profile_free(s->profile);
	free(s);
}

static const struct machine_ops ops = {
	.kind = "sim",
	.walk = walk,
	.add_chain = add_chain,
	.register_chain = sim_register_chain,
	.pause = no_pause,
	.clock_ns = clock_ns,
	.close = close_machine,
	.view_open = sim_view_open,
	.view_walk = sim_view_walk,
	.view_touch = sim_view_touch,
	.view_touch_tables = sim_view_touch_tables,
	.view_close = sim_view_close,
	.load_start = sim_load_start,
	.load_loads = sim_load_loads,
	.load_stop = sim_load_stop,
};

static void switch_prefetchers(struct sim *s)
{
	/* In the order of enum profile_prefetcher_kind. */
	static const char *const names[] = { "adjacent line", "next line",
					     "stride", "stream" };
	const struct profile *p = s->profile;
	struct machine_prefetchers *to = &s->machine.prefetchers;

	model_set_prefetchers(s->model, (unsigned int)s->machine.cpu, false);
	for (size_t i = 0; i < p->prefetcher_count; i++)
		if (p->prefetchers[i].switchable)
			to->off[to->off_count++] =
				names[p->prefetchers[i].kind];
	if (!to->off_count)
		strcpy(to->why, "there is no switch");
}

static void list_others(struct machine *m, unsigned int cpus)
{
	for (unsigned int i = 0; i < cpus; i++)
		if ((int)i != m->cpu && m->other_count < MACHINE_OTHERS)
			m->others[m->other_count++] = (int)i;
		else
			m->unusable_cpus += (int)i != m->cpu;
}

static int open_model(struct sim *s, const struct machine_request *request,
		      struct failure *f)
{
	const struct profile *p = s->profile;
	struct machine *m = &s->machine;

	m->cpu = request->cpu < 0 ? (int)p->cpus - 1 : request->cpu;
	if (m->cpu >= (int)p->cpus)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"sim: CPU %d: the profile has %u (choose another with --cpu)",
			m->cpu, p->cpus);
	if (!request->bytes)
		return fail(f, STATUS_FAILED, EINVAL,
			    "sim: no memory to measure in was wanted");
	list_others(m, p->cpus);
	/* Neighbouring seeds must not give neighbouring streams. */
	s->rng.state = p->noise.seed + request->seed * 0x9e3779b9 + 1;
	s->rng.state = rng_next(&s->rng);
	s->model = model_create(p);
	if (!s->model || sim_memory_place(&s->memory, p, request->bytes,
					  &s->rng, &m->region))
		return fail_memory(f, "sim");
	return 0;
}

struct machine *machine_open_profile(struct profile *profile,
				     const struct machine_request *request,
				     struct failure *f)
{
	struct sim *s = calloc(1, sizeof(*s));
	struct machine *m;

	if (!s) {
		profile_free(profile);
		fail_memory(f, "sim");
		return NULL;
	}
	m = &s->machine;
	m->ops = &ops;
	s->profile = profile;
	if (open_model(s, request, f)) {
		close_machine(m);
		return NULL;
	}
	snprintf(m->name, sizeof(m->name), "%s", profile->name);
	if (!request->prefetch)
		switch_prefetchers(s);
	m->counters = sim_counts_available(profile);
	m->flush_counters = m->view_counters = m->counters;
	m->times_each = true;
	m->flushes_lines = true;
	m->accessed_bits = profile->accessed_bits;
	if (profile->virtual_machine)
		machine_set_virtual(m);
	sim_calibrate_counters(s);
	sim_view_offer(s);
	s->until_interrupt = sim_next_interrupt(s);
	calibrate(s);
	return m;
}

struct machine *machine_open_sim(const char *path,
				 const struct machine_request *request,
				 struct failure *f)
{
	struct profile *profile = profile_load(path, f);

	return profile ? machine_open_profile(profile, request, f) : NULL;
}
