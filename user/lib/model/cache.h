/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cache.h - one set-associative array, and a cache made of one.
 *
 * A set is found by a 16-bit fingerprint of each way's tag, eight or sixteen
 * ways at a time; tags are read where fingerprints agree.
 */
#ifndef PROBE_PHYS_MODEL_CACHE_H
#define PROBE_PHYS_MODEL_CACHE_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "model/index.h"
#include "model/journal.h"
#include "model/policy/policy.h"

#define ARRAY_NONE (-1)
#define ARRAY_DIRTY (UINT64_C(1) << 63)
#define ARRAY_FREE UINT64_MAX
#define ARRAY_NO_SET UINT64_MAX
#define ARRAY_PRINT_FREE 0
#define ARRAY_PRINT_ABSENT 0xffff
/* Arrays of words beside the rows. */
#define ARRAY_BESIDE 3
/* Words of a line of the host. */
#define ARRAY_HOST_WORDS 8

/**
 * struct array - tags of all sets
 * @rows: [sets], each @stride words, so that the host fetches a set as a whole:
 *        fingerprints, one per way and up to 8 * @groups (ARRAY_PRINT_FREE:
 *        free, ARRAY_PRINT_ABSENT: no such way), the replacement's state, tags
 *        (ARRAY_DIRTY may be set), journal.generation when the set was noted
 *        last
 * @policy: replacement
 * @ways: of a set
 * @groups: of eight fingerprints: one, or an even number
 * @stride: words from one set to the next one
 * @tags: words of a row before its tags
 * @used: words of a row before journal.generation
 * @missed: the set of the last access, if that was a miss; or ARRAY_NO_SET.
 *          Kept by who charges for it
 * @touched: there may be lines
 * @beside: [sets][ways] words that their owner keeps for each way; or NULL
 * @journal: where a set is noted before it can change; NULL: none
 */
struct array {
	uint64_t *rows;
	struct policy policy;
	uint64_t sets;
	unsigned int ways;
	unsigned int groups;
	unsigned int stride;
	unsigned int tags;
	unsigned int used;
	uint64_t missed;
	bool touched;
	uint64_t *beside[ARRAY_BESIDE];
	struct journal *journal;
};

/** array_init() - all ways free. Return: 0 or -errno; array_free() either way
 */
int array_init(struct array *a, const struct profile_policy *policy,
	       unsigned int ways, uint64_t sets);
void array_free(struct array *a);
/** array_clear() - all ways free, replacement as after power-on */
void array_clear(struct array *a);

typedef uint16_t __attribute__((may_alias)) array_print_t;

static inline uint64_t *array_row(const struct array *a, uint64_t set)
{
	return a->rows + set * a->stride;
}

static inline array_print_t *array_prints(const struct array *a, uint64_t set)
{
	return (array_print_t *)array_row(a, set);
}

/* 1 to 32768: neither free nor absent. */
static inline uint16_t array_print(uint64_t tag)
{
	return (uint16_t)((tag * UINT64_C(0x9e3779b97f4a7c15) >> 49) + 1);
}

/* Which of 8 * @groups fingerprints, one group or two, are @key? */
static inline unsigned int array_same(const array_print_t *prints,
				      unsigned int groups, uint16_t key)
{
#ifdef __SSE2__
	__m128i keys = _mm_set1_epi16((short)key);
	__m128i low = _mm_load_si128((const __m128i *)prints), high;

	low = _mm_cmpeq_epi16(low, keys);
	if (groups == 1)
		return (unsigned int)_mm_movemask_epi8(
			_mm_packs_epi16(low, _mm_setzero_si128()));
	high = _mm_load_si128((const __m128i *)prints + 1);
	high = _mm_cmpeq_epi16(high, keys);
	return (unsigned int)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
	unsigned int same = 0;

	for (unsigned int i = 0; i < 8; i++)
		same |= (unsigned int)(prints[i] == key) << i;
	for (unsigned int i = 8; groups > 1 && i < 16; i++)
		same |= (unsigned int)(prints[i] == key) << i;
	return same;
#endif
}

/* The way among those of @same that holds @tag. */
static inline int array_match(const uint64_t *tags, unsigned int same,
			      uint64_t tag)
{
	for (; same; same &= same - 1) {
		unsigned int way = (unsigned int)__builtin_ctz(same);

		if ((tags[way] ^ tag) << 1 == 0)
			return (int)way;
	}
	return ARRAY_NONE;
}

/** array_note() - @set may change from now on */
static inline void array_note(const struct array *a, uint64_t set)
{
	if (a->journal && array_row(a, set)[a->used] != a->journal->generation)
		journal_note(a, set);
}

/** array_find() - the way of @set that holds @tag, or ARRAY_NONE. Nothing is
 * put into a set that was not searched, or noted, first.
 */
static inline __attribute__((always_inline)) int
array_find(const struct array *a, uint64_t set, uint64_t tag)
{
	const array_print_t *prints = array_prints(a, set);
	const uint64_t *tags = array_row(a, set) + a->tags;
	uint16_t key = array_print(tag);

	array_note(a, set);
	if (a->groups == 1)
		return array_match(tags, array_same(prints, 1, key), tag);
	for (unsigned int i = 0; i < a->groups * 8; i += 16) {
		unsigned int same = array_same(prints + i, 2, key);
		int way = array_match(tags + i, same, tag);

		if (way != ARRAY_NONE)
			return (int)i + way;
	}
	return ARRAY_NONE;
}

/** array_first_free() - the leftmost free way of @set, or ARRAY_NONE */
static inline int array_first_free(const struct array *a, uint64_t set)
{
	const array_print_t *prints = array_prints(a, set);
	unsigned int same;

	if (a->groups == 1) {
		same = array_same(prints, 1, ARRAY_PRINT_FREE);
		return same ? __builtin_ctz(same) : ARRAY_NONE;
	}
	for (unsigned int i = 0; i < a->groups * 8; i += 16) {
		same = array_same(prints + i, 2, ARRAY_PRINT_FREE);
		if (same)
			return (int)i + __builtin_ctz(same);
	}
	return ARRAY_NONE;
}

static inline uint64_t *array_tag(const struct array *a, uint64_t set,
				  unsigned int way)
{
	return array_row(a, set) + a->tags + way;
}

static inline bool array_used(const struct array *a, uint64_t set,
			      unsigned int way)
{
	return array_prints(a, set)[way] != ARRAY_PRINT_FREE;
}

/** array_choose() - the way that the next new line of @set gets: a free one or
 * a victim. The replacement policy sees the miss.
 */
unsigned int array_choose(struct array *a, uint64_t set);

/** array_put() - @way of @set has @tag (with or without ARRAY_DIRTY) now */
static inline void array_put(struct array *a, uint64_t set, unsigned int way,
			     uint64_t tag)
{
	a->touched = true;
	*array_tag(a, set, way) = tag;
	array_prints(a, set)[way] = array_print(tag & ~ARRAY_DIRTY);
	policy_fill(&a->policy, set, way);
}

/** array_drop() - @way of @set is free now */
static inline void array_drop(struct array *a, uint64_t set, unsigned int way)
{
	array_prints(a, set)[way] = ARRAY_PRINT_FREE;
}

/* The rightmost free way of @set, which has one. */
unsigned int array_last_free(const struct array *a, uint64_t set);
unsigned int array_take_slow(struct array *a, uint64_t set, uint64_t tag,
			     uint64_t *old);

/** array_take() - array_choose() and array_put() at once. @old: what was there
 * before, or ARRAY_FREE. Return: the way.
 */
static inline unsigned int array_take(struct array *a, uint64_t set,
				      uint64_t tag, uint64_t *old)
{
	struct policy *p = &a->policy;
	uint64_t *state, *at;
	int way;

	if (!p->fast_fill)
		return array_take_slow(a, set, tag, old);
	way = array_first_free(a, set);
	state = policy_state(p, set);
	policy_fast_miss(p, state);
	*old = ARRAY_FREE;
	if (__builtin_expect(way == ARRAY_NONE, 1)) {
		way = (int)policy_fast_victim(p, state);
		*old = *array_tag(a, set, (unsigned int)way);
	} else if (p->free_rightmost) {
		way = (int)array_last_free(a, set);
	}
	at = array_tag(a, set, (unsigned int)way);
	*at = tag;
	policy_fast_fill(p, state, (unsigned int)way);
	array_prints(a, set)[way] = array_print(tag & ~ARRAY_DIRTY);
	a->touched = true;
	return (unsigned int)way;
}

/** array_prefetch() - @set will be searched soon */
static inline __attribute__((always_inline)) void
array_prefetch(const struct array *a, uint64_t set)
{
	const uint64_t *row = array_row(a, set);

	__builtin_prefetch(row, 1);
	if (a->stride > ARRAY_HOST_WORDS)
		__builtin_prefetch(row + ARRAY_HOST_WORDS, 1);
	if (a->stride > 2 * ARRAY_HOST_WORDS)
		__builtin_prefetch(row + (size_t)2 * ARRAY_HOST_WORDS, 1);
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
 * @profile: its description
 * @line_shift: log2 of the line
 * @ticks: load-to-use of a hit
 * @same_set_ticks: extra cost of a miss right after a miss of the same set
 * @by_virtual: the virtual address matters to the index
 * @exclusive, @inclusive, @write_allocate, @write_back: as in the profile
 * @synonym_sets: @by_virtual: sets that the lowest virtual bits do not select
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
	uint32_t same_set_ticks;
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

/* The line with @tag leaves one set. Return: was it dirty? */
static inline bool cache_purge_set(struct cache *c, uint64_t set, uint64_t tag)
{
	int way = array_find(&c->array, set, tag);

	if (__builtin_expect(way == ARRAY_NONE, 1))
		return false;
	array_drop(&c->array, set, (unsigned int)way);
	return *array_tag(&c->array, set, (unsigned int)way) & ARRAY_DIRTY;
}

/** cache_purge() - all lines of [phys, phys + bytes) leave, under any virtual
 * address. Return: was one of them dirty?
 */
bool cache_purge(struct cache *c, uint64_t phys, uint64_t bytes);

/** cache_lose() - the same for a line of a lower cache, 1 << @shift bytes */
static inline bool cache_lose(struct cache *c, uint64_t phys,
			      unsigned int shift)
{
	uint64_t tag = cache_tag(c, phys);

	if (!c->array.touched)
		return false;
	if (c->by_virtual || shift > c->line_shift)
		return cache_purge(c, phys, UINT64_C(1) << shift);
	return cache_purge_set(c, index_set(&c->index, tag), tag);
}

#endif
