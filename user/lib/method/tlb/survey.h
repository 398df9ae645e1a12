/* SPDX-License-Identifier: GPL-2.0 */
/*
 * survey.h - all translation arrays of a machine, and how findings become
 * results. Private to this folder.
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
 * struct tlb_survey - all translation arrays
 * @p: the measurement
 * @h: results
 * @cache: first-level data cache
 * @all: by page size, for loads and fetches; page_bytes 0: no such views
 * @sizes: page sizes
 */
struct tlb_survey {
	struct prober *p;
	struct hierarchy *h;
	const struct cache_result *cache;
	struct tlb_hierarchy all[MACHINE_PAGE_SIZES][SIDES];
	size_t sizes;
};

/** tlb_result_of() - the result of an array; NULL: not reported */
struct tlb_result *tlb_result_of(struct tlb_survey *s, struct tlb_array a);

/** tlb_has_views() - whether pages of this size are available */
bool tlb_has_views(const struct tlb_hierarchy *tlbs);

/**
 * tlb_is_measurable() - whether a geometry was found, and is one of whole pages
 */
bool tlb_is_measurable(const struct tlb_survey *s,
		       const struct tlb_hierarchy *tlbs, int level);

/**
 * tlb_report_level() - add level @number to the results, if it exists
 * @type: "data" or "instruction"
 */
void tlb_report_level(struct tlb_survey *s, struct tlb_hierarchy *tlbs,
		      int number, const char *type);

/**
 * tlb_report_unknown_cache() - report all arrays as undecided, because the
 * geometry of the first cache is unknown
 */
void tlb_report_unknown_cache(struct tlb_survey *s);

/**
 * tlb_report_fetches() - report levels of fetches: their own, or those of loads
 * @size: index of the page size
 * Return: 0; -EINTR; or another -errno with @f set; the next two alike.
 */
int tlb_report_fetches(struct tlb_survey *s, size_t size, struct failure *f);

/**
 * tlb_measure_side() - measure the levels of one page size, for loads or for fetches
 * Return: 0, also where pages of that size are not to be had, which a note says; -EINTR
 */
int tlb_measure_side(struct tlb_survey *s, size_t size, int which);

/**
 * tlb_measure_last() - the last arrays of a page size by accessed bits, added to the
 * results or compared with them
 */
int tlb_measure_last(struct tlb_survey *s, size_t size, struct failure *f);

/** tlb_match_sizes() - find the arrays that two page sizes share */
int tlb_match_sizes(struct tlb_survey *s, size_t i, size_t j,
		    struct failure *f);

/**
 * tlb_report_coalesced() - report the pages that one entry of the smallest
 * pages' array translates
 */
int tlb_report_coalesced(struct tlb_survey *s, struct failure *f);

#endif
