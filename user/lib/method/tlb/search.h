/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - entries, ways and sets of one level of translation. */
#ifndef PROBE_PHYS_METHOD_TLB_SEARCH_H
#define PROBE_PHYS_METHOD_TLB_SEARCH_H

#include "method/tlb/view.h"
#include "observe/decision.h"

/**
 * struct tlb_geometry - what the search found
 * @found: the rest holds
 * @entries: translations
 * @ways: of one set
 * @sets: of a hashed array too
 * @index: linear, modulo or hashed
 * @conflict: pages this far apart share a set
 * @group: adjacent pages, so many, share a set
 * @absent: nothing is slower than what hits here: there is no such level
 * @bound: sum of the errors of all tests that were made of it
 * @reason: in words, when not @found
 */
struct tlb_geometry {
	bool found;
	size_t entries;
	size_t ways;
	uint64_t sets;
	enum index_kind index;
	uint64_t conflict;
	uint64_t group;
	bool absent;
	double bound;
	char reason[256];
};

/**
 * struct tlb_search - the measurement of one level
 * @view: the pages
 * @upper: the level above; NULL: this is the first one
 * @counter: what counts misses of this level, or MACHINE_COUNTERS
 * @spacing: of columns, in sets of the level above; 0: 1
 * @hit_ticks: of a load that hits here and misses above
 * @dense_ticks: the same with full lines
 * @penalty_ticks: what a miss here costs at least, on top of that
 * @residue_ticks: by so much a load may be faster on average because the level
 *                 above still held some of the pages
 */
struct tlb_search {
	struct tlb_view *view;
	const struct tlb_geometry *upper;
	enum machine_counter counter;
	uint64_t spacing;
	double hit_ticks;
	double dense_ticks;
	double penalty_ticks;
	double residue_ticks;
};

/**
 * tlb_shape() - @count pages @stride apart, all missing in the level above
 *
 * As xray_shape(), but with enough columns that next to nothing survives there
 * under any policy. Columns are meant to lie in different sets of this level.
 */
struct shape tlb_shape(const struct tlb_search *x, uint64_t stride,
		       size_t count);

/**
 * tlb_control() - pages that miss in the level above and hit in this one
 * Only for lower levels: the first one's control are words of one page.
 */
struct shape tlb_control(const struct tlb_search *x);

/**
 * tlb_decide() - whether the pages of a shape are compact
 * @aligned: they begin where the view does
 * @unit: pages that share a miss: of that many one misses at least, if the
 *        shape is not compact
 * Return: 0; -ERANGE when the view is too short; -EINTR; another -errno with
 * @f set.
 */
int tlb_decide(struct tlb_search *x, const struct shape *w, bool aligned,
	       double unit, enum verdict *verdict, struct failure *f);

/**
 * tlb_find_geometry() - the level's entries and ways
 *
 * Ways from pages far apart, and the smallest distance that still is as bad
 * tells the sets. Entries must then fit in a row, and one more of each set
 * must not. Sets x->hit_ticks and x->penalty_ticks.
 * Return: 0, -EINTR, or another -errno with @f set.
 */
int tlb_find_geometry(struct tlb_search *x, struct tlb_geometry *g,
		      struct failure *f);

#endif
