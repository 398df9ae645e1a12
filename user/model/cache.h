/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cache.h - one set-associative array, and a cache made of one.
 *
 * A set is found by an eight-bit fingerprint of each way's tag, eight ways at
 * a time; tags are read where fingerprints agree.
 */
#ifndef PROBE_PHYS_CACHE_H
#define PROBE_PHYS_CACHE_H

#include "index.h"
#include "policy.h"

#define ARRAY_NONE (-1)
#define ARRAY_DIRTY (UINT64_C(1) << 63)
#define ARRAY_ONES UINT64_C(0x0101010101010101)

/**
 * struct array - tags of all sets
 * @prints: [sets][words] bytes, one per way; 0: free, 255: no such way
 * @tags: [sets][ways]; ARRAY_DIRTY may be set
 * @policy: replacement
 * @ways, @words: ways of a set, words of @prints of a set
 */
struct array {
	uint64_t *prints;
	uint64_t *tags;
	struct policy policy;
	uint64_t sets;
	unsigned int ways;
	unsigned int words;
};

/** array_init() - all ways free. Return: 0 or -errno; array_free() either way */
int array_init(struct array *a, const struct profile_policy *policy,
	       unsigned int ways, uint64_t sets);
void array_free(struct array *a);
/** array_clear() - all ways free, replacement as after power-on */
void array_clear(struct array *a);

/* 2 to 129: no bit pattern of 0 or 255 differs from it in the lowest bit alone,
 * which array_zero_bytes() may take for equal.
 */
static inline uint64_t array_print(uint64_t tag)
{
	return (tag * UINT64_C(0x9e3779b97f4a7c15) >> 57) + 2;
}

/* Bytes of x that are 0, as their high bits; the lowest one is exact. */
static inline uint64_t array_zero_bytes(uint64_t x)
{
	return (x - ARRAY_ONES) & ~x & ARRAY_ONES << 7;
}

/* The way among eight, of which @same are candidates, that holds @tag. */
static inline int array_match(const uint64_t *tags, uint64_t same, uint64_t tag)
{
	for (; same; same &= same - 1) {
		unsigned int way = (unsigned int)__builtin_ctzll(same) >> 3;

		if ((tags[way] ^ tag) << 1 == 0)
			return (int)way;
	}
	return ARRAY_NONE;
}

/** array_find() - the way of @set that holds @tag, or ARRAY_NONE */
static inline int array_find(const struct array *a, uint64_t set, uint64_t tag)
{
	const uint64_t *prints = a->prints + set * a->words;
	const uint64_t *tags = a->tags + set * a->ways;
	uint64_t key = array_print(tag) * ARRAY_ONES;
	unsigned int words = a->words;
	int way = array_match(tags, array_zero_bytes(prints[0] ^ key), tag);

	if (__builtin_expect(words == 1, 1) || way != ARRAY_NONE)
		return way;
	for (unsigned int i = 1; i < words; i++) {
		way = array_match(tags + (size_t)i * 8,
				  array_zero_bytes(prints[i] ^ key), tag);
		if (way != ARRAY_NONE)
			return (int)(i * 8) + way;
	}
	return ARRAY_NONE;
}

static inline uint64_t *array_tag(const struct array *a, uint64_t set,
				  unsigned int way)
{
	return a->tags + set * a->ways + way;
}

static inline bool array_used(const struct array *a, uint64_t set,
			      unsigned int way)
{
	return a->prints[set * a->words + way / 8] >> way % 8 * 8 & 0xff;
}

static inline void array_set_print(struct array *a, uint64_t set,
				   unsigned int way, uint64_t print)
{
	uint64_t *word = a->prints + set * a->words + way / 8;
	unsigned int shift = way % 8 * 8;

	*word = (*word & ~(UINT64_C(0xff) << shift)) | print << shift;
}

/** array_choose() - the way that the next new line of @set gets: a free one or
 * a victim. The replacement policy is told of the miss.
 */
unsigned int array_choose(struct array *a, uint64_t set);

/** array_put() - @way of @set has @tag (with or without ARRAY_DIRTY) now */
static inline void array_put(struct array *a, uint64_t set, unsigned int way,
			     uint64_t tag)
{
	*array_tag(a, set, way) = tag;
	array_set_print(a, set, way, array_print(tag & ~ARRAY_DIRTY));
	policy_fill(&a->policy, set, way);
}

/** array_drop() - @way of @set is free now */
static inline void array_drop(struct array *a, uint64_t set, unsigned int way)
{
	array_set_print(a, set, way, 0);
}

#define ARRAY_FREE UINT64_MAX

unsigned int array_take_slow(struct array *a, uint64_t set, uint64_t tag,
			     uint64_t *old);

/** array_take() - array_choose() and array_put() at once. @old: what was there
 * before, or ARRAY_FREE. Return: the way.
 */
static inline unsigned int array_take(struct array *a, uint64_t set,
				      uint64_t tag, uint64_t *old)
{
	struct policy *p = &a->policy;
	const struct policy_path *path;
	unsigned int way, shift;
	uint64_t *at;

	if (p->fast != POLICY_TREE || a->words != 1 ||
	    array_zero_bytes(a->prints[set]))
		return array_take_slow(a, set, tag, old);
	way = policy_tree_victim(p, set);
	path = &p->paths[way];
	p->state[set] = (p->state[set] & ~path->nodes) | path->away;
	shift = way * 8;
	a->prints[set] = (a->prints[set] & ~(UINT64_C(0xff) << shift)) |
			 array_print(tag & ~ARRAY_DIRTY) << shift;
	at = a->tags + set * a->ways + way;
	*old = *at;
	*at = tag;
	return way;
}

/** struct place - where an access goes */
struct place {
	uint64_t phys;
	uint64_t virt;
};

/** struct victim - a line that has to leave a cache */
struct victim {
	struct place place;
	uint64_t sharers;
	bool valid;
	bool dirty;
};

/**
 * struct cache - one cache instance
 * @array: its lines; tags are physical line numbers
 * @index: how addresses select sets
 * @profile: what it is
 * @line_shift: log2 of the line
 * @ticks: load-to-use of a hit
 * @by_virtual: the virtual address matters to the index
 * @exclusive, @inclusive, @write_allocate, @write_back: as in the profile
 * @synonym_sets: @by_virtual: sets that the lowest virtual bits do not tell
 *                apart lie so far apart; 0: any set
 * @virt: [sets][ways] virtual addresses of the lines, where they are needed
 * @sharers: inclusive: [sets][ways] CPUs that may hold the line above; NULL:
 *           CPU 0, there is no other
 */
struct cache {
	struct array array;
	struct index index;
	const struct profile_cache *profile;
	unsigned int line_shift;
	uint32_t ticks;
	bool by_virtual;
	bool exclusive;
	bool inclusive;
	bool write_allocate;
	bool write_back;
	uint64_t synonym_sets;
	uint64_t *virt;
	uint64_t *sharers;
};

/**
 * cache_init() - an empty cache
 * @page_bytes: smallest page, whose offset is the same in both addresses
 * @keep_virtual: a cache below needs the virtual addresses of victims
 * @cpus: CPUs of the machine
 * Return: 0 or -errno; cache_free() in either case.
 */
int cache_init(struct cache *c, const struct profile_cache *p,
	       uint64_t page_bytes, bool keep_virtual, unsigned int cpus);
void cache_free(struct cache *c);

static inline uint64_t cache_tag(const struct cache *c, uint64_t phys)
{
	return phys >> c->line_shift;
}

static inline uint64_t cache_set(const struct cache *c, const struct place *at)
{
	uint64_t address = c->by_virtual ? at->virt : at->phys;

	return index_set(&c->index, address >> c->line_shift);
}

/** cache_victim() - what is to be known of a line with tag @tag, or of
 * ARRAY_FREE, whose place is @line in the arrays beside the tags
 */
struct victim cache_victim(const struct cache *c, uint64_t tag, size_t line);

/** cache_purge() - all lines of [phys, phys + bytes) leave, under any virtual
 * address. Return: was one of them dirty?
 */
bool cache_purge(struct cache *c, uint64_t phys, uint64_t bytes);

#endif
