/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tlb.h - translation arrays of one CPU, by kind of access, page size and
 * level. What an array holds is used until it is flushed, whatever the page
 * table says by now.
 */
#ifndef PROBE_PHYS_MODEL_TLB_H
#define PROBE_PHYS_MODEL_TLB_H

#include "model/levels.h"

#define TLB_SHIFTS 64

/**
 * struct tlb_array - one array
 * @array: tags are (virtual group number << 6 | log2 of the page)
 * @index: of a group number
 * @anchors: [sets][ways] physical address of the group's first page
 * @odd: paired: [sets][ways] the same by the frame of the odd page; or NULL
 * @pages: [sets][ways] which pages of the group the entry translates, or NULL;
 *         paired: it has both, and the frames of these are known
 * @group_shift: log2 of the pages of an entry
 * @ticks: cost of a hit
 * @first: it is of level 1
 * @profile: its description
 */
struct tlb_array {
	struct array array;
	struct index index;
	uint64_t *anchors;
	uint64_t *odd;
	uint64_t *pages;
	unsigned int group_shift;
	uint32_t ticks;
	bool first;
	const struct profile_tlb *profile;
};

/**
 * struct tlb_route - the arrays that translate one page size, nearest first
 * @arrays: them, those of one level side by side
 * @count: their number
 * @plain: one array per level, no coalescing, no exclusive level
 * @quick: plain, and the first array is of level 1
 */
struct tlb_route {
	struct tlb_array *arrays[PROFILE_MAX_TLBS];
	unsigned int count;
	bool plain;
	bool quick;
};

/**
 * struct tlb_side - translations of loads and stores, or of fetches
 * @granule: page size as log2 -> size of the entries that translate it: the
 *           largest that some array takes, or that the host maps; 0: none
 * @routes: by granule
 * @any: there are arrays at all
 */
struct tlb_side {
	uint8_t granule[TLB_SHIFTS];
	struct tlb_route routes[TLB_SHIFTS];
	bool any;
};

/**
 * struct tlb - all translations of one CPU
 * @arrays: in the order of the profile
 * @sides: data and fetches
 * @used: granules that have been entered since the last flush, as a bit mask
 * @turn: which of several arrays of a level is next
 */
struct tlb {
	struct tlb_array *arrays;
	size_t count;
	struct tlb_side sides[SIDES];
	uint64_t used;
	unsigned int turn;
	uint32_t walk_ticks;
};

/** struct tlb_answer - result of a translation
 * @level: 1: the first, 2: a later one, 0: a walk was needed
 */
struct tlb_answer {
	uint64_t phys;
	uint32_t ticks;
	unsigned int level;
};

/** tlb_init() - those of @cpu, empty. Return: 0 or -errno; tlb_free() in either
 * case
 */
int tlb_init(struct tlb *t, const struct profile *p, unsigned int cpu);
void tlb_free(struct tlb *t);

struct tlb_answer tlb_translate_slow(struct tlb *t, enum side side,
				     const struct model_access *a);
/* The route is plain; its first array does not have the page, in @missed. */
struct tlb_answer tlb_translate_plain(struct tlb *t, enum side side,
				      const struct model_access *a,
				      uint64_t missed);

/** tlb_find() - the way of an array that translates @virt, or ARRAY_NONE */
static inline int tlb_find(const struct tlb_array *t, uint64_t virt,
			   unsigned int shift, uint64_t *set)
{
	uint64_t group = virt >> shift >> t->group_shift;
	uint64_t bit;
	int way;

	*set = index_set(&t->index, group);
	way = array_find(&t->array, *set, group << 6 | shift);
	if (way == ARRAY_NONE || !t->pages || t->odd)
		return way;
	bit = UINT64_C(1) << ((virt >> shift) &
			      ((UINT64_C(1) << t->group_shift) - 1));
	for (unsigned int i = (unsigned int)way; i < t->array.ways; i++)
		if (array_used(&t->array, *set, i) &&
		    *array_tag(&t->array, *set, i) == (group << 6 | shift) &&
		    t->pages[*set * t->array.ways + i] & bit)
			return (int)i;
	return ARRAY_NONE;
}

/** tlb_phys() - physical address of @virt by @way */
static inline uint64_t tlb_phys(const struct tlb_array *t, uint64_t set,
				unsigned int way, uint64_t virt,
				unsigned int shift)
{
	uint64_t offset = (UINT64_C(1) << (shift + t->group_shift)) - 1;
	const uint64_t *anchors = t->odd && virt >> shift & 1 ? t->odd :
								t->anchors;

	return anchors[set * t->array.ways + way] + (virt & offset);
}

/** tlb_translate() - the physical address that an access really goes to */
static inline struct tlb_answer tlb_translate(struct tlb *t, enum side side,
					      const struct model_access *a)
{
	const struct tlb_side *s = &t->sides[side];
	unsigned int shift = s->granule[__builtin_ctzll(a->page_bytes)];
	const struct tlb_route *route = &s->routes[shift];

	if (route->quick) {
		struct tlb_array *first = route->arrays[0];
		uint64_t page = a->virt >> shift;
		uint64_t set = index_set(&first->index, page);
		int way = array_find(&first->array, set, page << 6 | shift);

		if (way == ARRAY_NONE)
			return tlb_translate_plain(t, side, a, set);
		policy_hit(&first->array.policy, set, (unsigned int)way);
		return (struct tlb_answer){
			.phys = tlb_phys(first, set, (unsigned int)way, a->virt,
					 shift),
			.ticks = first->ticks,
			.level = 1,
		};
	}
	return tlb_translate_slow(t, side, a);
}

/** tlb_peek() - translation of @virt, without a change; false: no array has it
 */
bool tlb_peek(const struct tlb *t, enum side side, uint64_t virt,
	      uint64_t *phys);
/** tlb_flush_page() - entries of any size that cover @virt */
void tlb_flush_page(struct tlb *t, uint64_t virt);
void tlb_flush(struct tlb *t);

/** tlb_table_line() - a made-up physical address of the table entry that a
 * walk for @virt reads last
 */
static inline uint64_t tlb_table_line(uint64_t virt, uint64_t page_bytes)
{
	unsigned int shift = (unsigned int)__builtin_ctzll(page_bytes);
	uint64_t entry = (virt >> shift) * 8 & ((UINT64_C(1) << 46) - 1);

	return UINT64_C(1) << 54 | (uint64_t)shift << 46 | entry;
}

#endif
