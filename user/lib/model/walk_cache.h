/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_cache.h - caches of page walks: which table entries a walk reads.
 *
 * A cache of a level has entries that point to tables, by the part of the address
 * that selects them (Intel SDM 3A 4.10.3; AMD APM 2 5.5.1). A walk begins below the
 * lowest level whose cache has its entry: that entry and those above are not read, so
 * their accessed bits are not set. Where levels share a cache, a walk looks there for the
 * entry of each of them (Barr, Cox and Rixner, ISCA 2010: AMD). What is read comes into
 * the caches.
 */
#ifndef PROBE_PHYS_MODEL_WALK_CACHE_H
#define PROBE_PHYS_MODEL_WALK_CACHE_H

#include "model/cache.h"
#include "model/index.h"

/**
 * struct walk_cache - one of them
 * @array: tags are numbers of entries, and their levels
 * @index: of such a number
 * @shared: by several levels
 */
struct walk_cache {
	struct array array;
	struct index index;
	bool shared;
};

/**
 * struct walk_caches - those of one CPU
 * @all: in the order of the profile; @count of them
 * @of: by level; NULL: no cache
 * @shift: log2 of what an entry of each level spans
 */
struct walk_caches {
	struct walk_cache *all;
	size_t count;
	struct walk_cache *of[PROFILE_TABLES];
	unsigned int shift[PROFILE_TABLES];
};

/** walk_caches_init() - empty. Return: 0 or -errno; walk_caches_free() either way */
int walk_caches_init(struct walk_caches *w, const struct profile *p);
void walk_caches_free(struct walk_caches *w);

/**
 * walk_caches_read() - a walk for the page of @virt
 * @page_bytes: its size
 * Return: the levels whose entry is read, bits 1 << enum profile_table.
 */
unsigned int walk_caches_read(struct walk_caches *w, uint64_t virt,
			      uint64_t page_bytes);

void walk_caches_flush(struct walk_caches *w);

#endif
