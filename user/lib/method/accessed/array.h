/* SPDX-License-Identifier: GPL-2.0 */
/*
 * array.h - the last array of translations by accessed bits: entries, ways, sets,
 * index, and whether loads and fetches share it.
 *
 * Below it page tables are walked, and only that sets an accessed bit. Which arrays
 * lie above it cannot be seen.
 */
#ifndef PROBE_PHYS_METHOD_ACCESSED_ARRAY_H
#define PROBE_PHYS_METHOD_ACCESSED_ARRAY_H

#include "method/accessed/kept.h"
#include "result/result.h"

/**
 * struct accessed_array - what was found of an array
 * @found: @entries
 * @ways_found: @ways, @sets and @index as well
 * @kept: pages that were kept of more than the array holds, and bounds
 * @least: entries at least, as more are never kept, where clearing the bits disturbs
 * @entries: translations
 * @ways: translations of one set
 * @sets: entries / ways
 * @index: linear, modulo or hashed
 * @stride: distance of pages that share a set, with @ways
 * @columns: that many adjacent pages lie in sets of their own
 * @bound: errors of all tests
 * @reason: why something was not found
 */
struct accessed_array {
	bool found;
	bool ways_found;
	struct kept kept;
	double least;
	double entries;
	double ways;
	double sets;
	enum index_kind index;
	uint64_t stride;
	uint64_t columns;
	double bound;
	char reason[256];
};

/**
 * accessed_find_array() - measure the last array behind the touches of a view
 * Return: 0, also where nothing was found; -EINTR; or another -errno with @f set.
 */
int accessed_find_array(const struct kept_view *v, struct accessed_array *a,
			struct failure *f);

/**
 * accessed_look_later() - whether more is kept now of as many pages
 *
 * Another thread of the same core that takes entries all the time looks like a smaller
 * array, until it ends. An array that keeps more is no longer @found.
 */
int accessed_look_later(const struct kept_view *v, struct accessed_array *a,
			struct failure *f);

/**
 * accessed_find_shared() - whether fetches find what loads have entered
 * @v: an executable view
 * @entries: of the smaller array of both
 * @verdict: (out) compact: they share the last array; non-compact: each has its own
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int accessed_find_shared(const struct kept_view *v, double entries,
			 enum verdict *verdict, struct failure *f);

#endif
