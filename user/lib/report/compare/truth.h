/* SPDX-License-Identifier: GPL-2.0 */
/*
 * truth.h - the values that results are compared with: those of a simulated
 * machine, or the documented ones of a real machine. Data accesses only.
 */
#ifndef PROBE_PHYS_REPORT_COMPARE_TRUTH_H
#define PROBE_PHYS_REPORT_COMPARE_TRUTH_H

#include "model/profile/profile.h"
#include "report/documented.h"
#include "result/result.h"

/**
 * struct truth_cache - one level; NAN: not known
 * @usable_bytes: capacity that a program can use: more than the capacity in a
 *                level that holds only lines evicted from the levels above,
 *                less where lines are reserved
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
 * @latency_cycles: added cost of an access that finds its translation here and
 *                  not in the level above
 */
struct truth_tlb {
	int level;
	uint64_t page_bytes;
	double entries;
	double ways;
	double latency_cycles;
};

/**
 * struct truth - of one machine
 * @exact: values of a simulated machine; otherwise documented ones
 * @caches: caches that serve loads, nearest first; @cache_count of them, 0: not
 *          known
 * @tlbs: TLBs that serve loads; @tlb_count of them
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

/** truth_of_profile() - values of a simulated machine
 *
 * The usable capacity is the one in the profile's "expect", else the level's
 * capacity.
 */
void truth_of_profile(struct truth *t, const struct profile *p);

/** truth_of_documents() - documented values of a real machine */
void truth_of_documents(struct truth *t, const struct documented *d);

/** truth_find_tlb() - NULL: there is none, or it is not documented */
const struct truth_tlb *truth_find_tlb(const struct truth *t, int level,
				       uint64_t page_bytes);

#endif
