// SPDX-License-Identifier: GPL-2.0
/* tlb_init.c - the arrays that translate each page size. */
#include <stdlib.h>

#include "model/tlb.h"

static unsigned int log2_of(uint64_t x)
{
	return x ? 63 - (unsigned int)__builtin_clzll(x) : 0;
}

static int make_array(struct tlb_array *t, const struct profile_tlb *p)
{
	uint64_t sets = p->ways ? p->entries / p->ways : 1;
	size_t entries;
	int error;

	t->profile = p;
	t->ticks = (uint32_t)(p->latency_cycles * MODEL_TICKS + 0.5);
	t->first = p->level == 1;
	t->group_shift = p->paired_pages ? 1 : log2_of(p->coalesce_pages);
	sets = sets ? sets : 1;
	entries = sets * p->ways;
	error = index_init(&t->index, &p->index, sets, 0);
	if (!error)
		error = array_init(&t->array, &p->policy, p->ways, sets);
	if (error)
		return error;
	t->anchors = calloc(entries, sizeof(*t->anchors));
	if (t->group_shift)
		t->pages = calloc(entries, sizeof(*t->pages));
	if (p->paired_pages)
		t->odd = calloc(entries, sizeof(*t->odd));
	t->array.beside[0] = t->anchors;
	t->array.beside[1] = t->pages;
	t->array.beside[2] = t->odd;
	return t->anchors && (t->pages || !t->group_shift) &&
			       (t->odd || !p->paired_pages) ?
		       0 :
		       -ENOMEM;
}

static bool serves(const struct profile_tlb *t, enum side side)
{
	return t->type == PROFILE_UNIFIED ||
	       (t->type == PROFILE_INSTRUCTION) == (side == SIDE_FETCH);
}

static void add_route(struct tlb_route *route, struct tlb_array *a)
{
	unsigned int k = route->count++;

	while (k && route->arrays[k - 1]->profile->level > a->profile->level) {
		route->arrays[k] = route->arrays[k - 1];
		k--;
	}
	route->arrays[k] = a;
}

static bool is_plain(const struct tlb_route *route)
{
	for (unsigned int i = 0; i < route->count; i++) {
		const struct profile_tlb *p = route->arrays[i]->profile;

		if (p->inclusion != PROFILE_NINE || route->arrays[i]->pages ||
		    (i && route->arrays[i - 1]->profile->level == p->level))
			return false;
	}
	return true;
}

static void make_side(struct tlb *t, enum side which, const struct profile *p)
{
	struct tlb_side *side = &t->sides[which];
	unsigned int host = p->host_page_bytes ? log2_of(p->host_page_bytes) :
						 TLB_SHIFTS;
	uint8_t granule = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct profile_tlb *profile = t->arrays[i].profile;

		if (!serves(profile, which))
			continue;
		side->any = true;
		for (size_t k = 0; k < profile->page_size_count; k++)
			add_route(
				&side->routes[log2_of(profile->page_bytes[k])],
				&t->arrays[i]);
	}
	for (unsigned int shift = 0; shift < TLB_SHIFTS; shift++) {
		if (shift <= host && side->routes[shift].count)
			granule = (uint8_t)shift;
		side->granule[shift] = granule;
		side->routes[shift].plain = is_plain(&side->routes[shift]);
		side->routes[shift].quick =
			side->routes[shift].plain &&
			side->routes[shift].count &&
			side->routes[shift].arrays[0]->first;
	}
}

int tlb_init(struct tlb *t, const struct profile *p, unsigned int cpu)
{
	int error = 0;

	*t = (struct tlb){
		.walk_ticks =
			(uint32_t)(p->walk_latency_cycles * MODEL_TICKS + 0.5),
	};
	t->arrays = calloc(p->tlb_count + 1, sizeof(*t->arrays));
	if (!t->arrays)
		return -ENOMEM;
	for (size_t i = 0; i < p->tlb_count && !error; i++)
		if (profile_has(p->tlbs[i].absent_on, cpu))
			error = make_array(&t->arrays[t->count++], &p->tlbs[i]);
	if (error)
		return error;
	make_side(t, SIDE_DATA, p);
	make_side(t, SIDE_FETCH, p);
	return 0;
}

void tlb_free(struct tlb *t)
{
	for (size_t i = 0; i < t->count; i++) {
		array_free(&t->arrays[i].array);
		index_free(&t->arrays[i].index);
		free(t->arrays[i].anchors);
		free(t->arrays[i].odd);
		free(t->arrays[i].pages);
	}
	free(t->arrays);
}
