// SPDX-License-Identifier: GPL-2.0
/*
 * tree.c - tree-PLRU, and forests of small trees.
 *
 * Node 1 is the root, node i has the children 2i and 2i + 1, way w is node
 * leaves + w; bit i points to the half that goes next. With a number of ways
 * that is no power of two the victim is min(ways - 1, leaf).
 */
#include "model/policy/policy.h"

static unsigned int clip(const struct policy *p, unsigned int way)
{
	return way < p->ways ? way : p->ways - 1;
}

static unsigned int tree_words(const struct policy *p)
{
	return (p->leaves + 63) / 64;
}

static void tree_reset(struct policy *p, uint64_t set)
{
	uint64_t *state = policy_state(p, set);

	for (unsigned int i = 0; i < p->words; i++)
		state[i] = 0;
}

static void small_access(struct policy *p, uint64_t set, unsigned int way)
{
	uint64_t *state = policy_state(p, set);

	*state = (*state & ~p->paths[way].nodes) | p->paths[way].away;
}

static unsigned int small_victim(struct policy *p, uint64_t set)
{
	return policy_tree_victim(p, *policy_state(p, set));
}

const struct policy_ops policy_tree_small = {
	.words = tree_words,
	.reset = tree_reset,
	.hit = small_access,
	.victim = small_victim,
	.fill = small_access,
};

/* Leaves below node @i are ways. */
static bool has_ways(const struct policy *p, unsigned int i)
{
	unsigned int first = i, count = 1;

	for (; first < p->leaves; first *= 2)
		count *= 2;
	for (first -= p->leaves; count--; first++)
		if (p->mask >> first & 1)
			return true;
	return false;
}

/* A node decides only where both halves have ways. */
static unsigned int masked_victim(struct policy *p, uint64_t set)
{
	const uint64_t state = *policy_state(p, set);
	unsigned int i = 1;

	while (i < p->leaves) {
		i = 2 * i + (state >> i & 1);
		if (!has_ways(p, i))
			i ^= 1;
	}
	return (unsigned int)__builtin_popcountll(
		p->mask & ((UINT64_C(1) << (i - p->leaves)) - 1));
}

const struct policy_ops policy_tree_masked = {
	.words = tree_words,
	.reset = tree_reset,
	.hit = small_access,
	.victim = masked_victim,
	.fill = small_access,
};

static void large_access(struct policy *p, uint64_t set, unsigned int way)
{
	uint64_t *state = policy_state(p, set);

	for (unsigned int i = way + p->leaves; i > 1; i /= 2) {
		uint64_t bit = UINT64_C(1) << i / 2 % 64;

		if (i & 1)
			state[i / 2 / 64] &= ~bit;
		else
			state[i / 2 / 64] |= bit;
	}
}

static unsigned int large_victim(struct policy *p, uint64_t set)
{
	const uint64_t *state = policy_state(p, set);
	unsigned int i = 1;

	while (i < p->leaves)
		i = 2 * i + (state[i / 64] >> i % 64 & 1);
	return clip(p, i - p->leaves);
}

const struct policy_ops policy_tree_large = {
	.words = tree_words,
	.reset = tree_reset,
	.hit = large_access,
	.victim = large_victim,
	.fill = large_access,
};

/*
 * Forests of trees of four: LRU3PLRU4 (Ice Lake's L1, uops.info) takes the tree
 * that was used longest ago, MRU3PLRU4 (Skylake's sTLB; Tatar et al., TLB;DR,
 * USENIX Security 2022) the one after the most recently used. Bytes of state:
 * one per tree, bits 1..3 of which are its nodes; then the order of the trees,
 * most recent first. Up to 16 trees have nibbles instead of bytes, so that it
 * is two words.
 */
static unsigned int small_forest_words(const struct policy *p)
{
	(void)p;
	return 2;
}

static void small_forest_reset(struct policy *p, uint64_t set)
{
	uint64_t *state = policy_state(p, set);

	state[0] = 0;
	state[1] = UINT64_C(0xfedcba9876543210);
}

static void small_forest_access(struct policy *p, uint64_t set,
				unsigned int way)
{
	policy_fast_hit(p, policy_state(p, set), way);
}

static unsigned int small_forest_victim(struct policy *p, uint64_t set)
{
	return policy_forest_victim(p, policy_state(p, set));
}

const struct policy_ops policy_forest_small = {
	.words = small_forest_words,
	.reset = small_forest_reset,
	.hit = small_forest_access,
	.victim = small_forest_victim,
	.fill = small_forest_access,
};

static unsigned int forest_trees(const struct policy *p)
{
	return (p->ways + POLICY_FOREST_TREE - 1) / POLICY_FOREST_TREE;
}

static unsigned int forest_words(const struct policy *p)
{
	return (forest_trees(p) * 3 + 1 + 7) / 8;
}

static uint8_t *forest_nodes(const struct policy *p, uint64_t set)
{
	return (uint8_t *)policy_state(p, set);
}

static uint16_t *forest_order(const struct policy *p, uint64_t set)
{
	return (uint16_t *)policy_state(p, set) + (forest_trees(p) + 1) / 2;
}

static void forest_reset(struct policy *p, uint64_t set)
{
	uint8_t *nodes = forest_nodes(p, set);
	uint16_t *order = forest_order(p, set);

	for (unsigned int i = 0; i < forest_trees(p); i++) {
		nodes[i] = 0;
		order[i] = (uint16_t)i;
	}
}

static void forest_access(struct policy *p, uint64_t set, unsigned int way)
{
	uint8_t *nodes = forest_nodes(p, set);
	uint16_t *order = forest_order(p, set);
	unsigned int tree = way / POLICY_FOREST_TREE, at = 0;

	for (unsigned int i = way % POLICY_FOREST_TREE + POLICY_FOREST_TREE;
	     i > 1; i /= 2) {
		nodes[tree] &= (uint8_t) ~(1u << i / 2);
		nodes[tree] |= (uint8_t)((i & 1 ? 0u : 1u) << i / 2);
	}
	while (order[at] != tree)
		at++;
	for (; at; at--)
		order[at] = order[at - 1];
	order[0] = (uint16_t)tree;
}

static unsigned int forest_victim(struct policy *p, uint64_t set)
{
	const uint16_t *order = forest_order(p, set);
	unsigned int trees = forest_trees(p), tree = order[trees - 1], i = 1;
	uint8_t nodes;

	if (p->most_recent_tree)
		tree = (order[0] + 1u) % trees;
	nodes = forest_nodes(p, set)[tree];
	while (i < POLICY_FOREST_TREE)
		i = 2 * i + (nodes >> i & 1u);
	return clip(p, tree * POLICY_FOREST_TREE + i - POLICY_FOREST_TREE);
}

const struct policy_ops policy_forest_large = {
	.words = forest_words,
	.reset = forest_reset,
	.hit = forest_access,
	.victim = forest_victim,
	.fill = forest_access,
};
