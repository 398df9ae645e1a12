/* SPDX-License-Identifier: GPL-2.0 */
/*
 * survey.h - all translation arrays of a machine: what was found of each, and
 * how findings become results. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_TLB_SURVEY_H
#define PROBE_PHYS_METHOD_TLB_SURVEY_H

#include "method/tlb/hierarchy.h"

enum {
	LOADS,
	FETCHES,
	SIDES
};

/**
 * struct tlb_survey - everything about translation
 * @p: the measurement
 * @h: where results go
 * @cache: first-level data cache
 * @all: by page size, loads and fetches; page_bytes 0: no such views
 * @sizes: page sizes
 */
struct tlb_survey {
	struct prober *p;
	struct hierarchy *h;
	const struct cache_result *cache;
	struct tlb_hierarchy all[MACHINE_PAGE_SIZES][SIDES];
	size_t sizes;
};

/** tlb_result_of() - where the array is reported; NULL: nowhere */
struct tlb_result *tlb_result_of(struct tlb_survey *s, struct tlb_array a);

/** tlb_has_views() - pages of this size can be had */
bool tlb_has_views(const struct tlb_hierarchy *tlbs);

/** tlb_is_measurable() - its geometry was found, and is that of such pages */
bool tlb_is_measurable(const struct tlb_survey *s,
		       const struct tlb_hierarchy *tlbs, int level);

/** tlb_report_level() - add level @number to the results, if there is one
 * @type: "data", "instruction"
 */
void tlb_report_level(struct tlb_survey *s, struct tlb_hierarchy *tlbs,
		      int number, const char *type);

/** tlb_report_unknown_cache() - all is undecided: words cannot be layout such that
 * they hit in a cache whose geometry is not known
 */
void tlb_report_unknown_cache(struct tlb_survey *s);

/**
 * tlb_report_fetches() - levels of fetches: of their own, or those of loads
 * @size: place of the page size
 * Return: 0, -EINTR, or another -errno with @f set; so do the next ones.
 */
int tlb_report_fetches(struct tlb_survey *s, size_t size, struct failure *f);

/** tlb_match_sizes() - which arrays two page sizes share */
int tlb_match_sizes(struct tlb_survey *s, size_t i, size_t j,
		    struct failure *f);

/** tlb_report_coalesced() - pages of one entry of the smallest pages' array */
int tlb_report_coalesced(struct tlb_survey *s, struct failure *f);

#endif
