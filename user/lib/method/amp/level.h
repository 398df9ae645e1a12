/* SPDX-License-Identifier: GPL-2.0 */
/* level.h - one level, of caches or of TLBs, and who decides it. */
#ifndef PROBE_PHYS_METHOD_AMP_LEVEL_H
#define PROBE_PHYS_METHOD_AMP_LEVEL_H

#include "method/amp/decide.h"
#include "method/counter/selftest.h"

/** struct amp_run - a whole measurement
 * @p: whose machine
 * @wanted: of the user
 * @checks: of the counters
 * @r: (out) results
 */
struct amp_run {
	struct prober *p;
	const struct amp_wanted *wanted;
	const struct counter_checks *checks;
	struct amp_result *r;
};

/**
 * amp_choose_counter() - the believed counter of a role, or one of stores
 * @row: its counter is set; without any, its parameters become unavailable
 *       (N/C), with the reason
 * @stores: (out) it counts stores
 * Return: MACHINE_COUNTERS: none.
 */
enum machine_counter amp_choose_counter(const struct amp_run *run,
					enum machine_counter role,
					struct amp_row *row, bool *stores);

/** amp_leave_open() - all of a row that nothing is said of yet, printf-like
 * reason
 */
void amp_leave_open(struct amp_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** amp_progress() - tell what of a row is measured now */
void amp_progress(struct prober *p, const struct amp_row *row,
		  const char *what);

/** amp_leave_below() - leave a row open because the one before it is */
void amp_leave_below(struct amp_row *row);

/** amp_outlive() - the end of a level: where its counter is gone, what it was not
 * asked yet is left open, and others may do better
 * @error: of the level
 * Return: @error, or 0 for -ENODATA.
 */
int amp_outlive(const struct amp_space *space, struct amp_row *row, int error,
		struct failure *f);

/** amp_append() - to the reason of a parameter, if it is undecided; printf-like */
void amp_append(struct parameter *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** amp_add_reason() - to what a row has left open, printf-like */
void amp_add_reason(struct amp_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * amp_decide_geometry() - size and ways, votes and all
 * @space: its unit is set
 * @first: hypothesis of the size to begin with, in units
 * @g: (out) what was decided; 0: left open in @row
 * Return: as amp_count().
 */
int amp_decide_geometry(const struct amp_run *run, struct amp_space *space,
			struct amp_row *row, uint64_t first,
			struct amp_geometry *g, struct failure *f);

/**
 * amp_find_page() - page size of a TLB: what a row of pages misses
 * @page_bytes: that is mapped
 * @level: of the TLB
 * @executable: jumps are asked, not loads
 * @to: votes, and the decision of the sequential test
 * Return: as amp_decide_geometry(); -EOPNOTSUPP, -ENOSPC or -ENOMEM: no such
 * view.
 */
int amp_find_page(struct amp_space *space, uint64_t page_bytes, int level,
		  bool executable, struct amp_parameter *to, struct failure *f);

/** amp_measure_caches() - data side, nearest first. Return: as amp_measure(). */
int amp_measure_caches(const struct amp_run *run, struct failure *f);

/** amp_measure_code() - the first cache of code, where that is one of its own.
 * Sizes and ways rest on the sequential test, whatever votes decide elsewhere.
 */
int amp_measure_code(const struct amp_run *run, struct failure *f);

/** amp_measure_tlbs() - the same of translations of the smallest pages, of loads
 * and of fetches
 * @first: the first level of cache as far as it is known
 */
int amp_measure_tlbs(const struct amp_run *run,
		     const struct cache_result *first, struct failure *f);

#endif
