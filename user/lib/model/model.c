// SPDX-License-Identifier: GPL-2.0
/* model.c - a memory hierarchy: made, flushed, counted. */
#include <stdlib.h>

#include "model/model_state.h"

struct model *model_create(const struct profile *p)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->profile = p;
	if (levels_init(&m->levels, p))
		goto failed;
	m->cpus = calloc(m->levels.cpus, sizeof(*m->cpus));
	if (!m->cpus)
		goto failed;
	for (unsigned int cpu = 0; cpu < m->levels.cpus; cpu++) {
		if (tlb_init(&m->cpus[cpu].tlb, p, cpu) ||
		    walk_caches_init(&m->cpus[cpu].walks, p))
			goto failed;
		for (size_t i = 0; i < p->prefetcher_count; i++)
			prefetch_init(&m->cpus[cpu].prefetchers[i],
				      &p->prefetchers[i],
				      &m->levels.chains[cpu][SIDE_DATA]);
	}
	if (model_rounds_init(m))
		goto failed;
	return m;
failed:
	model_destroy(m);
	return NULL;
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	for (unsigned int cpu = 0; m->cpus && cpu < m->levels.cpus; cpu++) {
		tlb_free(&m->cpus[cpu].tlb);
		walk_caches_free(&m->cpus[cpu].walks);
	}
	free(m->cpus);
	model_rounds_free(m);
	levels_free(&m->levels);
	free(m);
}

bool model_translation(const struct model *m, unsigned int cpu, uint64_t virt,
		       enum model_kind kind, uint64_t *phys)
{
	return tlb_peek(&m->cpus[model_known_cpu(m, cpu)].tlb, model_side(kind),
			virt, phys);
}

void model_flush_line(struct model *m, uint64_t phys)
{
	model_rounds_forget(m);
	levels_flush_line(&m->levels, phys);
}

void model_flush_caches(struct model *m, unsigned int cpu)
{
	model_rounds_forget(m);
	levels_flush_cpu(&m->levels, model_known_cpu(m, cpu));
}

void model_flush_page(struct model *m, unsigned int cpu, uint64_t virt)
{
	model_rounds_forget(m);
	tlb_flush_page(&m->cpus[model_known_cpu(m, cpu)].tlb, virt);
	/* INVLPG takes all of these (Intel SDM 3A 4.10.4.1). */
	walk_caches_flush(&m->cpus[model_known_cpu(m, cpu)].walks);
}

void model_flush_tlbs(struct model *m, unsigned int cpu)
{
	model_rounds_forget(m);
	tlb_flush(&m->cpus[model_known_cpu(m, cpu)].tlb);
	walk_caches_flush(&m->cpus[model_known_cpu(m, cpu)].walks);
}

void model_set_prefetchers(struct model *m, unsigned int cpu, bool on)
{
	struct model_cpu *c = &m->cpus[model_known_cpu(m, cpu)];

	model_rounds_end(m);
	for (size_t i = 0; i < m->profile->prefetcher_count; i++)
		if (m->profile->prefetchers[i].switchable)
			c->prefetchers[i].on = on;
}

/* Levels by their number, not by their place: a chain may have gaps. */
static uint64_t misses(const struct model *m, unsigned int cpu,
		       enum model_kind kind, int level)
{
	const struct chain *chain = &m->levels.chains[cpu][model_side(kind)];
	uint64_t count = 0;
	unsigned int k = 0;

	while (k < chain->depth && chain->levels[k]->profile->level != level)
		k++;
	while (k++ < chain->depth)
		count += m->cpus[cpu].counts.served[kind][k];
	return count;
}

static uint64_t data_misses(const struct model *m, unsigned int cpu, int level)
{
	return misses(m, cpu, MODEL_LOAD, level) +
	       misses(m, cpu, MODEL_STORE, level);
}

/* A counter without faults. */
static uint64_t truth(const struct model *m, unsigned int number,
		      enum profile_counter counter)
{
	const struct model_counts *c = &m->cpus[number].counts;
	const uint64_t *data = c->translated[SIDE_DATA];
	const uint64_t *fetch = c->translated[SIDE_FETCH];

	switch (counter) {
	case PROFILE_COUNTER_CYCLES:
		return c->ticks / MODEL_TICKS;
	case PROFILE_COUNTER_LOADS:
		return c->kinds[MODEL_LOAD];
	case PROFILE_COUNTER_L1D_MISS:
		return data_misses(m, number, 1);
	case PROFILE_COUNTER_L2_MISS:
		return data_misses(m, number, 2);
	case PROFILE_COUNTER_L3_MISS:
		return data_misses(m, number, 3);
	case PROFILE_COUNTER_DTLB_MISS:
		return data[0] + data[2];
	case PROFILE_COUNTER_STLB_MISS:
		return data[0];
	case PROFILE_COUNTER_ITLB_MISS:
		return fetch[0] + fetch[2];
	case PROFILE_COUNTER_L1I_MISS:
		return misses(m, number, MODEL_FETCH, 1);
	case PROFILE_COUNTER_INSTRUCTIONS:
		return c->kinds[MODEL_LOAD] + c->kinds[MODEL_STORE] +
		       c->kinds[MODEL_FETCH];
	case PROFILE_COUNTER_L1D_WRITE_MISS:
		return misses(m, number, MODEL_STORE, 1);
	case PROFILE_COUNTER_L2_WRITE_MISS:
		return misses(m, number, MODEL_STORE, 2);
	case PROFILE_COUNTER_L3_WRITE_MISS:
		return misses(m, number, MODEL_STORE, 3);
	case PROFILE_COUNTERS:
		break;
	}
	return 0;
}

uint64_t model_counter(const struct model *m, unsigned int cpu,
		       enum profile_counter counter)
{
	unsigned int number = model_known_cpu(m, cpu);
	const struct profile_counter_fault *fault =
		&m->profile->faults[counter];
	uint64_t count = truth(m, number, counter);
	uint64_t loads = m->cpus[number].counts.kinds[MODEL_LOAD];

	if (!fault->faulty)
		return count;
	return (uint64_t)((double)count * fault->factor +
			  (double)loads * fault->per_load);
}

void model_evict_random(struct model *m, unsigned int cpu, unsigned int lines)
{
	model_rounds_forget(m);
	levels_evict_random(&m->levels, model_known_cpu(m, cpu), lines);
}
