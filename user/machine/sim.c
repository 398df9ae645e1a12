// SPDX-License-Identifier: GPL-2.0
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/model.h"
#include "../observe/sampler.h"
#include "sim_counts.h"
#include "sim_memory.h"

/* What an interrupt takes beside the lines. */
#define INTERRUPT_CYCLES 3000
/* Start-stop pairs that tell the timer's overhead. */
#define PAIRS 101
/* How fast the clock frequency wanders, share of its range per reading. */
#define DRIFT_STEP 0.05
/* Additions of one timing of registers, and timings of which the least counts. */
#define REGISTER_ADDS 8192
#define REGISTER_TRIALS 9

/**
 * struct sim - a simulated machine
 * @machine: what methods see
 * @profile: what it is (owned); no method may see it
 * @model: the hierarchy
 * @memory: where the region lies
 * @rng: of the noise and the placement
 * @accesses: the sequence under way, ready for the model
 * @room: how many fit there
 * @now: ticks since the beginning; a tick is a nominal core cycle
 * @resolution: ticks between two values that the timer can show
 * @drift: present deviation of the frequency in [-1, 1] of its range
 * @until_interrupt: loads until the next one
 * @strangers: lines that interrupt handlers have brought in so far
 */
struct sim {
	struct machine machine;
	struct profile *profile;
	struct model *model;
	struct sim_memory memory;
	struct rng rng;
	struct model_access *accesses;
	size_t room;
	double now;
	double resolution;
	double drift;
	uint64_t until_interrupt;
	uint64_t strangers;
};

static struct sim *self(struct machine *m)
{
	return (struct sim *)m;
}

/* Uniform in (0, 1]: its logarithm is finite. */
static double uniform(struct sim *s)
{
	return 1 - rng_uniform(&s->rng);
}

static uint64_t loads_to_interrupt(struct sim *s)
{
	double rate = s->profile->noise.interrupts_per_million_loads / 1e6;

	if (rate <= 0)
		return UINT64_MAX;
	return 1 + (uint64_t)(-log(uniform(s)) / rate);
}

/* What disturbs a reading beside the loads, cycles. */
static double reading_noise(struct sim *s)
{
	const struct profile_noise *n = &s->profile->noise;
	double cycles = 0;

	if (n->jitter_cycles > 0)
		cycles += n->jitter_cycles * rng_uniform(&s->rng);
	if (n->tail_probability > 0 &&
	    rng_uniform(&s->rng) < n->tail_probability)
		cycles -= n->tail_cycles * log(uniform(s));
	return cycles;
}

static double ticks_of(const struct sim *s, double cycles)
{
	return cycles * (1 + s->drift * s->profile->noise.frequency_drift);
}

static void wander(struct sim *s)
{
	double step = DRIFT_STEP * (2 * rng_uniform(&s->rng) - 1);

	if (s->profile->noise.frequency_drift <= 0)
		return;
	s->drift = fmax(-1, fmin(1, s->drift + step));
}

static double shown(const struct sim *s, double ticks)
{
	return s->resolution > 0 ?
		       floor(ticks / s->resolution) * s->resolution :
		       ticks;
}

/* A start-stop pair around @cycles, as the timer shows it. */
static double reading(struct sim *s, double cycles)
{
	double start = shown(s, s->now);

	s->now += ticks_of(s, cycles + s->profile->timer_overhead_cycles +
				      reading_noise(s));
	return shown(s, s->now) - start;
}

static double without_overhead(const struct sim *s, double ticks)
{
	ticks -= s->machine.timer.overhead_ticks;
	return ticks > 0 ? ticks : 0;
}

/* Calibrated like the real ones: the median of empty pairs. */
static void calibrate(struct sim *s)
{
	const struct profile *p = s->profile;
	double pairs[PAIRS];

	s->resolution = p->timer_resolution_ns / p->cycle_ns;
	for (int i = 0; i < PAIRS; i++) {
		/* Pairs do not stand still against the timer's steps. */
		s->now += s->resolution * rng_uniform(&s->rng);
		pairs[i] = reading(s, 0);
	}
	s->machine.timer = (struct timer_info){
		.name = "model",
		.ticks_per_ns = 1 / p->cycle_ns,
		.resolution_ticks = s->resolution,
		.overhead_ticks = sampler_quantile(pairs, PAIRS, 0.5),
		.spread_ticks = sampler_quantile(pairs, PAIRS, 0.95) -
				sampler_quantile(pairs, PAIRS, 0.05),
	};
}

static int prepare(struct sim *s, const struct sequence *q, struct failure *f)
{
	const struct machine *m = &s->machine;

	if (!q->length)
		return fail(f, STATUS_FAILED, EINVAL,
			    "walk: empty sequence (report this as a bug)");
	if (q->length > s->room) {
		free(s->accesses);
		s->accesses = calloc(q->length, sizeof(*s->accesses));
		s->room = s->accesses ? q->length : 0;
		if (!s->accesses)
			return fail(f, STATUS_FAILED, ENOMEM,
				    "walk: out of memory (free some)");
	}
	for (size_t i = 0; i < q->length; i++) {
		uint64_t offset = q->offsets[i];

		if (offset >= m->region.bytes || offset % sizeof(uint64_t))
			return fail(
				f, STATUS_FAILED,
				offset % sizeof(uint64_t) ? EINVAL : ERANGE,
				"walk: offset %#llx: misaligned or beyond the region of %#llx bytes (give more memory)",
				(unsigned long long)offset,
				(unsigned long long)m->region.bytes);
		s->accesses[i] = (struct model_access){
			.virt = s->memory.base + offset,
			.phys = sim_memory_phys(&s->memory, offset),
			.page_bytes = s->memory.page_bytes,
			.cpu = (unsigned int)m->cpu,
			.kind = MODEL_LOAD,
		};
	}
	return 0;
}

/* Somebody takes the CPU; half of the time it is noticed. */
static uint64_t interrupt(struct sim *s, bool *noticed)
{
	model_evict_random(s->model, (unsigned int)s->machine.cpu,
			   s->profile->noise.lines_evicted_per_interrupt);
	s->strangers += s->profile->noise.lines_evicted_per_interrupt;
	*noticed |= rng_next(&s->rng) & 1;
	s->until_interrupt = loads_to_interrupt(s);
	return (uint64_t)INTERRUPT_CYCLES * MODEL_TICKS;
}

/* Loads in a row that nothing interrupts. */
static uint64_t run(struct sim *s, size_t length, size_t *at, uint64_t loads)
{
	uint64_t cost = 0;

	while (loads) {
		size_t count = length - *at;

		if (count > loads)
			count = (size_t)loads;
		cost += model_run(s->model, s->accesses + *at, count);
		*at = *at + count == length ? 0 : *at + count;
		loads -= count;
	}
	return cost;
}

/* Return: cycles of @loads loads. */
static double follow(struct sim *s, size_t length, size_t *at, uint64_t loads,
		     bool *noticed)
{
	uint64_t cost = 0;

	while (loads >= s->until_interrupt) {
		loads -= s->until_interrupt;
		cost += run(s, length, at, s->until_interrupt);
		cost += interrupt(s, noticed);
	}
	s->until_interrupt -= s->until_interrupt == UINT64_MAX ? 0 : loads;
	cost += run(s, length, at, loads);
	return (double)cost / MODEL_TICKS;
}

/* Everything about the sample that lies before the loads is done. */
static void take_sample(struct sim *s, size_t length, size_t *at,
			uint64_t loads, unsigned int counters,
			struct sample *sample)
{
	struct sim_counts counts = { .model = s->model,
				     .cpu = (unsigned int)s->machine.cpu,
				     .wanted = counters };
	uint64_t strangers = s->strangers;
	double cycles;

	*sample = (struct sample){ .loads = loads };
	sim_counts_begin(&counts);
	cycles = follow(s, length, at, loads, &sample->disturbed);
	sim_counts_end(&counts, s->strangers - strangers, sample);
	sample->ticks = without_overhead(s, reading(s, cycles));
}

static int walk(struct machine *m, const struct sequence *q,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct sim *s = self(m);
	bool cold = plan->flags & WALK_COLD, unused = false;
	uint64_t loads = q->length;
	int error = prepare(s, q, f);
	size_t at = 0;

	if (error)
		return error;
	if (!cold && loads < plan->loads)
		loads = plan->loads;
	s->now += follow(s, q->length, &at,
			 (uint64_t)plan->warm_rounds * q->length, &unused);
	for (unsigned int i = 0; i < plan->samples; i++) {
		for (size_t j = 0; cold && j < q->length; j++)
			model_flush_line(s->model, s->accesses[j].phys);
		take_sample(s, q->length, &at, loads,
			    plan->counters & m->counters, &samples[i]);
		m->conditions.samples++;
		m->conditions.disturbed += samples[i].disturbed;
		wander(s);
	}
	return 0;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	return without_overhead(self(m), reading(self(m), adds));
}

static unsigned int register_count(const struct profile *p,
				   enum register_type type)
{
	switch (type) {
	case REGISTER_INT:
		return p->registers_int;
	case REGISTER_DOUBLE:
		return p->registers_double;
	case REGISTER_MMX:
		return p->registers_mmx;
	case REGISTER_SSE:
		return p->registers_sse;
	default:
		return 0;
	}
}

/* A variable too many is written to the first level and read back. */
static double register_chain(struct machine *m, enum register_type type,
			     unsigned int variables)
{
	struct sim *s = self(m);
	const struct profile *p = s->profile;
	unsigned int count = register_count(p, type);
	double spilled = 0, least = INFINITY;

	if (!count || !variables || !p->cache_count)
		return 0;
	if (variables > count)
		spilled = (double)(variables - count) / variables;
	for (int i = 0; i < REGISTER_TRIALS; i++) {
		double cycles = REGISTER_ADDS *
				(1 + spilled * 2 * p->caches[0].latency_cycles);

		least = fmin(least, without_overhead(s, reading(s, cycles)));
		wander(s);
	}
	return least / REGISTER_ADDS;
}

static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static void close_machine(struct machine *m)
{
	struct sim *s = self(m);

	if (s->model)
		model_destroy(s->model);
	sim_memory_free(&s->memory);
	free(s->accesses);
	free(m->region.extents);
	profile_free(s->profile);
	free(s);
}

static const struct machine_ops ops = {
	.kind = "sim",
	.walk = walk,
	.add_chain = add_chain,
	.register_chain = register_chain,
	.pause = no_pause,
	.close = close_machine,
};

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
	/* Neighbouring seeds must not give neighbouring streams. */
	s->rng.state = p->noise.seed + request->seed * 0x9e3779b9 + 1;
	s->rng.state = rng_next(&s->rng);
	s->model = model_create(p);
	if (!s->model || sim_memory_place(&s->memory, p, request->bytes,
					  &s->rng, &m->region))
		return fail(f, STATUS_FAILED, ENOMEM,
			    "sim: out of memory (free some)");
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
		fail(f, STATUS_FAILED, ENOMEM,
		     "sim: out of memory (free some)");
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
	m->virtual_machine = profile->virtual_machine;
	m->counters = sim_counts_available(profile);
	if (m->virtual_machine)
		machine_note(
			m,
			"virtual machine: physical addresses are guest-physical, what backs them is unknown");
	s->until_interrupt = loads_to_interrupt(s);
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
