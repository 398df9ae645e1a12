// SPDX-License-Identifier: GPL-2.0
/* simcache_set.c - index and replacement of the small simulated machine */
#include <string.h>

#include "kit/simcache_set.h"

uint64_t simcache_set_of(const struct sim_level *l, uint64_t line)
{
	uint64_t address = line * l->line_bytes, set = 0;

	if (!l->masks[0])
		return line % l->sets;
	for (unsigned int i = 0; 1U << i < l->sets; i++)
		set |= (uint64_t)__builtin_parityll(address & l->masks[i]) << i;
	return set;
}

static void touch_tree(struct simcache *c, uint64_t set, unsigned int way)
{
	unsigned int node = 1;

	for (unsigned int half = c->level->ways / 2; half; half /= 2) {
		bool right = way & half;

		if (right)
			c->trees[set] &= ~(UINT64_C(1) << node);
		else
			c->trees[set] |= UINT64_C(1) << node;
		node = 2 * node + right;
	}
}

static unsigned int tree_victim(const struct simcache *c, uint64_t set)
{
	unsigned int node = 1, way = 0;

	for (unsigned int half = c->level->ways / 2; half; half /= 2) {
		bool right = c->trees[set] >> node & 1;

		way += right ? half : 0;
		node = 2 * node + right;
	}
	return way;
}

/*
 * A set bit: recently used. When all bits would be set, only the last one is.
 */
static void touch_bit(struct simcache *c, uint64_t set, unsigned int way)
{
	uint64_t all = (UINT64_C(1) << c->level->ways) - 1;

	c->trees[set] |= UINT64_C(1) << way;
	if ((c->trees[set] & all) == all)
		c->trees[set] = UINT64_C(1) << way;
}

void simcache_to_front(uint64_t *lines, const uint64_t *end)
{
	uint64_t line = end[-1];

	memmove(lines + 1, lines, (size_t)(end - lines - 1) * sizeof(*lines));
	*lines = line;
}

void simcache_touch(struct simcache *c, uint64_t set, unsigned int way,
		    bool filled)
{
	uint64_t *lines = c->lines + set * c->level->ways;

	switch (c->level->policy) {
	case SIM_FIFO:
		if (filled)
			simcache_to_front(lines, lines + way + 1);
		break;
	case SIM_LRU:
		simcache_to_front(lines, lines + way + 1);
		break;
	case SIM_TREE_PLRU:
		touch_tree(c, set, way);
		break;
	case SIM_BIT_PLRU:
		touch_bit(c, set, way);
		break;
	case SIM_RANDOM:
		break;
	}
}

unsigned int simcache_victim(const struct simcache *c, uint64_t set,
			     struct rng *rng, uint64_t *drawn)
{
	const uint64_t *lines = c->lines + set * c->level->ways;

	for (unsigned int i = 0; i < c->level->ways; i++)
		if (lines[i] == NOTHING)
			return i;
	switch (c->level->policy) {
	case SIM_RANDOM:
		(*drawn)++;
		return (unsigned int)rng_below(rng, c->level->ways);
	case SIM_TREE_PLRU:
		return tree_victim(c, set);
	case SIM_BIT_PLRU:
		return (unsigned int)__builtin_ctzll(~c->trees[set]);
	default:
		return c->level->ways - 1;
	}
}
