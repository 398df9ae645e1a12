/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hierarchy.h - the levels that translate one page size for one kind of access,
 * and what they share with other levels. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_TLB_SIDE_H
#define PROBE_PHYS_METHOD_TLB_SIDE_H

#include "method/tlb/search.h"

#define TLB_LEVELS 2

/**
 * TLB_ALL_MISSING - pages of this many times the ways leave none of them in the set,
 * under any policy
 */
#define TLB_ALL_MISSING 8

/** TLB_LEAST_PAGES - of a view that is opened for a question about few pages */
#define TLB_LEAST_PAGES 64

/**
 * struct tlb_level - one level
 * @tried: the rest was measured
 * @geometry: its array
 * @latency: cycles of a load whose translation is here, as reported
 * @miss: cycles that a miss here adds, as reported
 * @penalty_ticks: least time that a miss adds
 * @spacing: as of struct tlb_search
 * @result: index in hierarchy.tlbs; -1: not reported
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
 * struct tlb_hierarchy - all levels for one page size and kind of access
 * @page_bytes: page size; 0: there are no views of it
 * @executable: fetches, not loads
 * @by_returns: fetches were timed by mispredicted returns, not by jumps
 * @levels: nearest first
 * @splintered_bytes: size of the pieces that pages are entered in; 0: none were
 *                    seen
 * @whole: it was seen that pages are entered whole
 * @few: few pages are enough: they are entered in pieces, or a hypervisor splinters them
 *       where they are loaded from
 */
struct tlb_hierarchy {
	uint64_t page_bytes;
	bool executable;
	bool by_returns;
	struct tlb_level levels[TLB_LEVELS];
	uint64_t splintered_bytes;
	bool whole;
	bool few;
};

/**
 * tlb_hierarchy_measure() - geometry and latencies
 *
 * @tlbs->page_bytes, @tlbs->executable and @tlbs->few are set. Few pages show the
 * first level alone.
 * Return: 0; -EOPNOTSUPP: there are no such views; or another -errno with @f
 * set.
 */
int tlb_hierarchy_measure(struct tlb_hierarchy *tlbs, struct prober *p,
			  const struct cache_result *cache, struct failure *f);

/**
 * tlb_hierarchy_open_view() - tlb_view_open() for this page size and kind of
 * access
 * @pages: wanted at most
 */
int tlb_hierarchy_open_view(const struct tlb_hierarchy *tlbs, struct prober *p,
			    const struct cache_result *cache, uint64_t pages,
			    bool contiguous, struct tlb_view *v,
			    struct failure *f);

/**
 * tlb_failure() - whether an error leaves one question undecided, not the
 * others
 *
 * A view is too short or not available, or no sample was undisturbed.
 * Return: 0 for these errors; @error otherwise.
 */
int tlb_failure(int error);

/** tlb_lines_of() - lines that a cache holds; 0: not known */
uint64_t tlb_lines_of(const struct cache_result *c);

/**
 * tlb_find_splintered() - whether large pages are entered in pieces
 * @tlbs: its first level is measured, or that of @smaller was found
 * @smaller: the levels of a smaller page size, for the same kind of access
 */
int tlb_find_splintered(struct tlb_hierarchy *tlbs,
			const struct tlb_hierarchy *smaller, struct prober *p,
			const struct cache_result *cache, struct failure *f);

/**
 * struct tlb_array - one level of a hierarchy
 * @tlbs: the hierarchy
 * @level: 0 is the first
 */
struct tlb_array {
	const struct tlb_hierarchy *tlbs;
	int level;
};

/** tlb_counter_of() - what counts misses of a level; MACHINE_COUNTERS: nothing */
enum machine_counter tlb_counter_of(bool executable, int level);

/**
 * enum tlb_sharing - whether sweeping one array evicts translations of another
 */
enum tlb_sharing {
	TLB_SHARING_UNKNOWN,
	TLB_SHARED,
	TLB_APART,
};

/**
 * tlb_find_shared() - whether two arrays are one
 *
 * Translations of one array are timed after those of the other were swept
 * through. Both geometries must have been found.
 */
int tlb_find_shared(struct tlb_array kept, struct tlb_array swept,
		    struct prober *p, const struct cache_result *cache,
		    enum tlb_sharing *sharing, struct failure *f);

/**
 * tlb_find_coalesced() - pages that one entry of the first level translates
 * when their frames are contiguous
 * @entries: (in and out) undecided when the paper's sequences, on contiguous
 *           memory, contradict it
 */
int tlb_find_coalesced(const struct tlb_hierarchy *tlbs, struct prober *p,
		       const struct cache_result *cache,
		       struct parameter *coalesced, struct parameter *entries,
		       struct failure *f);

#endif
