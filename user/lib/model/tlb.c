// SPDX-License-Identifier: GPL-2.0
/*
 * tlb.c - translation arrays of one CPU.
 *
 * Coalescing: an entry of a group of pages whose frames lie alike takes in
 * each further one of them when it is walked for (Pham et al., MICRO 2012);
 * pages whose frames lie otherwise get entries of their own in the same set.
 * Pairs: one walk enters an even page and the odd one after it, wherever their
 * frames lie (MIPS's EntryLo0 and EntryLo1). The model knows page tables by
 * accesses only: the other frame is that of the first access to its page.
 */
#include "model/tlb.h"

static void insert(struct tlb *t, enum side side, unsigned int i, uint64_t virt,
		   uint64_t phys, unsigned int shift);

static const struct tlb_route *route_of(const struct tlb *t, enum side side,
					unsigned int shift)
{
	return &t->sides[side].routes[shift];
}

/* One page leaves one array: alone, or with the rest of its group. */
static void drop(struct tlb_array *t, uint64_t virt, unsigned int shift)
{
	uint64_t set;
	int way;

	while ((way = tlb_find(t, virt, shift, &set)) != ARRAY_NONE)
		array_drop(&t->array, set, (unsigned int)way);
}

/* The page leaves all arrays nearer than an inclusive one, on both sides. */
static void drop_above(struct tlb *t, int level, uint64_t virt,
		       unsigned int shift)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->arrays[i].profile->level < level)
			drop(&t->arrays[i], virt, shift);
}

/* An entry has to go: inclusive arrays take it from those above, exclusive
 * ones below take it in.
 */
static void leave(struct tlb *t, enum side side, unsigned int i, uint64_t tag,
		  uint64_t anchor, uint64_t pages)
{
	const struct tlb_route *route;
	unsigned int shift = tag & 63, next = i;
	struct tlb_array *a;
	int level;

	route = route_of(t, side, shift);
	a = route->arrays[i];
	level = a->profile->level;
	while (next < route->count &&
	       route->arrays[next]->profile->level == level)
		next++;
	for (; pages; pages &= pages - 1) {
		uint64_t page = (uint64_t)__builtin_ctzll(pages);
		uint64_t virt = ((tag >> 6 << a->group_shift) + page) << shift;

		if (a->profile->inclusion == PROFILE_INCLUSIVE)
			drop_above(t, level, virt, shift);
		if (next < route->count &&
		    route->arrays[next]->profile->inclusion ==
			    PROFILE_EXCLUSIVE)
			insert(t, side, next, virt, anchor + (page << shift),
			       shift);
	}
}

/* An entry of the same group, with frames that lie alike, takes the page in. */
static bool join(struct tlb_array *t, uint64_t set, uint64_t tag,
		 uint64_t anchor, uint64_t bit)
{
	for (unsigned int way = 0; t->pages && way < t->array.ways; way++) {
		size_t at = set * t->array.ways + way;

		if (!array_used(&t->array, set, way) ||
		    *array_tag(&t->array, set, way) != tag ||
		    t->anchors[at] != anchor)
			continue;
		t->pages[at] |= bit;
		policy_hit(&t->array.policy, set, way);
		return true;
	}
	return false;
}

static bool has_free(const struct tlb_array *t, uint64_t virt,
		     unsigned int shift)
{
	uint64_t set = index_set(&t->index, virt >> shift >> t->group_shift);

	for (unsigned int way = 0; way < t->array.ways; way++)
		if (!array_used(&t->array, set, way))
			return true;
	return false;
}

/* Of several arrays at the level of array @i one with a free way, else each in
 * turn.
 */
static unsigned int pick(struct tlb *t, const struct tlb_route *route,
			 unsigned int i, uint64_t virt, unsigned int shift)
{
	unsigned int n = 0;

	while (i + n < route->count && route->arrays[i + n]->profile->level ==
					       route->arrays[i]->profile->level)
		n++;
	if (n == 1)
		return i;
	for (unsigned int k = 0; k < n; k++)
		if (has_free(route->arrays[i + k], virt, shift))
			return i + k;
	return i + t->turn++ % n;
}

static void insert(struct tlb *t, enum side side, unsigned int i, uint64_t virt,
		   uint64_t phys, unsigned int shift)
{
	const struct tlb_route *route = route_of(t, side, shift);
	uint64_t group, page, set, tag, anchor, old = 0, old_anchor = 0;
	uint64_t old_pages = 0;
	struct tlb_array *a;
	unsigned int way;
	size_t at;

	i = pick(t, route, i, virt, shift);
	a = route->arrays[i];
	group = virt >> shift >> a->group_shift;
	page = virt >> shift & ((UINT64_C(1) << a->group_shift) - 1);
	set = index_set(&a->index, group);
	array_note(&a->array, set);
	tag = group << 6 | shift;
	anchor = (phys >> shift << shift) - (page << shift);
	if (!a->odd && join(a, set, tag, anchor, UINT64_C(1) << page))
		return;
	way = array_choose(&a->array, set);
	at = set * a->array.ways + way;
	if (array_used(&a->array, set, way)) {
		old = *array_tag(&a->array, set, way);
		old_anchor = a->anchors[at];
		old_pages = a->pages ? a->pages[at] : 1;
	}
	array_put(&a->array, set, way, tag);
	a->anchors[at] = anchor;
	if (a->odd)
		a->odd[at] = anchor;
	if (a->pages)
		a->pages[at] = UINT64_C(1) << page;
	if (old_pages)
		leave(t, side, i, old, old_anchor, old_pages);
}

/* All levels before array @end that take what passes them, farthest first. */
static void fill_above(struct tlb *t, enum side side, unsigned int end,
		       uint64_t virt, uint64_t phys, unsigned int shift)
{
	const struct tlb_route *route = route_of(t, side, shift);

	t->used |= UINT64_C(1) << shift;
	for (unsigned int i = end; i-- > 0;) {
		const struct profile_tlb *p = route->arrays[i]->profile;

		/* One insertion per level, at its first array. */
		if (i && route->arrays[i - 1]->profile->level == p->level)
			continue;
		if (i && p->inclusion == PROFILE_EXCLUSIVE)
			continue;
		insert(t, side, i, virt, phys, shift);
	}
}

/* Is the frame of @virt known to @way of a paired array? */
static bool has_frame(const struct tlb_array *t, uint64_t set, unsigned int way,
		      uint64_t virt, unsigned int shift)
{
	return !t->odd ||
	       t->pages[set * t->array.ways + way] >> (virt >> shift & 1) & 1;
}

/* It is now. */
static void learn_frame(const struct tlb_array *t, uint64_t set,
			unsigned int way, uint64_t virt, uint64_t phys,
			unsigned int shift)
{
	const size_t at = set * t->array.ways + way;
	const uint64_t page = virt >> shift & 1;

	if (page)
		t->odd[at] = (phys >> shift << shift) - (page << shift);
	else
		t->anchors[at] = phys >> shift << shift;
	t->pages[at] |= UINT64_C(1) << page;
}

/* @phys: of the page table, or NULL: only what is known counts. */
static bool look_up(struct tlb *t, enum side side, uint64_t virt,
		    const uint64_t *phys, unsigned int shift,
		    struct tlb_answer *answer)
{
	const struct tlb_route *route = route_of(t, side, shift);
	unsigned int first = 0;

	for (unsigned int i = 0; i < route->count; i++) {
		struct tlb_array *a = route->arrays[i];
		uint64_t set;
		int way = tlb_find(a, virt, shift, &set);

		if (i &&
		    route->arrays[i - 1]->profile->level != a->profile->level)
			first = i;
		if (way == ARRAY_NONE)
			continue;
		if (!has_frame(a, set, (unsigned int)way, virt, shift)) {
			if (!phys)
				continue;
			learn_frame(a, set, (unsigned int)way, virt, *phys,
				    shift);
		}
		answer->phys = tlb_phys(a, set, (unsigned int)way, virt, shift);
		answer->ticks = a->ticks;
		answer->level = a->profile->level == 1 ? 1 : 2;
		if (first && a->profile->inclusion == PROFILE_EXCLUSIVE)
			array_drop(&a->array, set, (unsigned int)way);
		else
			policy_hit(&a->array.policy, set, (unsigned int)way);
		fill_above(t, side, first, virt, answer->phys, shift);
		return true;
	}
	return false;
}

/* An entry of another size may be left from an earlier mapping. */
static bool look_up_others(struct tlb *t, enum side side, uint64_t virt,
			   unsigned int shift, struct tlb_answer *answer)
{
	uint64_t others = t->used & ~(UINT64_C(1) << shift);

	for (; others; others &= others - 1)
		if (look_up(t, side, virt, NULL,
			    (unsigned int)__builtin_ctzll(others), answer))
			return true;
	return false;
}

/** tlb_translate_slow() - by any route */
struct tlb_answer tlb_translate_slow(struct tlb *t, enum side side,
				     const struct model_access *a)
{
	const struct tlb_side *s = &t->sides[side];
	unsigned int shift = s->granule[__builtin_ctzll(a->page_bytes)];
	struct tlb_answer answer = { .phys = a->phys, .level = 1 };

	if (!s->any)
		return answer;
	if (shift && look_up(t, side, a->virt, &a->phys, shift, &answer))
		return answer;
	if (look_up_others(t, side, a->virt, shift, &answer))
		return answer;
	answer.level = 0;
	answer.ticks = t->walk_ticks;
	if (shift)
		fill_above(t, side, s->routes[shift].count, a->virt, a->phys,
			   shift);
	return answer;
}

/* A plain route's levels before @end take the page in. */
static void fill_plain(const struct tlb_route *route, const uint64_t *sets,
		       unsigned int end, uint64_t tag, uint64_t anchor)
{
	while (end-- > 0) {
		struct tlb_array *a = route->arrays[end];
		uint64_t old;
		unsigned int way = array_take(&a->array, sets[end], tag, &old);

		a->anchors[sets[end] * a->array.ways + way] = anchor;
	}
}

/** tlb_translate_plain() - by a plain route, beyond its first array */
__attribute__((flatten)) struct tlb_answer
tlb_translate_plain(struct tlb *t, enum side side, const struct model_access *a,
		    uint64_t missed)
{
	const struct tlb_side *s = &t->sides[side];
	unsigned int shift = s->granule[__builtin_ctzll(a->page_bytes)], i;
	const struct tlb_route *route = &s->routes[shift];
	uint64_t tag = a->virt >> shift << 6 | shift, sets[PROFILE_MAX_TLBS];
	uint64_t offset = (UINT64_C(1) << shift) - 1;
	struct tlb_answer answer = { .phys = a->phys };

	sets[0] = missed;
	for (i = 1; i < route->count; i++) {
		struct tlb_array *next = route->arrays[i];
		uint64_t set = index_set(&next->index, a->virt >> shift);
		int way = array_find(&next->array, set, tag);

		sets[i] = set;
		if (way == ARRAY_NONE)
			continue;
		answer.phys =
			tlb_phys(next, set, (unsigned int)way, a->virt, shift);
		answer.ticks = next->ticks;
		answer.level = 2;
		policy_hit(&next->array.policy, set, (unsigned int)way);
		fill_plain(route, sets, i, tag, answer.phys & ~offset);
		return answer;
	}
	if (__builtin_expect(t->used & ~(UINT64_C(1) << shift), 0) &&
	    look_up_others(t, side, a->virt, shift, &answer))
		return answer;
	t->used |= UINT64_C(1) << shift;
	answer.ticks = t->walk_ticks;
	answer.level = 0;
	fill_plain(route, sets, i, tag, a->phys & ~offset);
	return answer;
}

bool tlb_peek(const struct tlb *t, enum side side, uint64_t virt,
	      uint64_t *phys)
{
	for (uint64_t left = t->used; left; left &= left - 1) {
		unsigned int shift = (unsigned int)__builtin_ctzll(left);
		const struct tlb_route *route = route_of(t, side, shift);

		for (unsigned int i = 0; i < route->count; i++) {
			const struct tlb_array *a = route->arrays[i];
			uint64_t set;
			int way = tlb_find(a, virt, shift, &set);

			if (way == ARRAY_NONE ||
			    !has_frame(a, set, (unsigned int)way, virt, shift))
				continue;
			*phys = tlb_phys(a, set, (unsigned int)way, virt,
					 shift);
			return true;
		}
	}
	return false;
}

void tlb_flush_page(struct tlb *t, uint64_t virt)
{
	for (uint64_t left = t->used; left; left &= left - 1)
		for (size_t i = 0; i < t->count; i++)
			drop(&t->arrays[i], virt,
			     (unsigned int)__builtin_ctzll(left));
}

void tlb_flush(struct tlb *t)
{
	for (size_t i = 0; i < t->count; i++)
		array_clear(&t->arrays[i].array);
	t->used = 0;
}
