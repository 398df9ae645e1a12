/* SPDX-License-Identifier: GPL-2.0 */
/* tlbs.h - the levels that translate one page size for one kind of access,
 * and what they share with others.
 */
#ifndef PROBE_PHYS_METHOD_TLB_SIDE_H
#define PROBE_PHYS_METHOD_TLB_SIDE_H

#include "method/tlb/search.h"

#define TLB_LEVELS 2

/** TLB_LEAST_PAGES - of a view that is opened for a question about few pages */
#define TLB_LEAST_PAGES 64

/**
 * struct tlb_level - one level
 * @tried: the rest was measured
 * @geometry: its array
 * @latency: what finding a translation here costs, parameter of the report
 * @miss: the same of not finding it
 * @penalty_ticks: of a miss, at least
 * @spacing: as of struct tlb_search
 * @result: place in hierarchy.tlbs, -1: none
 */
struct tlb_level {
	bool tried;
	struct tlb_geometry geometry;
	struct parameter latency;
	struct parameter miss;
	double penalty_ticks;
	uint64_t spacing;
	int result;
};

/**
 * struct tlb_hierarchy - all levels
 * @page_bytes: of the pages
 * @executable: fetches, not loads
 * @levels: nearest first
 * @splintered_bytes: pages are entered in pieces of this size; 0: none were seen
 * @whole: that they are not was seen
 */
struct tlb_hierarchy {
	uint64_t page_bytes;
	bool executable;
	struct tlb_level levels[TLB_LEVELS];
	uint64_t splintered_bytes;
	bool whole;
};

/** tlb_hierarchy_measure() - geometry and latencies; page_bytes and executable are
 * set. Return: 0 or -errno; -EOPNOTSUPP: there are no such views.
 */
int tlb_hierarchy_measure(struct tlb_hierarchy *tlbs, struct prober *p,
			  const struct cache_result *cache, struct failure *f);

/**
 * tlb_hierarchy_open_view() - tlb_view_open() for pages and accesses of this tlbs
 * @pages: wanted at most
 */
int tlb_hierarchy_open_view(const struct tlb_hierarchy *tlbs, struct prober *p,
			    const struct cache_result *cache, uint64_t pages,
			    bool contiguous, struct tlb_view *v,
			    struct failure *f);

/**
 * tlb_untold() - the errors that leave a question open, but not the others
 *
 * A view is too short or not to be had, or no sample was undisturbed.
 * Return: 0 for these; @error otherwise.
 */
int tlb_untold(int error);

/** tlb_lines_of() - lines that a cache holds; 0: not known */
uint64_t tlb_lines_of(const struct cache_result *c);

/**
 * tlb_find_splintered() - whether large pages are entered in pieces
 * @smaller: the same tlbs of a smaller page size
 */
int tlb_find_splintered(struct tlb_hierarchy *tlbs,
			const struct tlb_hierarchy *smaller, struct prober *p,
			const struct cache_result *cache, struct failure *f);

/**
 * struct tlb_array - one level of one tlbs
 * @tlbs: the tlbs
 * @level: 0 is the first
 */
struct tlb_array {
	const struct tlb_hierarchy *tlbs;
	int level;
};

/**
 * tlb_check_later() - does one page more than its ways fit into an array?
 * @more: (out) it does: somebody else held room there while it was measured
 * Return: 0, also where that cannot be asked; -EINTR; another -errno with @f
 * set.
 */
int tlb_check_later(struct tlb_array a, struct prober *p,
		    const struct cache_result *cache, bool *more,
		    struct failure *f);

/** enum tlb_sharing - what became of one array's translations while another
 * one was swept
 */
enum tlb_sharing {
	TLB_SHARING_UNKNOWN,
	TLB_SHARED,
	TLB_APART,
};

/**
 * tlb_find_shared() - whether two arrays are one
 *
 * What is left of the one's translations (the residue) when the other's have
 * been swept through? Both geometries must have been found.
 */
int tlb_find_shared(struct tlb_array kept, struct tlb_array swept,
		    struct prober *p, const struct cache_result *cache,
		    enum tlb_sharing *sharing, struct failure *f);

/**
 * tlb_find_coalesced() - pages of one entry of the first level, when their
 * frames lie in a row
 * @entries: (in and out) undecided when sequences of the paper's kind, on
 *           contiguous memory, contradict it
 */
int tlb_find_coalesced(const struct tlb_hierarchy *tlbs, struct prober *p,
		       const struct cache_result *cache,
		       struct parameter *coalesced, struct parameter *entries,
		       struct failure *f);

#endif
