// SPDX-License-Identifier: GPL-2.0
#include "model/walk_cache.h"

#include <stdlib.h>

static int make_one(struct walk_cache *c, const struct profile_walk_cache *p)
{
	const uint64_t sets = p->entries / p->ways;
	int error = index_init(&c->index, &p->index, sets, 0);

	c->shared = p->tables & (p->tables - 1);
	return error ? error : array_init(&c->array, &p->policy, p->ways, sets);
}

int walk_caches_init(struct walk_caches *w, const struct profile *p)
{
	int error = 0;

	*w = (struct walk_caches){ .count = 0 };
	for (int k = 0; k < PROFILE_TABLES; k++)
		w->shift[k] = profile_table_shift(p, (enum profile_table)k);
	if (!p->walk_cache_count)
		return 0;
	w->all = calloc(p->walk_cache_count, sizeof(*w->all));
	if (!w->all)
		return -ENOMEM;
	while (!error && w->count < p->walk_cache_count) {
		struct walk_cache *c = &w->all[w->count];

		error = make_one(c, &p->walk_caches[w->count]);
		for (int k = 0; k < PROFILE_TABLES; k++)
			if (p->walk_caches[w->count].tables >> k & 1)
				w->of[k] = c;
		w->count++;
	}
	return error;
}

void walk_caches_free(struct walk_caches *w)
{
	for (size_t i = 0; i < w->count; i++) {
		array_free(&w->all[i].array);
		index_free(&w->all[i].index);
	}
	free(w->all);
}

static uint64_t tag_of(uint64_t number, int table)
{
	return number * PROFILE_TABLES + (uint64_t)table;
}

/* Whether a cache has the entry of a level, which is used then. */
static bool find(struct walk_cache *c, uint64_t number, int table)
{
	uint64_t set = index_set(&c->index, number);
	int way = array_find(&c->array, set, tag_of(number, table));

	if (way == ARRAY_NONE)
		return false;
	policy_hit(&c->array.policy, set, (unsigned int)way);
	return true;
}

static void enter(struct walk_cache *c, uint64_t number, int table)
{
	uint64_t old;

	array_take(&c->array, index_set(&c->index, number),
		   tag_of(number, table), &old);
}

unsigned int walk_caches_read(struct walk_caches *w, uint64_t virt,
			      uint64_t page_bytes)
{
	unsigned int read = 0;

	for (int k = 0; k < PROFILE_TABLES; k++) {
		struct walk_cache *c = w->of[k];
		const uint64_t number = virt >> w->shift[k];

		if (UINT64_C(1) << w->shift[k] <= page_bytes)
			continue;
		if (!c || !find(c, number, k)) {
			read |= 1U << k;
			if (c)
				enter(c, number, k);
		} else if (!c->shared) {
			break;
		}
	}
	return read;
}

void walk_caches_flush(struct walk_caches *w)
{
	for (size_t i = 0; i < w->count; i++)
		array_clear(&w->all[i].array);
}
