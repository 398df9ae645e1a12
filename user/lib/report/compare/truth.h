/* SPDX-License-Identifier: GPL-2.0 */
/*
 * truth.h - what methods are held against: what a simulated machine is, or what
 * is documented of a real one. Of data accesses alone.
 */
#ifndef PROBE_PHYS_REPORT_COMPARE_TRUTH_H
#define PROBE_PHYS_REPORT_COMPARE_TRUTH_H

#include "model/profile/profile.h"
#include "report/documented.h"
#include "result/result.h"

/**
 * struct truth_cache - one level; NAN: not known
 * @usable_bytes: what a program can use of it: more than its capacity where it
 *                holds only what the levels above have thrown out, less where
 *                lines are reserved
 */
struct truth_cache {
	double capacity_bytes;
	double usable_bytes;
	double line_bytes;
	double ways;
	double latency_cycles;
};

/**
 * struct truth_tlb - one array for one page size; NAN: not known
 * @latency_cycles: what an access pays for finding its translation here and not
 *                  in the level above
 */
struct truth_tlb {
	int level;
	uint64_t page_bytes;
	double entries;
	double ways;
	double latency_cycles;
};

/**
 * struct truth - of a machine
 * @exact: it is true; otherwise it is documented
 * @caches: that loads pass, nearest first; @cache_count of them, 0: not known
 * @tlbs: that loads use; @tlb_count of them
 * @memory_latency_cycles: of a load that misses every cache
 */
struct truth {
	bool exact;
	struct truth_cache caches[PROFILE_MAX_CACHES];
	size_t cache_count;
	struct truth_tlb tlbs[PROFILE_MAX_TLBS * PROFILE_MAX_PAGE_SIZES];
	size_t tlb_count;
	double memory_latency_cycles;
};

/** truth_of_profile() - a simulated machine's
 *
 * What a program can use is said by the profile's "expect"; where it says
 * nothing it is the level's capacity.
 */
void truth_of_profile(struct truth *t, const struct profile *p);

/** truth_of_documents() - a real machine's, as far as it is documented */
void truth_of_documents(struct truth *t, const struct documented *d);

/** truth_find_tlb() - NULL: there is none, or it is not documented */
const struct truth_tlb *truth_find_tlb(const struct truth *t, int level,
				       uint64_t page_bytes);

#endif
