/* SPDX-License-Identifier: GPL-2.0 */
/* stages.h - what eviction sets show of a level, stage by stage, and its result. */
#ifndef PROBE_PHYS_METHOD_EVSET_STAGES_H
#define PROBE_PHYS_METHOD_EVSET_STAGES_H

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

/**
 * evset_measure_ways() - minimal sets, until EVSET_AGREED of them have as many
 * lines
 * @r: (in, out) the ways, a set and those that agree; ways 0: the reason
 *
 * In splintered pages sets have to be of different pages, and are moved to find
 * larger ones (evset_ways_recheck()). Clusters that they were found in are left
 * in @e, whatever is returned: evset_cluster_pools_end().
 * Return: 0 or the oracle's -errno.
 */
int evset_measure_ways(struct evset_machine *e, struct evset_found *r,
		       struct failure *f);

/**
 * evset_control_misses() - do control lines miss that should hit?
 * @sets: EVSET_AGREED minimal ones, with evictors
 * @outcome: (out) OUTCOME_VOID: control lines take longer than half of a minimal set
 *
 * Half of a set's lines fit for sure. If they take clearly less than their
 * control lines, these miss: of some twenty lines of scattered pages chance
 * puts more than four into one of sixteen sets once in ten. Beside such a
 * control a list seems to miss less than it does.
 * Return: 0 or the oracle's -errno.
 */
int evset_control_misses(struct evset_machine *e, const struct evset_set *sets,
			 enum outcome *outcome, struct failure *f);

/** EVSET_MORE - lines of a set beyond a minimal one, for the counts that check
 * it
 */
#define EVSET_MORE 4

/** evset_gather_more() - lines of the set of a minimal one that are not in it
 * @more: (out) room for EVSET_MORE; *count of them, fewer if lines are rare
 * Return: 0 or the oracle's -errno.
 */
int evset_gather_more(struct evset_machine *e, const struct evset_set *set,
		      uint64_t *more, size_t *count, struct failure *f);

/** evset_ways_crosscheck() - do other counts of the ways agree with a minimal
 * set?
 * @sets: verified, of as many lines each; @count of them. If one is contended
 *        the next one is tried, or in splintered pages one that is moved in its
 *        pages; (out) the first one agrees
 * @ways: (out) A: any A lines of the set are compact, and at most A lines of a
 *        longer list hit; 0: @reason says why
 * Return: 0 or the oracle's -errno.
 */
int evset_ways_crosscheck(struct evset_machine *e, struct evset_set *sets,
			  size_t count, uint64_t *ways, char *reason,
			  size_t size, struct failure *f);

/** evset_is_still_minimal() - by one question, also of an interrupted run */
bool evset_is_still_minimal(struct evset_machine *e,
			    const struct evset_set *set);

/**
 * evset_ways_recheck() - a minimal set of more lines, where a known one is
 * moved in its pages
 * @set: verified
 * @larger: (out) verified; count 0: at none of some places
 *
 * A neighbour takes room from a set and never adds any: if lines overflow a set
 * here and fit in another one there, there are more ways, provided that some
 * more lines of the same set overflow the other one. If these fit, too, the
 * index may not be linear in a page, and nothing is known.
 * Return: 0 or the oracle's -errno.
 */
int evset_ways_recheck(struct evset_machine *e, const struct evset_set *set,
		       struct evset_set *larger, struct failure *f);

/** evset_measure_line() - line size of the level
 * @bytes: (out) 0: @reason says why
 * Return: 0 or the oracle's -errno.
 */
int evset_measure_line(struct evset_machine *e, const struct evset_set *set,
		       uint64_t *bytes, char *reason, size_t size,
		       struct failure *f);

/**
 * index_of_level() - masks and kind of a level's index
 * @set: a verified eviction set
 * @line_bytes: line size
 * @pairs: fresh pairs to predict afterwards, 0: none
 * @found: (out) INDEX_UNKNOWN with a reason if it is undecided, also if no
 *         address is known or too many predictions are wrong
 *
 * In a virtual machine bits above those of a page are not varied: how the host
 * places its pages is unknown.
 * Return: 0 or -errno with @f set.
 */
int index_of_level(struct evset_machine *e, const struct evset_set *set,
		   uint64_t line_bytes, size_t pairs,
		   struct index_function *found, struct failure *f);

#endif
