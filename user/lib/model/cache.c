// SPDX-License-Identifier: GPL-2.0
/* cache.c - one set-associative array, and a cache made of one. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/cache.h"
#include "model/model.h"

/* A set of a large array costs the host no walk of its page tables. */
#define HUGE_PAGE (UINT64_C(1) << 21)
#define HOST_LINE (ARRAY_HOST_WORDS * sizeof(uint64_t))

static void free_all_ways(struct array *a)
{
	for (uint64_t set = 0; set < a->sets; set++)
		for (unsigned int i = 0; i < a->groups * 8; i++)
			array_prints(a, set)[i] = i < a->ways ?
							  ARRAY_PRINT_FREE :
							  ARRAY_PRINT_ABSENT;
	a->touched = false;
}

/* Zero: no set was noted. */
static uint64_t *allocate(uint64_t words)
{
	uint64_t bytes = (words * sizeof(uint64_t) / HOST_LINE + 1) * HOST_LINE;
	uint64_t align = HOST_LINE;
	uint64_t *rows;

	if (bytes >= HUGE_PAGE) {
		bytes = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
		align = HUGE_PAGE;
	}
	rows = aligned_alloc(align, bytes);
	if (!rows)
		return NULL;
	if (align == HUGE_PAGE)
		madvise(rows, bytes, MADV_HUGEPAGE);
	return memset(rows, 0, bytes);
}

/* Fingerprints in aligned pairs of words, and no line of the host too many. */
static unsigned int stride_of(unsigned int words)
{
	if (words <= 4)
		return 4;
	return (words + ARRAY_HOST_WORDS - 1) & ~(ARRAY_HOST_WORDS - 1u);
}

int array_init(struct array *a, const struct profile_policy *policy,
	       unsigned int ways, uint64_t sets)
{
	int error;

	*a = (struct array){ .ways = ways,
			     .sets = sets,
			     .missed = ARRAY_NO_SET,
			     .groups = ways <= 8 ? 1 : (ways + 15) / 16 * 2 };
	error = policy_init(&a->policy, policy, ways, sets);
	if (error)
		return error;
	a->tags = a->groups * 2 + a->policy.words;
	a->used = a->tags + ways;
	a->stride = stride_of(a->used + 1);
	a->rows = allocate(sets * a->stride);
	if (!a->rows)
		return -ENOMEM;
	free_all_ways(a);
	policy_move(&a->policy, a->rows + (size_t)a->groups * 2, a->stride);
	return 0;
}

void array_free(struct array *a)
{
	free(a->rows);
	policy_free(&a->policy);
	a->rows = NULL;
}

void array_clear(struct array *a)
{
	free_all_ways(a);
	policy_reset(&a->policy);
}

unsigned int array_last_free(const struct array *a, uint64_t set)
{
	unsigned int way = a->ways - 1;

	while (way && array_used(a, set, way))
		way--;
	return way;
}

unsigned int array_choose(struct array *a, uint64_t set)
{
	struct policy *p = &a->policy;
	int way;

	if (p->ops->miss)
		p->ops->miss(p, set);
	way = array_first_free(a, set);
	if (way == ARRAY_NONE)
		return p->ops->victim(p, set);
	return p->free_rightmost ? array_last_free(a, set) : (unsigned int)way;
}

/** array_take_slow() - for any policy, and with free ways */
unsigned int array_take_slow(struct array *a, uint64_t set, uint64_t tag,
			     uint64_t *old)
{
	unsigned int way = array_choose(a, set);

	*old = array_used(a, set, way) ? *array_tag(a, set, way) : ARRAY_FREE;
	array_put(a, set, way, tag);
	return way;
}

static int allocate_extras(struct cache *c, bool keep_virtual,
			   unsigned int cpus)
{
	size_t lines = c->array.sets * c->array.ways;

	if (keep_virtual) {
		c->virt = calloc(lines, sizeof(*c->virt));
		if (!c->virt)
			return -ENOMEM;
	}
	if (c->inclusive && cpus > 1) {
		c->sharers = calloc(lines, sizeof(*c->sharers));
		if (!c->sharers)
			return -ENOMEM;
	}
	c->array.beside[0] = c->virt;
	c->array.beside[1] = c->sharers;
	return 0;
}

int cache_init(struct cache *c, const struct profile_cache *p,
	       uint64_t page_bytes, bool keep_virtual, unsigned int cpus)
{
	unsigned int page_lines, ways = p->ways;
	int error;

	*c = (struct cache){
		.profile = p,
		.line_shift = (unsigned int)__builtin_ctz(p->line_bytes),
		.ticks = (uint32_t)(p->latency_cycles * MODEL_TICKS + 0.5),
		.same_set_ticks =
			(uint32_t)(p->same_set_miss_cycles * MODEL_TICKS + 0.5),
		.exclusive = p->inclusion == PROFILE_EXCLUSIVE && p->level > 1,
		.inclusive = p->inclusion == PROFILE_INCLUSIVE && p->level > 1,
		.write_allocate = p->write_allocate,
		.write_back = p->write_back,
	};
	if (p->policy.allocation_mask)
		ways = (unsigned int)__builtin_popcountll(
			p->policy.allocation_mask);
	else if (p->reserved_lines_per_set < ways)
		ways -= p->reserved_lines_per_set;
	error = index_init(&c->index, &p->index, p->sets, c->line_shift);
	if (!error)
		error = array_init(&c->array, &p->policy, ways, p->sets);
	if (error)
		return error;
	page_lines = (unsigned int)__builtin_ctzll(page_bytes);
	page_lines -= page_lines < c->line_shift ? page_lines : c->line_shift;
	if (!p->physical)
		c->by_virtual = !index_low_bits(&c->index, page_lines);
	if (c->by_virtual && c->index.way == INDEX_MASK)
		c->synonym_sets = UINT64_C(1) << page_lines;
	return allocate_extras(c, keep_virtual, cpus);
}

void cache_free(struct cache *c)
{
	array_free(&c->array);
	index_free(&c->index);
	free(c->virt);
	free(c->sharers);
	c->virt = c->sharers = NULL;
}

struct victim cache_victim(const struct cache *c, uint64_t tag, size_t line)
{
	struct victim v = { .valid = tag != ARRAY_FREE };

	v.dirty = tag & ARRAY_DIRTY;
	v.place.phys = (tag & ~ARRAY_DIRTY) << c->line_shift;
	v.place.virt = c->virt ? c->virt[line] : v.place.phys;
	v.sharers = c->sharers ? c->sharers[line] : 1;
	return v;
}

bool cache_purge(struct cache *c, uint64_t phys, uint64_t bytes)
{
	uint64_t last = cache_tag(c, phys + bytes - 1);
	bool dirty = false;

	for (uint64_t tag = cache_tag(c, phys); tag <= last; tag++) {
		uint64_t step = c->synonym_sets ? c->synonym_sets : 1;

		if (!c->by_virtual) {
			dirty |= cache_purge_set(c, index_set(&c->index, tag),
						 tag);
			continue;
		}
		for (uint64_t set = tag & (step - 1); set < c->array.sets;
		     set += step)
			dirty |= cache_purge_set(c, set, tag);
	}
	return dirty;
}
