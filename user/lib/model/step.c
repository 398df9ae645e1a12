// SPDX-License-Identifier: GPL-2.0
/* step.c - one access after the other, and the cost of each. */
#include "model/model_state.h"

/* Accesses between the announcement of one and the access itself. */
#define AHEAD 4
/* Accesses for which it is decided at once whether announcing them pays. */
#define BLOCK 32

/* The walk's last load goes through the caches. The walk's own cost is meant
 * for an entry in the first level; an entry farther away costs the difference.
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

/* The host prefetches the sets that an access will search. The frame is
 * a guess: a stale translation may lead elsewhere.
 */
static inline __attribute__((always_inline)) void
announce(const struct model *m, const struct model_access *a)
{
	const struct chain *chain =
		&m->levels.chains[model_known_cpu(m, a->cpu)]
				 [model_side(a->kind)];
	const struct place at = { a->phys, a->virt };

	for (unsigned int k = 1; k < chain->depth; k++) {
		const struct cache *c = chain->levels[k];

		array_prefetch(&c->array, cache_set(c, &at));
	}
}

static inline struct model_done do_one(struct model *m,
				       const struct model_access *a)
{
	unsigned int number = model_known_cpu(m, a->cpu), served;
	struct model_cpu *cpu = &m->cpus[number];
	enum side side = model_side(a->kind);
	const struct chain *chain = &m->levels.chains[number][side];
	struct tlb_answer t = tlb_translate(&cpu->tlb, side, a);
	struct place at = { t.phys, a->virt };
	struct model_done done = { .ticks = t.ticks };

	if (!t.level)
		done.tables = (uint8_t)walk_caches_read(&cpu->walks, a->virt,
							a->page_bytes);
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
			&m->cpus[model_known_cpu(m, all[i].cpu)];
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

uint64_t model_walks(struct model *m, const struct model_access *all,
		     size_t count, struct model_walked *walked)
{
	uint64_t ticks = 0;

	*walked = (struct model_walked){ .pages = 0 };
	for (size_t i = 0; i < count; i++) {
		const struct model_done done = do_one(m, &all[i]);

		ticks += done.ticks;
		walked->pages += !done.translated;
		for (int k = 0; k < PROFILE_TABLES; k++)
			walked->tables[k] += done.tables >> k & 1;
	}
	return ticks;
}
