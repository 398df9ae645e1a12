// SPDX-License-Identifier: GPL-2.0
/* walk.c - how accesses take time on a simulated machine. */
#include "machine/sim/walk.h"

#include <math.h>
#include <stdlib.h>

#include "machine/sim/counts.h"
#include "machine/sim/load.h"

/* Time of an interrupt, in addition to the lines that it evicts. */
#define INTERRUPT_CYCLES 3000
/* Largest change of the clock frequency per reading, share of its range. */
#define DRIFT_STEP 0.05
/* From this number of rounds on a search for repetition pays. */
#define WORTH_ROUNDS 5

struct model_access sim_access(const struct sim *s, uint64_t offset)
{
	return (struct model_access){
		.virt = s->memory.base + offset,
		.phys = sim_memory_phys(&s->memory, offset),
		.page_bytes = s->memory.page_bytes,
		.cpu = (unsigned int)s->machine.cpu,
		.kind = MODEL_LOAD,
	};
}

/* Uniform in (0, 1]: its logarithm is finite. */
static double uniform(struct sim *s)
{
	return 1 - rng_uniform(&s->rng);
}

uint64_t sim_next_interrupt(struct sim *s)
{
	double rate = s->profile->noise.interrupts_per_million_loads / 1e6;

	if (rate <= 0)
		return UINT64_MAX;
	return 1 + (uint64_t)(-log(uniform(s)) / rate);
}

/* Jitter and rare delays of a reading, cycles. */
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

void sim_wander(struct sim *s)
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
double sim_reading(struct sim *s, double cycles)
{
	double start = shown(s, s->now);

	s->now += ticks_of(s, cycles + s->profile->timer_overhead_cycles +
				      reading_noise(s));
	return shown(s, s->now) - start;
}

double sim_without_overhead(const struct sim *s, double ticks)
{
	ticks -= s->machine.timer.overhead_ticks;
	return ticks > 0 ? ticks : 0;
}

/* A handler takes the CPU; half of the time the sample shows it. */
static uint64_t interrupt(struct sim *s, bool *noticed)
{
	model_evict_random(s->model, (unsigned int)s->machine.cpu,
			   s->profile->noise.lines_evicted_per_interrupt);
	s->handler_lines += s->profile->noise.lines_evicted_per_interrupt;
	*noticed |= rng_next(&s->rng) & 1;
	s->until_interrupt = sim_next_interrupt(s);
	return (uint64_t)INTERRUPT_CYCLES * MODEL_TICKS;
}

/* Loads in a row that nothing interrupts. */
static uint64_t run_alone(struct sim *s, struct sim_path *path, uint64_t loads)
{
	return model_rounds(s->model, path->accesses, path->length, &path->at,
			    loads);
}

/* The same while other CPUs work. */
static uint64_t run(struct sim *s, struct sim_path *path, uint64_t loads)
{
	uint64_t sum = 0;

	if (!s->machine.load)
		return run_alone(s, path, loads);
	while (loads) {
		uint64_t slice = loads < SIM_LOAD_SLICE ? loads :
							  SIM_LOAD_SLICE;
		uint64_t cost = run_alone(s, path, slice);

		sim_load_pass(s, cost);
		sum += cost;
		loads -= slice;
	}
	return sum;
}

/* The same, with lines flushed in each round; from its beginning on. */
static uint64_t run_flushing(struct sim *s, const struct sim_path *path)
{
	uint64_t cost = 0;
	size_t at = 0;

	for (size_t i = 0; i < path->flush_count; i++) {
		const struct walk_flush *flush = &path->flushes[i];

		cost += model_run(s->model, path->accesses + at,
				  flush->at - at);
		at = flush->at;
		model_flush_line(s->model,
				 sim_memory_phys(&s->memory, flush->offset));
	}
	return cost +
	       model_run(s->model, path->accesses + at, path->length - at);
}

/* Return: cycles of @rounds rounds. */
static double follow_flushing(struct sim *s, const struct sim_path *path,
			      uint64_t rounds, bool *noticed)
{
	uint64_t cost = 0;

	for (; rounds; rounds--) {
		uint64_t once = run_flushing(s, path);

		sim_load_pass(s, once);
		cost += once;
		if (s->until_interrupt == UINT64_MAX)
			continue;
		s->until_interrupt -= s->until_interrupt < path->length ?
					      s->until_interrupt :
					      path->length;
		if (!s->until_interrupt)
			cost += interrupt(s, noticed);
	}
	return (double)cost / MODEL_TICKS;
}

double sim_follow(struct sim *s, struct sim_path *path, uint64_t loads,
		  bool *noticed)
{
	const double besides = path->step_cycles * (double)loads;
	uint64_t cost = 0;

	if (path->flush_count)
		return follow_flushing(s, path, loads / path->length, noticed);
	while (loads >= s->until_interrupt) {
		loads -= s->until_interrupt;
		cost += run(s, path, s->until_interrupt);
		cost += interrupt(s, noticed);
	}
	s->until_interrupt -= s->until_interrupt == UINT64_MAX ? 0 : loads;
	cost += run(s, path, loads);
	return (double)cost / MODEL_TICKS + besides;
}

static struct sim_counts counts_of(struct sim *s, unsigned int wanted)
{
	const struct machine *m = &s->machine;

	return (struct sim_counts){ .model = s->model,
				    .profile = s->profile,
				    .rng = &s->rng,
				    .overhead = m->counter_overhead,
				    .cpu = (unsigned int)m->cpu,
				    .wanted = wanted & m->counters };
}

void sim_calibrate_counters(struct sim *s)
{
	struct sim_counts counts = counts_of(s, s->machine.counters);
	struct sample empty = { .loads = 0 };

	sim_counts_begin(&counts);
	sim_counts_end(&counts, 0, &empty);
	for (int i = 0; i < MACHINE_COUNTERS; i++)
		s->machine.counter_overhead[i] = empty.counts[i];
}

/* Everything about the sample that lies before the loads is done. */
void sim_take_sample(struct sim *s, struct sim_path *path, uint64_t loads,
		     unsigned int counters, struct sample *sample)
{
	struct sim_counts counts = counts_of(s, counters);
	uint64_t handler_lines = s->handler_lines;
	double cycles;

	*sample = (struct sample){ .loads = loads };
	sim_counts_begin(&counts);
	cycles = sim_follow(s, path, loads, &sample->disturbed);
	sim_counts_end(&counts, s->handler_lines - handler_lines, sample);
	sample->ticks = sim_without_overhead(s, sim_reading(s, cycles));
}

int sim_room(struct sim *s, size_t length, struct failure *f)
{
	if (!length)
		return fail(f, STATUS_FAILED, EINVAL,
			    "walk: empty sequence (report this as a bug)");
	if (length <= s->room)
		return 0;
	free(s->accesses);
	s->accesses = calloc(length, sizeof(*s->accesses));
	s->room = s->accesses ? length : 0;
	if (!s->accesses)
		return fail_memory(f, "walk");
	return 0;
}

void sim_walk(struct sim *s, size_t length, double step_cycles,
	      const struct walk_plan *plan, struct sample *samples)
{
	struct sim_path path = { .accesses = s->accesses,
				 .length = length,
				 .flushes = plan->flushes,
				 .flush_count = plan->flush_count,
				 .step_cycles = step_cycles };
	bool cold = plan->flags & WALK_COLD, unused = false;
	struct machine *m = &s->machine;
	uint64_t loads = length;

	if (!cold && loads < plan->loads)
		loads = plan->loads;
	if (plan->flush_count)
		loads = (loads + length - 1) / length * length;
	if (!cold && !plan->flush_count && !m->load &&
	    plan->warm_rounds + plan->samples * loads / length >= WORTH_ROUNDS)
		model_rounds_begin(s->model, (unsigned int)m->cpu);
	s->now += sim_follow(s, &path, (uint64_t)plan->warm_rounds * length,
			     &unused);
	for (unsigned int i = 0; i < plan->samples; i++) {
		for (size_t j = 0; cold && j < length; j++)
			model_flush_line(s->model, s->accesses[j].phys);
		sim_take_sample(s, &path, loads, plan->counters, &samples[i]);
		if (plan->cycle_ticks > 0)
			samples[i].ticks *= plan->cycle_ticks / ticks_of(s, 1);
		sim_wander(s);
	}
	model_rounds_end(s->model);
	machine_count_walk(m, length, plan, samples);
}
