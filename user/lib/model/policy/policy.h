/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy.h - replacement policies: which way of a set is evicted next.
 *
 * Knows sets and ways, not addresses. Called by the arrays of caches and TLBs:
 * they report hits, misses and fills, and need a victim when no way is free;
 * free ways are filled first, the leftmost one (the rightmost one under QLRU's
 * R2). Returns a way; only policy_init() can fail. Definitions: Abel and
 * Reineke, nanoBench (ISPASS 2020); QLRU's names are theirs; RRIP: Jaleel et
 * al., ISCA 2010; LIP, BIP: Qureshi et al., ISCA 2007.
 */
#ifndef PROBE_PHYS_MODEL_POLICY_POLICY_H
#define PROBE_PHYS_MODEL_POLICY_POLICY_H

#include "base/rng.h"
#include "model/profile/profile.h"

struct policy;

/**
 * struct policy_ops - one family
 * @words: 64-bit words of state per set
 * @reset: a set as after power-on
 * @hit: @way was found; NULL: nothing to do
 * @miss: before a way is chosen, free or not; NULL: nothing to do
 * @victim: no way is free
 * @fill: @way has a new line
 */
struct policy_ops {
	unsigned int (*words)(const struct policy *p);
	void (*reset)(struct policy *p, uint64_t set);
	void (*hit)(struct policy *p, uint64_t set, unsigned int way);
	void (*miss)(struct policy *p, uint64_t set);
	unsigned int (*victim)(struct policy *p, uint64_t set);
	void (*fill)(struct policy *p, uint64_t set, unsigned int way);
};

extern const struct policy_ops policy_recency_packed;
extern const struct policy_ops policy_recency_list;
extern const struct policy_ops policy_tree_small;
extern const struct policy_ops policy_tree_large;
extern const struct policy_ops policy_tree_masked;
extern const struct policy_ops policy_forest_small;
extern const struct policy_ops policy_forest_large;
extern const struct policy_ops policy_bit_plru;
extern const struct policy_ops policy_nru;
extern const struct policy_ops policy_random;
extern const struct policy_ops policy_ages;
extern const struct policy_ops policy_duel;

enum policy_fast {
	POLICY_SLOW,
	POLICY_PACKED,
	POLICY_TREE,
	POLICY_BITS,
	POLICY_FOREST,
	POLICY_AGES,
	POLICY_NOTHING
};

/** struct policy_path - how an access to a way changes a tree */
struct policy_path {
	uint64_t nodes;
	uint64_t away;
};

enum policy_update {
	POLICY_U0,
	POLICY_U1,
	POLICY_U2,
	POLICY_U3
};

/**
 * struct policy_qlru - a QLRU variant
 * @hit: new age of each old one
 * @insert: age of a new line
 * @insert_rare: instead, with probability policy.rare
 * @update: ageing rule
 * @on_miss_only: UMO
 */
struct policy_qlru {
	uint8_t hit[4];
	uint8_t insert;
	uint8_t insert_rare;
	enum policy_update update;
	bool on_miss_only;
};

/**
 * struct policy - state of all sets of an array
 * @fast: how to do without a call of the ops
 * @fast_fill: so are misses, victims and fills
 * @free_rightmost: QLRU R2
 * @protect_hits: recency: a hit moves to the front (false: FIFO)
 * @insert_back: recency: a new line goes last (LIP, BIP)
 * @borrowed: @state belongs to another policy
 * @ways, @sets, @words: geometry; words of state per set
 * @stride: words from one set's state to the next one's
 * @word_ways: words that hold one bit per way
 * @leaves: tree: ways rounded up to a power of two
 * @mask: tree: its leaves that are ways, in their order; 0: the first ones
 * @all: bits, ages: those of all ways, when one word holds them
 * @state: [sets][stride]
 * @paths: small trees and forests: per way
 * @links: long recency lists: [sets][ways + 1][2]
 * @rare: probability of the rare insertion in 1/2^32
 * @psel: DRRIP's selector, 10 bits
 * @duel: DRRIP: the two policies that duel; @qlru is the one at work
 * @roles: DRRIP: 1: leads the first policy, 2: leads the second, 0: follows
 */
struct policy {
	const struct policy_ops *ops;
	enum policy_fast fast;
	bool fast_fill;
	bool borrowed;
	bool free_rightmost;
	bool protect_hits;
	bool insert_back;
	bool most_recent_tree;
	unsigned int ways;
	uint64_t sets;
	unsigned int words;
	unsigned int stride;
	unsigned int word_ways;
	unsigned int leaves;
	uint64_t mask;
	uint64_t all;
	uint64_t *state;
	struct policy_path *paths;
	uint16_t *links;
	struct policy_qlru qlru;
	uint64_t rare;
	unsigned int psel;
	struct policy_qlru duel[2];
	uint8_t *roles;
	struct rng rng;
};

/**
 * policy_init() - all sets as after power-on
 * Return: 0, -ENOMEM, or -EINVAL for a QLRU variant that is none.
 * policy_free() in either case.
 */
int policy_init(struct policy *p, const struct profile_policy *profile,
		unsigned int ways, uint64_t sets);
void policy_free(struct policy *p);
/** policy_move() - keep the state of set i at @state + i * @stride from now on,
 * as after power-on; the memory stays the caller's
 */
void policy_move(struct policy *p, uint64_t *state, unsigned int stride);
/** policy_reset() - as after power-on; random numbers and DRRIP's selector go
 * on
 */
void policy_reset(struct policy *p);

/** policy_parse_qlru() - "H11_M1_R0_U0" and so on; false: no such variant.
 * @rightmost: set for R2
 */
bool policy_parse_qlru(const char *variant, struct policy_qlru *q,
		       bool *rightmost);

static inline uint64_t *policy_state(const struct policy *p, uint64_t set)
{
	return p->state + set * p->stride;
}

static inline bool policy_rarely(struct policy *p)
{
	return p->rare && rng_next(&p->rng) >> 32 < p->rare;
}

#define POLICY_NIBBLES UINT64_C(0x1111111111111111)
#define POLICY_FOREST_TREE 4u

/* Recency order in nibbles, most recent first: @way to the front. */
static inline uint64_t policy_to_front(uint64_t order, unsigned int way)
{
	uint64_t x = order ^ way * POLICY_NIBBLES;
	uint64_t zero = (x - POLICY_NIBBLES) & ~x & POLICY_NIBBLES << 3;
	unsigned int at = (unsigned int)__builtin_ctzll(zero) & ~3u;
	uint64_t below = (UINT64_C(1) << at) - 1;

	return (order & ~(below << 4 | 15)) | (order & below) << 4 | way;
}

/* The way that a small tree points to. */
static inline unsigned int policy_tree_victim(const struct policy *p,
					      uint64_t state)
{
	unsigned int i = 1;

	while (i < p->leaves)
		i = 2 * i + (state >> i & 1);
	i -= p->leaves;
	return i < p->ways ? i : p->ways - 1;
}

/* A small forest: a nibble of nodes per tree; the order of the trees. */
static inline unsigned int policy_forest_victim(const struct policy *p,
						const uint64_t *state)
{
	unsigned int trees =
		(p->ways + POLICY_FOREST_TREE - 1) / POLICY_FOREST_TREE;
	unsigned int tree = state[1] >> 4 * (trees - 1) & 15, i = 1, nodes;

	if (p->most_recent_tree)
		tree = ((state[1] & 15) + 1u) % trees;
	nodes = state[0] >> 4 * tree & 15;
	while (i < POLICY_FOREST_TREE)
		i = 2 * i + (nodes >> i & 1u);
	i += (tree - 1) * POLICY_FOREST_TREE;
	return i < p->ways ? i : p->ways - 1;
}

/* As ages.c does for any set, for a set whose ages are two words. */
static inline void policy_grow_old(const struct policy *p, uint64_t *ages,
				   uint64_t accessed)
{
	enum policy_update update = p->qlru.update;
	uint64_t who = p->all, affected;

	if (update == POLICY_U1 || update == POLICY_U3)
		who &= ~accessed;
	affected = update <= POLICY_U1 ? who : p->all;
	if (ages[0] & ages[1] & affected)
		return;
	/* U0, U1: until one line has age 3; U2, U3: by one. */
	if (update <= POLICY_U1 && !(ages[1] & who)) {
		ages[1] |= who;
		if (ages[0] & who)
			return;
	}
	ages[1] ^= ages[0] & who;
	ages[0] ^= who;
}

static inline void policy_set_age(uint64_t *ages, unsigned int way,
				  unsigned int age)
{
	uint64_t bit = UINT64_C(1) << way;

	ages[0] = (ages[0] & ~bit) | (uint64_t)(age & 1) << way;
	ages[1] = (ages[1] & ~bit) | (uint64_t)(age >> 1) << way;
}

static inline void policy_hit_ages(const struct policy *p, uint64_t *ages,
				   unsigned int way)
{
	unsigned int age = (unsigned int)(ages[0] >> way & 1) |
			   (unsigned int)(ages[1] >> way & 1) << 1;

	policy_set_age(ages, way, p->qlru.hit[age]);
	if (!p->qlru.on_miss_only)
		policy_grow_old(p, ages, UINT64_C(1) << way);
}

static inline void policy_fill_ages(struct policy *p, uint64_t *ages,
				    unsigned int way)
{
	policy_set_age(ages, way,
		       policy_rarely(p) ? p->qlru.insert_rare : p->qlru.insert);
	if (!p->qlru.on_miss_only)
		policy_grow_old(p, ages, UINT64_C(1) << way);
}

/* @way of a set was found; not for POLICY_SLOW. */
static inline void policy_fast_hit(const struct policy *p, uint64_t *state,
				   unsigned int way)
{
	switch (p->fast) {
	case POLICY_FOREST:
		if ((state[1] & 15) != way / POLICY_FOREST_TREE)
			state[1] = policy_to_front(state[1],
						   way / POLICY_FOREST_TREE);
		__attribute__((fallthrough));
	case POLICY_TREE:
		*state = (*state & ~p->paths[way].nodes) | p->paths[way].away;
		return;
	case POLICY_PACKED:
		if ((*state & 15) != way)
			*state = policy_to_front(*state, way);
		return;
	case POLICY_BITS:
		/* All used: forget all but this one at once. */
		*state &= ~(UINT64_C(1) << way);
		if (!*state)
			*state = p->all & ~(UINT64_C(1) << way);
		return;
	case POLICY_AGES:
		policy_hit_ages(p, state, way);
		return;
	case POLICY_NOTHING:
	case POLICY_SLOW:
		break;
	}
}

/* The rest is for those with fast_fill. Before a way is chosen: */
static inline void policy_fast_miss(const struct policy *p, uint64_t *state)
{
	if (p->fast == POLICY_AGES && p->qlru.on_miss_only)
		policy_grow_old(p, state, 0);
}

static inline unsigned int policy_fast_victim(const struct policy *p,
					      const uint64_t *state)
{
	uint64_t old = *state;

	switch (p->fast) {
	case POLICY_TREE:
		return policy_tree_victim(p, *state);
	case POLICY_FOREST:
		return policy_forest_victim(p, state);
	case POLICY_AGES:
		old &= state[1];
		__attribute__((fallthrough));
	case POLICY_BITS:
		return old ? (unsigned int)__builtin_ctzll(old) : 0;
	case POLICY_PACKED:
	case POLICY_NOTHING:
	case POLICY_SLOW:
		break;
	}
	return old >> 4 * (p->ways - 1) & 15;
}

static inline void policy_fast_fill(struct policy *p, uint64_t *state,
				    unsigned int way)
{
	if (p->fast == POLICY_AGES)
		policy_fill_ages(p, state, way);
	else
		policy_fast_hit(p, state, way);
}

/** policy_hit() - @way of @set was found */
static inline void policy_hit(struct policy *p, uint64_t set, unsigned int way)
{
	if (p->fast == POLICY_SLOW)
		p->ops->hit(p, set, way);
	else
		policy_fast_hit(p, policy_state(p, set), way);
}

/** policy_fill() - @way of @set has a new line */
static inline void policy_fill(struct policy *p, uint64_t set, unsigned int way)
{
	if (p->fast_fill)
		policy_fast_fill(p, policy_state(p, set), way);
	else
		p->ops->fill(p, set, way);
}

#endif
