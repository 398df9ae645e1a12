// SPDX-License-Identifier: GPL-2.0
/* model.c - what an access to a memory hierarchy costs. */
#include <stdlib.h>

#include "model/model_state.h"

/* Accesses between the announcement of one and the access itself. */
#define AHEAD 4
/* Accesses for which it is decided at once whether announcing them pays. */
#define BLOCK 32

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
		if (tlb_init(&m->cpus[cpu].tlb, p))
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
	for (unsigned int cpu = 0; m->cpus && cpu < m->levels.cpus; cpu++)
		tlb_free(&m->cpus[cpu].tlb);
	free(m->cpus);
	model_rounds_free(m);
	levels_free(&m->levels);
	free(m);
}

/* A CPU that the profile does not have is its first one. */
static unsigned int known_cpu(const struct model *m, unsigned int cpu)
{
	return cpu < m->levels.cpus ? cpu : 0;
}

static enum side side_of(enum model_kind kind)
{
	return kind == MODEL_FETCH ? SIDE_FETCH : SIDE_DATA;
}

/* The walk's last load goes through the caches. The walk's own cost is meant
 * for an entry in the first level; what is farther away costs the difference.
 */
static uint32_t walk_caches(struct model *m, const struct chain *chain,
			    const struct model_access *a)
{
	uint64_t entry = tlb_table_line(a->virt, a->page_bytes);
	const struct place at = { entry, entry };
	unsigned int served;

	served = levels_access(&m->levels, chain, &at, false);
	/* A profile may have a slow first level. */
	if (chain->ticks[served] < chain->ticks[0])
		return 0;
	return chain->ticks[served] - chain->ticks[0];
}

static void prefetch(struct model *m, struct model_cpu *cpu,
		     const struct chain *chain, const struct place *at,
		     unsigned int served)
{
	for (size_t i = 0; i < m->profile->prefetcher_count; i++)
		prefetch_after(&cpu->prefetchers[i], &m->levels, chain, at,
			       served);
}

/* The host fetches what an access will ask the larger arrays for. The frame is
 * a guess: a stale translation may lead elsewhere.
 */
static inline __attribute__((always_inline)) void
announce(const struct model *m, const struct model_access *a)
{
	const struct chain *chain =
		&m->levels.chains[known_cpu(m, a->cpu)][side_of(a->kind)];
	const struct place at = { a->phys, a->virt };

	for (unsigned int k = 1; k < chain->depth; k++) {
		const struct cache *c = chain->levels[k];

		array_prefetch(&c->array, cache_set(c, &at));
	}
}

static inline struct model_done do_one(struct model *m,
				       const struct model_access *a)
{
	unsigned int number = known_cpu(m, a->cpu), served;
	struct model_cpu *cpu = &m->cpus[number];
	enum side side = side_of(a->kind);
	const struct chain *chain = &m->levels.chains[number][side];
	struct tlb_answer t = tlb_translate(&cpu->tlb, side, a);
	struct place at = { t.phys, a->virt };
	struct model_done done = { .ticks = t.ticks };

	if (!t.level && m->profile->walk_touches_caches)
		done.ticks +=
			walk_caches(m, &m->levels.chains[number][SIDE_DATA], a);
	served = levels_access(&m->levels, chain, &at, a->kind == MODEL_STORE);
	done.ticks += chain->ticks[served];
	if (chain->conflicts)
		done.ticks += levels_conflicts(chain, &at, served);
	done.kind = (uint8_t)a->kind;
	done.translated = (uint8_t)t.level;
	done.served = (uint8_t)served;
	model_count(&cpu->counts, &done);
	if (m->profile->prefetcher_count && side == SIDE_DATA)
		prefetch(m, cpu, chain, &at, served);
	return done;
}

uint32_t model_access(struct model *m, const struct model_access *a)
{
	return do_one(m, a).ticks;
}

void model_do(struct model *m, const struct model_access *all, size_t count,
	      struct model_done *done)
{
	for (size_t i = 0; i < count; i++)
		done[i] = do_one(m, &all[i]);
}

/* Accesses of @cpu that the first two levels of a chain have served: what those
 * need of the host is small and stays near.
 */
static uint64_t near_ones(const struct model_cpu *cpu)
{
	uint64_t count = 0;

	for (int kind = MODEL_LOAD; kind <= MODEL_FETCH; kind++)
		count += cpu->counts.served[kind][0] +
			 cpu->counts.served[kind][1];
	return count;
}

uint64_t model_run(struct model *m, const struct model_access *all,
		   size_t count)
{
	uint64_t ticks = 0;
	bool far = false;

	for (size_t i = 0; i < count;) {
		size_t end = count - i > BLOCK ? i + BLOCK : count;
		const struct model_cpu *cpu =
			&m->cpus[known_cpu(m, all[i].cpu)];
		uint64_t near = near_ones(cpu), length = end - i;

		for (; i < end; i++) {
			if (far && i + AHEAD < count)
				announce(m, &all[i + AHEAD]);
			ticks += do_one(m, &all[i]).ticks;
		}
		far = near_ones(cpu) - near < length / 2;
	}
	return ticks;
}

bool model_translation(const struct model *m, unsigned int cpu, uint64_t virt,
		       enum model_kind kind, uint64_t *phys)
{
	return tlb_peek(&m->cpus[known_cpu(m, cpu)].tlb, side_of(kind), virt,
			phys);
}

void model_flush_line(struct model *m, uint64_t phys)
{
	model_rounds_forget(m);
	levels_flush_line(&m->levels, phys);
}

void model_flush_caches(struct model *m, unsigned int cpu)
{
	model_rounds_forget(m);
	levels_flush_cpu(&m->levels, known_cpu(m, cpu));
}

void model_flush_page(struct model *m, unsigned int cpu, uint64_t virt)
{
	model_rounds_forget(m);
	tlb_flush_page(&m->cpus[known_cpu(m, cpu)].tlb, virt);
}

void model_flush_tlbs(struct model *m, unsigned int cpu)
{
	model_rounds_forget(m);
	tlb_flush(&m->cpus[known_cpu(m, cpu)].tlb);
}

void model_set_prefetchers(struct model *m, unsigned int cpu, bool on)
{
	struct model_cpu *c = &m->cpus[known_cpu(m, cpu)];

	model_rounds_end(m);
	for (size_t i = 0; i < m->profile->prefetcher_count; i++)
		if (m->profile->prefetchers[i].switchable)
			c->prefetchers[i].on = on;
}

/* Levels by their number, not by their place: a chain may have gaps. */
static uint64_t misses(const struct model *m, unsigned int cpu,
		       enum model_kind kind, int level)
{
	const struct chain *chain = &m->levels.chains[cpu][side_of(kind)];
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

/* What happened. */
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
	unsigned int number = known_cpu(m, cpu);
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
	levels_evict_random(&m->levels, known_cpu(m, cpu), lines);
}
