/* SPDX-License-Identifier: GPL-2.0 */
/* report.h - what eviction sets show of a level, and its result. */
#ifndef PROBE_PHYS_METHOD_EVSET_REPORT_H
#define PROBE_PHYS_METHOD_EVSET_REPORT_H

#include "method/evset/count/count.h"

/** EVSET_AGREED - verified sets that have to agree on the ways */
#define EVSET_AGREED 6

/**
 * struct evset_found - what is known of a level
 * @set: verified, of A + 1 lines
 * @agreed: sets that agree on the ways
 * @ways: 0: @reason says why
 * @line_bytes: 0: @line_reason says why
 * @found_ns: when the last set was found, by the machine's clock
 * @costly: finding sets took long, as it does under contention
 * @count: of its sets
 * @function: its index
 * @lines: of the set; @line_count of them
 * @alone: the levels above add nothing to a set
 * @drawn_before: alpha_drawn of the budget before the first test of the level
 * @ways_bound: on the error of @ways; of @line_bytes and of the sets likewise:
 *              all that was drawn until it was known
 */
struct evset_found {
	struct evset_set set;
	struct evset_set agreed[EVSET_AGREED];
	uint64_t ways;
	uint64_t line_bytes;
	double found_ns;
	bool costly;
	struct evset_count count;
	struct index_function function;
	uint64_t lines[RESULT_SET_LINES];
	size_t line_count;
	bool alone;
	double drawn_before;
	double ways_bound;
	double line_bound;
	double sets_bound;
	char reason[160];
	char line_reason[160];
};

/** evset_withdraw() - nothing is known of the level after all, but its set */
void evset_withdraw(struct evset_found *r, const char *why);

/** evset_say_undecided() - the reason of each parameter that has none yet */
void evset_say_undecided(struct evset_found *r, const char *why);

/** evset_drawn() - sum of the errors of all tests of the level so far */
double evset_drawn(const struct evset_machine *e, const struct evset_found *r);

/** evset_report() - into the result of a level */
void evset_report(const struct evset_machine *e, const struct evset_found *r,
		  struct cache_result *c);

#endif
