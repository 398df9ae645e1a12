/* SPDX-License-Identifier: GPL-2.0 */
/* state.h - state that the files of the simulated machine share. Methods see
 * none of it.
 */
#ifndef PROBE_PHYS_MACHINE_SIM_STATE_H
#define PROBE_PHYS_MACHINE_SIM_STATE_H

#include "machine/sim/memory.h"
#include "model/model.h"
#include "sequence/offset_set.h"

/**
 * struct sim - a simulated machine
 * @machine: what methods see
 * @profile: its description (owned), hidden from methods
 * @model: the hierarchy
 * @memory: where the region lies
 * @rng: of the noise and the placement
 * @accesses: the sequence under way, ready for the model
 * @room: how many fit there
 * @taken: which offsets the walk under way has
 * @now: ticks since the beginning; a tick is a nominal core cycle
 * @resolution: ticks between two values that the timer can show
 * @drift: present deviation of the frequency in [-1, 1] of its range
 * @until_interrupt: loads until the next one
 * @handler_lines: lines that interrupt handlers have brought in so far
 * @next_view: virtual address from which on nothing is mapped
 */
struct sim {
	struct machine machine;
	struct profile *profile;
	struct model *model;
	struct sim_memory memory;
	struct rng rng;
	struct model_access *accesses;
	size_t room;
	struct offset_set taken;
	double now;
	double resolution;
	double drift;
	uint64_t until_interrupt;
	uint64_t handler_lines;
	uint64_t next_view;
};

static inline struct sim *sim_of(struct machine *m)
{
	return (struct sim *)m;
}

/** sim_take_addresses() - virtual addresses for @bytes that nothing else has,
 * from a multiple of 1 GiB on, or of 512 GiB where they are as many
 */
static inline uint64_t sim_take_addresses(struct sim *s, uint64_t bytes)
{
	const uint64_t gib = UINT64_C(1) << 30;
	const uint64_t align = bytes < 512 * gib ? gib : 512 * gib;
	const uint64_t first = (s->next_view + align - 1) / align * align;

	s->next_view = first + (bytes + gib - 1) / gib * gib + gib;
	return first;
}

/**
 * struct sim_path - where a walk stands
 * @accesses: walked cyclically, @length of them
 * @at: the next one
 * @flushes: lines flushed in each round, @flush_count of them: then only whole
 *           rounds are walked
 * @step_cycles: what each access takes besides
 */
struct sim_path {
	const struct model_access *accesses;
	size_t length;
	size_t at;
	const struct walk_flush *flushes;
	size_t flush_count;
	double step_cycles;
};

#endif
