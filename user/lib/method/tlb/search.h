/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - entries, ways and sets of one level of translation. */
#ifndef PROBE_PHYS_METHOD_TLB_SEARCH_H
#define PROBE_PHYS_METHOD_TLB_SEARCH_H

#include "method/tlb/view/view.h"
#include "observe/decision.h"

/**
 * struct tlb_geometry - the geometry of one level
 * @found: entries to group hold
 * @entries: translations
 * @ways: translations of one set
 * @sets: sets, of a hashed array too
 * @index: linear, modulo or hashed
 * @conflict: distance of pages that share a set, pages
 * @group: adjacent pages that share a set
 * @absent: no page misses here: there is no such level
 * @unseen: not @found because it may have more ways than a view has pages
 * @small: not @found because a miss costs so little, or is seen so seldom, that it
 *         may be the prediction of jumps
 * @bound: sum of the errors of all tests of this level
 * @reason: why it was not @found
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
	bool unseen;
	bool small;
	double bound;
	char reason[256];
};

/**
 * struct tlb_search - the measurement of one level
 * @view: the pages
 * @upper: the level above; NULL: this is the first one
 * @counter: counts misses of this level; MACHINE_COUNTERS: none does
 * @spacing: distance of columns, in sets of the level above; 0: 1
 * @hit_ticks: time of a load that hits here and misses above
 * @dense_ticks: the same with full lines
 * @penalty_ticks: least time that a miss here adds
 * @fits: elements of the longest sequence that was seen to fit
 * @residue_ticks: most time that a load may save on average because the level
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
	size_t fits;
	double residue_ticks;
};

/**
 * tlb_fewer_columns() - columns where sets have room for no more
 * @rows: pages of a column, all of which miss in the level above
 * @most: columns that there is room for
 * Return: @most; 0: so few would not sweep the level above.
 */
size_t tlb_fewer_columns(const struct tlb_search *x, size_t rows,
			 uint64_t most);

/**
 * tlb_shape() - @count pages @stride apart that all miss in the level above
 *
 * As xray_shape(), but with enough columns that next to nothing survives there
 * under any policy. Columns should lie in different sets of this level.
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
 * Ways come from pages far apart; the smallest distance at which one more page
 * than ways still misses is the number of sets. Then all entries must fit in a
 * row, and one more per set must not. Sets x->hit_ticks and x->penalty_ticks.
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int tlb_find_geometry(struct tlb_search *x, struct tlb_geometry *g,
		      struct failure *f);

#endif
