/* SPDX-License-Identifier: GPL-2.0 */
/* level.h - one level, of caches or of TLBs. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_AMP_LEVEL_H
#define PROBE_PHYS_METHOD_AMP_LEVEL_H

#include "method/amp/decide.h"
#include "method/counter/selftest.h"

/**
 * struct amp_run - a measurement
 * @p: machine and random numbers
 * @wanted: the parts to measure
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
 * amp_choose_counter() - the believed counter of an event, or one of stores
 * @row: its counter is set; without any, its parameters become unavailable
 *       (N/C), with the reason
 * @stores: (out) it counts stores
 * Return: MACHINE_COUNTERS: none.
 */
enum machine_counter amp_choose_counter(const struct amp_run *run,
					enum machine_counter role,
					struct amp_row *row, bool *stores);

/**
 * amp_leave_open() - set all parameters of a row without an answer to
 * undecided, with a printf-like reason
 */
void amp_leave_open(struct amp_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** amp_measured() - a value that the sequential test decided by counters */
void amp_measured(struct parameter *p, double value, double bound);

/**
 * amp_cannot() - leave a parameter undecided that this machine cannot measure
 * @error: -EAGAIN: the reason is in @f, which is cleared
 * Return: 0 for -EAGAIN; @error otherwise.
 */
int amp_cannot(struct amp_parameter *to, int error, struct failure *f);

/**
 * amp_conclude_unanimous() - decide by votes that must all agree, at rules.alpha
 * @why: reason if they do not
 */
void amp_conclude_unanimous(const struct amp_run *run, struct amp_parameter *to,
			    const char *why);

/** amp_progress() - report which parameter of a row is measured now */
void amp_progress(struct prober *p, const struct amp_row *row,
		  const char *what);

/** amp_leave_below() - leave a row undecided because the one before it is */
void amp_leave_below(struct amp_row *row);

/**
 * amp_outlive() - end a level: if its counter has stopped, its remaining
 * parameters are undecided, and other levels go on
 * @error: of the level
 * Return: @error, or 0 for -ENODATA.
 */
int amp_outlive(const struct amp_space *space, struct amp_row *row, int error,
		struct failure *f);

/**
 * amp_append() - append to the reason of an undecided parameter; printf-like
 */
void amp_append(struct parameter *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * amp_add_reason() - append to the reasons of all undecided parameters of a
 * row; printf-like
 */
void amp_add_reason(struct amp_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * amp_decide_geometry() - size and ways, by the tests and by votes
 * @space: its unit is set
 * @first: first hypothesis of the size, in units
 * @g: (out) the decision; 0: undecided in @row
 * Return: as amp_count().
 */
int amp_decide_geometry(const struct amp_run *run, struct amp_space *space,
			struct amp_row *row, uint64_t first,
			struct amp_geometry *g, struct failure *f);

/**
 * amp_find_page() - page size of a TLB, from the misses of a row of pages
 * @page_bytes: size of the mapped pages
 * @level: of the TLB
 * @executable: jumps, not loads
 * @to: (out) votes, and the decision of the sequential test
 * Return: as amp_decide_geometry(); -EOPNOTSUPP, -ENOSPC or -ENOMEM: no such
 * view.
 */
int amp_find_page(struct amp_space *space, uint64_t page_bytes, int level,
		  bool executable, struct amp_parameter *to, struct failure *f);

/**
 * amp_measure_caches() - data caches, nearest first. Return: as amp_measure().
 */
int amp_measure_caches(const struct amp_run *run, struct failure *f);

/**
 * amp_measure_code() - the first instruction cache, if it is separate
 *
 * Sizes and ways rest on the sequential test, whatever rule decides elsewhere.
 */
int amp_measure_code(const struct amp_run *run, struct failure *f);

/**
 * amp_measure_tlbs() - TLBs of the smallest pages, for loads and for fetches
 * @first: the first level of cache as far as it is known
 */
int amp_measure_tlbs(const struct amp_run *run,
		     const struct cache_result *first, struct failure *f);

#endif
