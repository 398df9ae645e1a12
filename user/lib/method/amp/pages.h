/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pages.h - replacement in TLBs, and whether code and data share one (sections
 * 3.5, 3.6 and 3.10). Private to this folder.
 *
 * Single pages cannot be flushed, and a measured view may be the only way to
 * lay a walk out. So other pages evict entries, and a question about
 * replacement is one sequence.
 */
#ifndef PROBE_PHYS_METHOD_AMP_PAGES_H
#define PROBE_PHYS_METHOD_AMP_PAGES_H

#include "method/amp/share.h"

/**
 * struct amp_pages - pages of a view that are visited several times
 * @view: the view
 * @words: words per page, one for each visit
 */
struct amp_pages {
	struct view *view;
	uint64_t words;
};

/**
 * amp_pages_open() - open a view of @count pages on as few frames as possible
 * Return: 0; -EAGAIN with the reason in @f: there are no such views; or -errno.
 */
int amp_pages_open(struct amp_space *space, uint64_t page_bytes, uint64_t count,
		   uint64_t words, bool executable, struct amp_pages *pages,
		   struct failure *f);
void amp_pages_close(struct amp_pages *pages);

/** amp_pages_offset() - offset of a word of a page */
uint64_t amp_pages_offset(const struct amp_pages *pages, uint64_t page,
			  uint64_t word);

/**
 * struct amp_array - a TLB whose entries and ways are known
 * @space: of the level
 * @geometry: of the level
 * @row: its results
 * @above: entries of the level above; 0: none
 * @above_repeats: the level above always evicts the same entry
 * @executable: fetches, not loads
 */
struct amp_array {
	struct amp_space *space;
	const struct amp_geometry *geometry;
	struct amp_row *row;
	size_t above;
	bool above_repeats;
	bool executable;
};

/** amp_find_tlb_replacement() - as amp_find_replacement() */
int amp_find_tlb_replacement(const struct amp_run *run,
			     const struct amp_array *a, struct failure *f);

/**
 * amp_find_tlb_unified() - as amp_find_unified(); for code: whether data evicts
 * it
 */
int amp_find_tlb_unified(const struct amp_run *run, const struct amp_array *a,
			 struct failure *f);

#endif
