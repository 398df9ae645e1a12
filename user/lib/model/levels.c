// SPDX-License-Identifier: GPL-2.0
/* levels.c - caches above each other. */
#include "model/levels.h"

static void leave(struct levels *h, const struct chain *chain, unsigned int k,
		  struct victim *v);

/* An inclusive cache loses a line: those above lose it, too. */
static bool invalidate_above(const struct levels *h, const struct cache *c,
			     const struct victim *v)
{
	const struct profile *p = h->profile;
	size_t which = (size_t)(c->profile - p->caches);
	bool dirty = false;

	for (uint64_t left = v->sharers; left; left &= left - 1) {
		size_t cpu = (size_t)__builtin_ctzll(left);
		const struct uppers *u =
			&h->uppers[cpu * p->cache_count + which];

		for (unsigned int i = 0; i < u->count; i++)
			dirty |= cache_lose(u->caches[i], v->place.phys,
					    c->line_shift);
	}
	return dirty;
}

static inline void fill(struct levels *h, const struct chain *chain,
			unsigned int k, const struct place *at, uint64_t set,
			bool dirty)
{
	struct cache *c = chain->levels[k];
	uint64_t tag = cache_tag(c, at->phys) | (dirty ? ARRAY_DIRTY : 0), old;
	size_t line =
		set * c->array.ways + array_take(&c->array, set, tag, &old);
	struct victim v = { .valid = false };

	if (old != ARRAY_FREE && (!chain->quiet[k] || old & ARRAY_DIRTY))
		v = cache_victim(c, old, line);
	if (c->virt)
		c->virt[line] = at->virt >> c->line_shift << c->line_shift;
	if (c->sharers)
		c->sharers[line] = chain->above[k];
	if (v.valid)
		leave(h, chain, k, &v);
}

/* Modified data go down until a write-back cache takes them. */
static void write_back(struct levels *h, const struct chain *chain,
		       unsigned int k, const struct place *at)
{
	for (; k < chain->depth; k++) {
		struct cache *c = chain->levels[k];
		uint64_t set = cache_set(c, at);
		int way = array_find(&c->array, set, cache_tag(c, at->phys));

		if (!c->write_back)
			continue;
		if (way != ARRAY_NONE)
			*array_tag(&c->array, set, (unsigned int)way) |=
				ARRAY_DIRTY;
		else if (c->write_allocate)
			fill(h, chain, k, at, set, true);
		else
			continue;
		return;
	}
}

/* A victim of level @k - 1 becomes a line of the exclusive level @k. */
static void sink(struct levels *h, const struct chain *chain, unsigned int k,
		 const struct place *at, bool dirty)
{
	struct cache *c = chain->levels[k];
	uint64_t set = cache_set(c, at);
	int way = array_find(&c->array, set, cache_tag(c, at->phys));

	dirty &= c->write_back;
	if (way == ARRAY_NONE)
		fill(h, chain, k, at, set, dirty);
	else if (dirty)
		*array_tag(&c->array, set, (unsigned int)way) |= ARRAY_DIRTY;
}

static void leave(struct levels *h, const struct chain *chain, unsigned int k,
		  struct victim *v)
{
	struct cache *c = chain->levels[k], *next;
	struct place at = v->place;
	uint64_t end;

	/* Only the victim's address says where it goes. */
	next = k + 1 < chain->depth ? chain->levels[k + 1] : NULL;
	if (next && next->exclusive)
		array_prefetch(&next->array, cache_set(next, &at));
	if (c->inclusive && invalidate_above(h, c, v))
		v->dirty = true;
	if (!next)
		return;
	if (!next->exclusive && !v->dirty)
		return;
	for (end = at.phys + (UINT64_C(1) << c->line_shift); at.phys < end;) {
		if (next->exclusive)
			sink(h, chain, k + 1, &at, v->dirty);
		else
			write_back(h, chain, k + 1, &at);
		at.phys += UINT64_C(1) << next->line_shift;
		at.virt += UINT64_C(1) << next->line_shift;
	}
}

/* A store has its line: the first write-back level with it keeps the data. */
static void write_down(const struct chain *chain, const struct place *at,
		       unsigned int served)
{
	for (unsigned int k = 0; k < chain->depth; k++) {
		struct cache *c = chain->levels[k];
		uint64_t set = cache_set(c, at);
		int way = array_find(&c->array, set, cache_tag(c, at->phys));

		if (way == ARRAY_NONE)
			continue;
		if (k > served)
			policy_hit(&c->array.policy, set, (unsigned int)way);
		if (!c->write_back)
			continue;
		*array_tag(&c->array, set, (unsigned int)way) |= ARRAY_DIRTY;
		return;
	}
}

/* Will a level above @k, from @from on, take the line? */
static bool level_above_takes(const struct chain *chain, unsigned int from,
			      unsigned int k, bool store)
{
	for (unsigned int j = from; j < k; j++)
		if ((!chain->levels[j]->exclusive || j == from) &&
		    (!store || chain->levels[j]->write_allocate))
			return true;
	return false;
}

/* Level @k has it in @way. Return: it goes up and was modified. */
static bool hit(const struct chain *chain, unsigned int from, unsigned int k,
		uint64_t set, unsigned int way, bool store)
{
	struct cache *c = chain->levels[k];

	if (c->exclusive && level_above_takes(chain, from, k, store)) {
		array_drop(&c->array, set, way);
		return *array_tag(&c->array, set, way) & ARRAY_DIRTY;
	}
	policy_hit(&c->array.policy, set, way);
	if (c->sharers)
		c->sharers[set * c->array.ways + way] |= chain->above[k];
	return false;
}

/* A line is as long as several of the level below: all of them are fetched, at the
 * cost of the one that is wanted first.
 */
static void fetch_rest(struct levels *h, const struct chain *chain,
		       const struct place *at, unsigned int from,
		       unsigned int served)
{
	for (unsigned int k = from; k < served && k + 1 < chain->depth; k++) {
		const unsigned int below = chain->levels[k + 1]->line_shift;
		const unsigned int shift = chain->levels[k]->line_shift;
		const uint64_t span = UINT64_C(1) << shift;

		for (uint64_t i = 0; shift > below && i < span >> below; i++) {
			const struct place line = {
				(at->phys & ~(span - 1)) + (i << below),
				(at->virt & ~(span - 1)) + (i << below)
			};

			if (line.phys >> below != at->phys >> below)
				levels_miss(h, chain, &line, k + 1, false,
					    LEVELS_UNKNOWN);
		}
	}
}

unsigned int levels_miss(struct levels *h, const struct chain *chain,
			 const struct place *at, unsigned int from, bool store,
			 uint64_t missed)
{
	uint64_t sets[PROFILE_MAX_CACHES];
	unsigned int served = from;
	bool dirty = false;

	if (missed != LEVELS_UNKNOWN)
		sets[served++] = missed;
	for (; served < chain->depth; served++) {
		struct cache *c = chain->levels[served];
		int way;

		sets[served] = cache_set(c, at);
		way = array_find(&c->array, sets[served],
				 cache_tag(c, at->phys));
		if (way == ARRAY_NONE)
			continue;
		dirty = hit(chain, from, served, sets[served],
			    (unsigned int)way, store);
		break;
	}
	for (unsigned int k = served; k-- > from;) {
		struct cache *c = chain->levels[k];

		/* The first level of the access keeps the line. */
		if (c->exclusive && k > from)
			continue;
		if (store && !c->write_allocate)
			continue;
		fill(h, chain, k, at, sets[k], dirty && c->write_back);
		dirty &= !c->write_back;
	}
	if (dirty)
		write_back(h, chain, served, at);
	if (store)
		write_down(chain, at, served);
	if (chain->shorter)
		fetch_rest(h, chain, at, from, served);
	return served;
}

__attribute__((flatten)) unsigned int
levels_miss_load(struct levels *h, const struct chain *chain,
		 const struct place *at, uint64_t missed)
{
	unsigned int depth = chain->depth, served;
	uint64_t sets[PROFILE_MAX_CACHES];

	sets[0] = missed;
	for (served = 1; served < depth; served++) {
		struct cache *c = chain->levels[served];
		uint64_t set = cache_set(c, at);
		int way = array_find(&c->array, set, cache_tag(c, at->phys));

		sets[served] = set;
		if (way == ARRAY_NONE)
			continue;
		policy_hit(&c->array.policy, set, (unsigned int)way);
		if (c->sharers)
			c->sharers[set * c->array.ways + (unsigned int)way] |=
				chain->above[served];
		break;
	}
	for (unsigned int k = served; k-- > 0;)
		fill(h, chain, k, at, sets[k], false);
	return served;
}

uint32_t levels_conflicts(const struct chain *chain, const struct place *at,
			  unsigned int served)
{
	uint32_t ticks = 0;

	for (unsigned int k = 0; k < chain->depth && k <= served; k++) {
		struct cache *c = chain->levels[k];
		uint64_t set = k < served ? cache_set(c, at) : ARRAY_NO_SET;

		if (k < served && set == c->array.missed)
			ticks += c->same_set_ticks;
		c->array.missed = set;
	}
	return ticks;
}

bool levels_holds(const struct chain *chain, const struct place *at,
		  unsigned int k)
{
	const struct cache *c = chain->levels[k];

	return array_find(&c->array, cache_set(c, at),
			  cache_tag(c, at->phys)) != ARRAY_NONE;
}

void levels_flush_line(struct levels *h, uint64_t phys)
{
	const struct chain *chain = &h->chains[0][SIDE_DATA];
	const struct place at = { phys, phys };
	bool dirty = false, kept = false;

	for (size_t i = 0; i < h->cache_count; i++)
		if (h->caches[i].profile->memory_side)
			kept = true;
		else
			dirty |= cache_purge(&h->caches[i], phys, 1);
	/* Modified data go to memory, of which that cache is a part. */
	if (dirty && kept)
		write_back(h, chain, chain->depth - 1, &at);
}

static void flush_chains(struct levels *h, unsigned int cpu, int below)
{
	for (int side = 0; side < SIDES; side++) {
		struct chain *chain = &h->chains[cpu][side];

		for (unsigned int k = 0; k < chain->depth; k++)
			if (chain->levels[k]->profile->level < below &&
			    !chain->levels[k]->profile->memory_side)
				array_clear(&chain->levels[k]->array);
	}
}

void levels_flush_cpu(struct levels *h, unsigned int cpu)
{
	for (size_t i = 0; i < h->profile->cache_count; i++) {
		const struct profile_cache *c = &h->profile->caches[i];

		for (unsigned int other = 0; other < h->cpus; other++)
			if (c->inclusion == PROFILE_INCLUSIVE && other != cpu &&
			    profile_shares(c, other, cpu))
				flush_chains(h, other, c->level);
	}
	flush_chains(h, cpu, PROFILE_MAX_CACHES + 1000);
}

/* A foreign line: its number is above all physical ones. */
static void take_line(struct levels *h, const struct chain *chain,
		      unsigned int k)
{
	struct cache *c = chain->levels[k];
	uint64_t set = rng_below(&h->rng, c->array.sets);
	unsigned int way = (unsigned int)rng_below(&h->rng, c->array.ways);
	uint64_t tag = (UINT64_C(1) << 50) | h->foreign++;
	size_t line = set * c->array.ways + way;
	uint64_t old = ARRAY_FREE;
	struct victim v;

	if (array_used(&c->array, set, way))
		old = *array_tag(&c->array, set, way);
	v = cache_victim(c, old, line);
	array_put(&c->array, set, way, tag);
	if (c->virt)
		c->virt[line] = tag << c->line_shift;
	if (c->sharers)
		c->sharers[line] = 0;
	if (v.valid)
		leave(h, chain, k, &v);
}

void levels_evict_random(struct levels *h, unsigned int cpu, unsigned int lines)
{
	struct chain *sides = h->chains[cpu];

	for (int side = 0; side < SIDES; side++)
		for (unsigned int k = 0; k < sides[side].depth; k++) {
			const struct cache *c = sides[side].levels[k];

			/* The data side has had the unified ones. */
			if (side == SIDE_FETCH &&
			    c->profile->type == PROFILE_UNIFIED)
				continue;
			for (unsigned int i = 0; i < lines; i++)
				take_line(h, &sides[side], k);
		}
}
