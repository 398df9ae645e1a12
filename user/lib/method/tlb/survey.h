/* SPDX-License-Identifier: GPL-2.0 */
/*
 * survey.h - all translation arrays of a machine: what was found of each, and
 * how findings become results. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_TLB_SURVEY_H
#define PROBE_PHYS_METHOD_TLB_SURVEY_H

#include "method/tlb/side.h"

enum {
	LOADS,
	FETCHES,
	SIDES
};

/**
 * struct survey - everything about translation
 * @p: the measurement
 * @h: where results go
 * @cache: first-level data cache
 * @sides: by page size, loads and fetches; page_bytes 0: no such views
 * @sizes: page sizes
 */
struct survey {
	struct prober *p;
	struct hierarchy *h;
	const struct cache_result *cache;
	struct tlb_side sides[MACHINE_PAGE_SIZES][SIDES];
	size_t sizes;
};

/** tlb_result_of() - where the array is reported; NULL: nowhere */
struct tlb_result *tlb_result_of(struct survey *s, struct tlb_array a);

/** tlb_has_views() - pages of this size can be had */
bool tlb_has_views(const struct tlb_side *side);

/** tlb_is_measurable() - its geometry was found, and is that of such pages */
bool tlb_is_measurable(const struct survey *s, const struct tlb_side *side,
		       int level);

/** tlb_report_level() - add level @number to the results, if there is one
 * @type: "data", "instruction"
 */
void tlb_report_level(struct survey *s, struct tlb_side *side, int number,
		      const char *type);

/** tlb_report_unknown_cache() - all is undecided: words cannot be laid such that
 * they hit in a cache whose geometry is not known
 */
void tlb_report_unknown_cache(struct survey *s);

/**
 * tlb_report_fetches() - levels of fetches: of their own, or those of loads
 * @size: place of the page size
 * Return: 0, -EINTR, or another -errno with @f set; so do the next ones.
 */
int tlb_report_fetches(struct survey *s, size_t size, struct failure *f);

/** tlb_match_sizes() - which arrays two page sizes share */
int tlb_match_sizes(struct survey *s, size_t i, size_t j, struct failure *f);

/** tlb_report_coalesced() - pages of one entry of the smallest pages' array */
int tlb_report_coalesced(struct survey *s, struct failure *f);

#endif
