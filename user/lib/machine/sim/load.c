// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - other CPUs of a simulated machine at work.
 *
 * Time that passes on the measured CPU passes on each of them: they spend it on
 * accesses of their own, one after the other, in the same model.
 */
#include "machine/sim/load.h"

#include <stdlib.h>

#include "machine/sim/walk.h"

/* Random places that are tried for the memory of a CPU. */
#define PLACES 1000
/* In pages as large as those of the region, but not in giant ones, of which a
 * small machine has few.
 */
#define MOST_PAGE_BYTES (UINT64_C(4) << 20)

/**
 * struct sim_worker - a CPU at work
 * @round: its @length accesses, done cyclically
 * @at: the next one
 * @phys: physical address of its memory, where that is one run
 * @debt: time that it has spent and that has not passed yet
 * @loads: done so far
 */
struct sim_worker {
	struct model_access *round;
	size_t length;
	size_t at;
	uint64_t phys;
	uint64_t debt;
	uint64_t loads;
};

/**
 * struct sim_load - a load
 * @load: what the caller sees; its CPUs are those of @workers
 * @stores: they store as well
 */
struct sim_load {
	struct load load;
	bool stores;
	struct sim_worker workers[];
};

/* Return: time that it takes. */
static uint32_t work(struct sim *s, struct sim_worker *w, bool stores)
{
	struct model_access a = w->round[w->at];
	uint32_t cost = model_access(s->model, &a);

	a.kind = MODEL_STORE;
	if (stores)
		cost += model_access(s->model, &a);
	w->at = w->at + 1 < w->length ? w->at + 1 : 0;
	w->loads++;
	/* Loads of a profile may take no time: the loop must end. */
	return cost ? cost : 1;
}

void sim_load_pass(struct sim *s, uint64_t cost)
{
	struct sim_load *l = (struct sim_load *)s->machine.load;

	for (size_t i = 0; l && i < l->load.cpu_count; i++) {
		struct sim_worker *w = &l->workers[i];
		uint64_t left = cost;

		while (left > w->debt) {
			left -= w->debt;
			w->debt = work(s, w, l->stores);
		}
		w->debt -= left;
	}
}

static uint64_t page_of(const struct machine *m)
{
	uint64_t page = m->view_page_bytes[0];

	for (size_t i = 1; i < m->view_page_count; i++)
		if (m->view_page_bytes[i] <= m->region.page_bytes &&
		    m->view_page_bytes[i] <= MOST_PAGE_BYTES)
			page = m->view_page_bytes[i];
	return page;
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

/* Runs of frames must not overlap; of frames at random a few may, and lines
 * that two CPUs share are a little less load.
 */
static bool is_free(const struct sim *s, const struct sim_load *l,
		    size_t number, uint64_t phys, uint64_t bytes)
{
	if (s->profile->placement != PROFILE_CONTIGUOUS)
		return true;
	if (overlap(phys, bytes, s->memory.frames[0], s->machine.region.bytes))
		return false;
	for (size_t i = 0; i < number; i++)
		if (overlap(phys, bytes, l->workers[i].phys, bytes))
			return false;
	return true;
}

static int place(struct sim *s, const struct sim_load *l, size_t number,
		 uint64_t bytes, struct sim_memory *memory, struct failure *f)
{
	uint64_t page = page_of(&s->machine);

	for (int i = 0; i < PLACES; i++) {
		bool contiguous;

		if (sim_memory_frames(memory, s->profile, page,
				      (bytes + page - 1) / page, &s->rng,
				      &contiguous))
			break;
		if (is_free(s, l, number, memory->frames[0], bytes))
			return 0;
		sim_memory_free(memory);
	}
	return fail(
		f, STATUS_FAILED, ENOMEM,
		"load: the machine lacks %llu bytes of memory (ask for less)",
		(unsigned long long)bytes);
}

static void shuffle(struct model_access *all, size_t length, struct rng *rng)
{
	for (size_t i = length - 1; i > 0; i--) {
		size_t other = rng_below(rng, i + 1);
		struct model_access kept = all[i];

		all[i] = all[other];
		all[other] = kept;
	}
}

static int begin(struct sim *s, struct sim_load *l, size_t number, int cpu,
		 uint64_t bytes, struct failure *f)
{
	struct sim_worker *w = &l->workers[number];
	struct sim_memory memory;
	int error;

	w->length = bytes / LOAD_LINE_BYTES;
	w->round = calloc(w->length, sizeof(*w->round));
	if (!w->round)
		return fail_memory(f, "load");
	error = place(s, l, number, bytes, &memory, f);
	if (error)
		return error;
	w->phys = memory.frames[0];
	memory.base = sim_take_addresses(s, bytes);
	for (size_t i = 0; i < w->length; i++) {
		uint64_t offset = i * LOAD_LINE_BYTES;

		w->round[i] = (struct model_access){
			.virt = memory.base + offset,
			.phys = sim_memory_phys(&memory, offset),
			.page_bytes = memory.page_bytes,
			.cpu = (unsigned int)cpu,
			.kind = MODEL_LOAD,
		};
	}
	sim_memory_free(&memory);
	shuffle(w->round, w->length, &s->rng);
	return 0;
}

/* All at once: each has gone through its memory, none of them long before. */
static void go_round_once(struct sim *s, struct sim_load *l)
{
	for (size_t i = 0; i < l->workers[0].length; i++)
		for (size_t j = 0; j < l->load.cpu_count; j++)
			work(s, &l->workers[j], l->stores);
}

int sim_load_start(struct machine *m, const struct load_request *request,
		   struct load **load, struct failure *f)
{
	struct sim *s = sim_of(m);
	struct sim_load *l = calloc(
		1, sizeof(*l) + request->cpu_count * sizeof(*l->workers));
	int error = 0;

	if (!l)
		return fail_memory(f, "load");
	l->load.m = m;
	l->load.cpu_count = request->cpu_count;
	l->stores = request->stores;
	for (size_t i = 0; !error && i < request->cpu_count; i++)
		error = begin(s, l, i, request->cpus[i], request->bytes, f);
	if (error) {
		sim_load_stop(&l->load);
		return error;
	}
	go_round_once(s, l);
	*load = &l->load;
	return 0;
}

uint64_t sim_load_loads(const struct load *load, size_t i)
{
	return ((const struct sim_load *)load)->workers[i].loads;
}

void sim_load_stop(struct load *load)
{
	struct sim_load *l = (struct sim_load *)load;

	for (size_t i = 0; i < l->load.cpu_count; i++)
		free(l->workers[i].round);
	free(l);
}
