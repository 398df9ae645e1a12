// SPDX-License-Identifier: GPL-2.0
#include "model/naive_levels.h"

#include <string.h>

static void put(struct naive_levels *n, unsigned int cpu, size_t k,
		uint64_t address, bool dirty);

void naive_levels_init(struct naive_levels *n, const struct profile *p)
{
	memset(n, 0, sizeof(*n));
	n->profile = p;
	for (size_t k = 0; k < p->cache_count; k++)
		for (int i = 0; i < NAIVE_CPUS; i++) {
			struct naive_cache *c = &n->caches[k][i];

			c->is = &p->caches[k];
			c->ways = c->is->ways - c->is->reserved_lines_per_set;
		}
}

static struct naive_cache *cache_of(struct naive_levels *n, unsigned int cpu,
				    size_t k)
{
	return &n->caches[k][n->profile->caches[k].shared_by[cpu]];
}

static bool odd_ones(uint64_t x)
{
	bool odd = false;

	for (int bit = 0; bit < 64; bit++)
		odd ^= x >> bit & 1;
	return odd;
}

static uint64_t set_of(const struct naive_cache *c, uint64_t address)
{
	uint64_t number = address / c->is->line_bytes, set = 0;

	if (c->is->index.kind != PROFILE_INDEX_XOR)
		return number % c->is->sets;
	for (size_t i = 0; i < c->is->index.mask_count; i++)
		if (odd_ones(number * c->is->line_bytes &
			     c->is->index.masks[i]))
			set += UINT64_C(1) << i;
	return set;
}

static struct naive_line *find(struct naive_cache *c, uint64_t address)
{
	struct naive_line *set = &c->lines[set_of(c, address) * c->ways];

	for (unsigned int way = 0; way < c->ways; way++)
		if (set[way].used &&
		    set[way].number == address / c->is->line_bytes)
			return &set[way];
	return NULL;
}

/* An inclusive level notes who may have a line above it: the CPU of the access,
 * and those that share any cache above with it.
 */
static void note(struct naive_levels *n, unsigned int cpu, size_t k,
		 struct naive_line *line)
{
	line->above[cpu] = true;
	for (unsigned int other = 0; other < n->profile->cpus; other++)
		for (size_t j = 0; j < k; j++)
			if (cache_of(n, other, j) == cache_of(n, cpu, j))
				line->above[other] = true;
}

static void touch(struct naive_levels *n, const struct naive_cache *c,
		  struct naive_line *line)
{
	if (c->is->policy.name == PROFILE_LRU)
		line->stamp = ++n->now;
}

/* Whatever lies in [start, end) goes. Return: was any of it modified? */
static bool remove_range(struct naive_cache *c, uint64_t start, uint64_t end)
{
	bool dirty = false;

	for (uint64_t i = 0; i < c->is->sets * c->ways; i++) {
		uint64_t first = c->lines[i].number * c->is->line_bytes;

		if (!c->lines[i].used || first >= end ||
		    first + c->is->line_bytes <= start)
			continue;
		dirty |= c->lines[i].dirty;
		c->lines[i].used = false;
	}
	return dirty;
}

/* Modified data look for a level from @k on that keeps them. */
static void carry_down(struct naive_levels *n, unsigned int cpu, size_t k,
		       uint64_t address)
{
	for (; k < n->profile->cache_count; k++) {
		struct naive_cache *c = cache_of(n, cpu, k);
		struct naive_line *line = find(c, address);

		if (!c->is->write_back || (!line && !c->is->write_allocate))
			continue;
		if (line)
			line->dirty = true;
		else
			put(n, cpu, k, address, true);
		return;
	}
}

/* An exclusive level takes in what the one above it lost. */
static void take_in(struct naive_levels *n, unsigned int cpu, size_t k,
		    uint64_t address, bool dirty)
{
	struct naive_cache *c = cache_of(n, cpu, k);
	struct naive_line *line = find(c, address);

	dirty = dirty && c->is->write_back;
	if (!line)
		put(n, cpu, k, address, dirty);
	else if (dirty)
		line->dirty = true;
}

static void lose(struct naive_levels *n, unsigned int cpu, size_t k,
		 struct naive_line lost)
{
	const struct naive_cache *c = cache_of(n, cpu, k);
	uint64_t start = lost.number * c->is->line_bytes;
	uint64_t end = start + c->is->line_bytes;
	const struct profile_cache *next = c->is + 1;

	if (c->is->inclusion == PROFILE_INCLUSIVE)
		for (unsigned int other = 0; other < n->profile->cpus; other++)
			for (size_t j = 0; lost.above[other] && j < k; j++)
				lost.dirty |= remove_range(
					cache_of(n, other, j), start, end);
	if (k + 1 == n->profile->cache_count)
		return;
	for (; start < end; start += next->line_bytes) {
		if (next->inclusion == PROFILE_EXCLUSIVE)
			take_in(n, cpu, k + 1, start, lost.dirty);
		else if (lost.dirty)
			carry_down(n, cpu, k + 1, start);
	}
}

static void put(struct naive_levels *n, unsigned int cpu, size_t k,
		uint64_t address, bool dirty)
{
	struct naive_cache *c = cache_of(n, cpu, k);
	struct naive_line *set = &c->lines[set_of(c, address) * c->ways];
	struct naive_line *place = set, lost;

	for (unsigned int way = 0; way < c->ways; way++) {
		if (!set[way].used) {
			place = &set[way];
			break;
		}
		if (set[way].stamp < place->stamp)
			place = &set[way];
	}
	lost = *place;
	*place = (struct naive_line){ .used = true,
				      .dirty = dirty,
				      .number = address / c->is->line_bytes,
				      .stamp = ++n->now };
	note(n, cpu, k, place);
	if (lost.used)
		lose(n, cpu, k, lost);
}

/* Does level @j take lines that an access brings up? */
static bool takes(const struct naive_levels *n, size_t j, bool store)
{
	const struct profile_cache *c = &n->profile->caches[j];

	return (!j || c->inclusion != PROFILE_EXCLUSIVE) &&
	       (!store || c->write_allocate);
}

/* What a store wrote goes down to the first write-back level that has it. */
static void written(struct naive_levels *n, unsigned int cpu, uint64_t address,
		    size_t served)
{
	for (size_t k = 0; k < n->profile->cache_count; k++) {
		struct naive_cache *c = cache_of(n, cpu, k);
		struct naive_line *line = find(c, address);

		if (line && k > served)
			touch(n, c, line);
		if (line && c->is->write_back) {
			line->dirty = true;
			return;
		}
	}
}

size_t naive_levels_access(struct naive_levels *n, unsigned int cpu,
			   uint64_t address, bool store)
{
	size_t depth = n->profile->cache_count, served = 0;
	struct naive_line *line = NULL;
	bool dirty = false, goes_up = false;

	while (served < depth &&
	       !(line = find(cache_of(n, cpu, served), address)))
		served++;
	for (size_t j = 0; j < served; j++)
		goes_up |= takes(n, j, store);
	if (line && goes_up &&
	    n->profile->caches[served].inclusion == PROFILE_EXCLUSIVE) {
		dirty = line->dirty;
		line->used = false;
	} else if (line) {
		touch(n, cache_of(n, cpu, served), line);
		note(n, cpu, served, line);
	}
	for (size_t k = served; k-- > 0;) {
		bool keeps = n->profile->caches[k].write_back;

		if (!takes(n, k, store))
			continue;
		put(n, cpu, k, address, dirty && keeps);
		dirty = dirty && !keeps;
	}
	if (dirty)
		carry_down(n, cpu, served, address);
	if (store)
		written(n, cpu, address, served);
	return served;
}

double naive_levels_conflicts(struct naive_levels *n, unsigned int cpu,
			      uint64_t address, size_t served)
{
	double cycles = 0;

	for (size_t k = 0; k < n->profile->cache_count && k <= served; k++) {
		struct naive_cache *c = cache_of(n, cpu, k);
		uint64_t set = set_of(c, address);

		if (k < served && c->missed && c->missed_set == set)
			cycles += c->is->same_set_miss_cycles;
		c->missed = k < served;
		c->missed_set = set;
	}
	return cycles;
}

void naive_levels_flush_line(struct naive_levels *n, uint64_t address)
{
	for (size_t k = 0; k < n->profile->cache_count; k++)
		for (int i = 0; i < NAIVE_CPUS; i++)
			remove_range(&n->caches[k][i], address, address + 1);
}

/* One CPU's caches, and what stands above those of them that are inclusive. */
void naive_levels_flush_cpu(struct naive_levels *n, unsigned int cpu)
{
	for (size_t k = 0; k < n->profile->cache_count; k++) {
		struct naive_cache *c = cache_of(n, cpu, k);

		remove_range(c, 0, UINT64_MAX);
		for (unsigned int other = 0; other < n->profile->cpus; other++)
			for (size_t j = 0;
			     c->is->inclusion == PROFILE_INCLUSIVE &&
			     cache_of(n, other, k) == c && j < k;
			     j++)
				remove_range(cache_of(n, other, j), 0,
					     UINT64_MAX);
	}
}
