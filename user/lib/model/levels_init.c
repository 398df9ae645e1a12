// SPDX-License-Identifier: GPL-2.0
/* levels_init.c - the caches of each CPU, in order. */
#include <stdlib.h>

#include "model/levels.h"

/* Instances of a profile's cache: one more than the highest number in use. */
static size_t instances(const struct profile_cache *c, unsigned int cpus)
{
	size_t count = 1;

	for (unsigned int cpu = 0; cpu < cpus; cpu++)
		if (profile_has(c->absent_on, cpu) &&
		    c->shared_by[cpu] >= count)
			count = c->shared_by[cpu] + (size_t)1;
	return count;
}

/* Does any cache below the first level need virtual addresses? */
static bool need_virtual(const struct profile *p)
{
	for (size_t i = 0; i < p->cache_count; i++)
		if (p->caches[i].level > 1 && !p->caches[i].physical)
			return true;
	return false;
}

static int make_caches(struct levels *h)
{
	const struct profile *p = h->profile;
	bool keep = need_virtual(p);
	size_t total = 0, next = 0;

	for (size_t i = 0; i < p->cache_count; i++)
		total += instances(&p->caches[i], h->cpus);
	h->caches = calloc(total + 1, sizeof(*h->caches));
	if (!h->caches)
		return -ENOMEM;
	h->cache_count = total;
	for (size_t i = 0; i < p->cache_count; i++) {
		size_t count = instances(&p->caches[i], h->cpus);
		int error = 0;

		h->first[i] = next;
		for (size_t j = 0; j < count && !error; j++)
			error = cache_init(&h->caches[next++], &p->caches[i],
					   p->page_bytes, keep, h->cpus);
		if (error)
			return error;
	}
	return 0;
}

static bool serves(const struct profile_cache *c, enum side side)
{
	return c->type == PROFILE_UNIFIED ||
	       (c->type == PROFILE_INSTRUCTION) == (side == SIDE_FETCH);
}

static void add_level(struct levels *h, struct chain *chain, size_t i,
		      unsigned int cpu)
{
	const struct profile_cache *c = &h->profile->caches[i];
	unsigned int k = chain->depth++;

	while (k && chain->levels[k - 1]->profile->level > c->level) {
		chain->levels[k] = chain->levels[k - 1];
		k--;
	}
	chain->levels[k] = &h->caches[h->first[i] + c->shared_by[cpu]];
}

static void finish_chain(struct levels *h, struct chain *chain,
			 unsigned int cpu)
{
	const struct profile *p = h->profile;

	chain->plain = true;
	for (unsigned int k = 0; k < chain->depth; k++) {
		chain->plain &= !chain->levels[k]->exclusive;
		chain->ticks[k] = chain->levels[k]->ticks;
		chain->conflicts |= chain->levels[k]->same_set_ticks;
		chain->above[k] = UINT64_C(1) << cpu;
		chain->quiet[k] = !chain->levels[k]->inclusive &&
				  (k + 1 == chain->depth ||
				   !chain->levels[k + 1]->exclusive);
		for (size_t i = 0; i < p->cache_count; i++)
			for (unsigned int other = 0; other < h->cpus; other++)
				if (p->caches[i].level <
					    chain->levels[k]->profile->level &&
				    profile_shares(&p->caches[i], other, cpu))
					chain->above[k] |= UINT64_C(1) << other;
	}
	for (unsigned int k = 0; k + 1 < chain->depth; k++)
		chain->shorter |= chain->levels[k]->line_shift >
				  chain->levels[k + 1]->line_shift;
	chain->plain &= !chain->shorter;
	chain->ticks[chain->depth] =
		(uint32_t)(p->memory_latency_cycles * MODEL_TICKS + 0.5);
}

static void add_upper(struct uppers *u, struct cache *c)
{
	for (unsigned int i = 0; i < u->count; i++)
		if (u->caches[i] == c)
			return;
	u->caches[u->count++] = c;
}

static void find_uppers(struct levels *h, unsigned int cpu)
{
	const struct profile *p = h->profile;

	for (size_t i = 0; i < p->cache_count; i++)
		for (int side = 0; side < SIDES; side++) {
			const struct chain *chain = &h->chains[cpu][side];
			struct uppers *u = &h->uppers[cpu * p->cache_count + i];

			for (unsigned int k = 0; k < chain->depth; k++)
				if (chain->levels[k]->profile->level <
				    p->caches[i].level)
					add_upper(u, chain->levels[k]);
		}
}

int levels_init(struct levels *h, const struct profile *p)
{
	int error;

	*h = (struct levels){ .profile = p,
			      .cpus = p->cpus ? p->cpus : 1,
			      .rng.state = p->noise.seed ^ 0x6d6f64656c };
	error = make_caches(h);
	if (error)
		return error;
	h->chains = calloc(h->cpus, sizeof(*h->chains));
	h->uppers = calloc(h->cpus * p->cache_count + 1, sizeof(*h->uppers));
	if (!h->chains || !h->uppers)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < h->cpus; cpu++)
		for (int side = 0; side < SIDES; side++) {
			struct chain *chain = &h->chains[cpu][side];

			for (size_t i = 0; i < p->cache_count; i++)
				if (serves(&p->caches[i], (enum side)side) &&
				    profile_has(p->caches[i].absent_on, cpu))
					add_level(h, chain, i, cpu);
			finish_chain(h, chain, cpu);
		}
	for (unsigned int cpu = 0; cpu < h->cpus; cpu++)
		find_uppers(h, cpu);
	return 0;
}

void levels_free(struct levels *h)
{
	for (size_t i = 0; i < h->cache_count; i++)
		cache_free(&h->caches[i]);
	free(h->caches);
	free(h->chains);
	free(h->uppers);
}
