/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oracle.h - eviction sets: is a list of lines compact?
 * Must not know how lists are chosen: no search, no sorting, no counting.
 * Called by the floors above (minimal, sort, count) and by method/set.
 * Returns verdicts, by counters or by time, and misses of lists.
 * Errors: -EAGAIN (noisy), -EINTR (stopped), -ENOMEM, or the machine's.
 *
 * The only question is the compactness of an explicit list of lines, walked
 * cyclically. More lines of one set than it has ways are not compact, and
 * dropping lines never makes a compact list non-compact; so the smallest
 * non-compact list is A + 1 lines of one set, whatever the index is.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_ORACLE_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_ORACLE_H

#include "method/level/level.h"

/** EVSET_MOST_WAYS - ways of the largest set that is found */
#define EVSET_MOST_WAYS 64
/** EVSET_MOST_EVICTORS - enough for any level above */
#define EVSET_MOST_EVICTORS 256

/**
 * struct evset_oracle - decides whether a list of lines is compact
 * @compact: *verdict of @count lines. @final: an answer that may be published
 *           and draws its error; otherwise a quick one that is wrong now and
 *           then, and draws none: it only chooses lists for final answers.
 *           Return: 0 or -errno with @f set
 * @pause: lets some time pass, in which contention may end; NULL: there is none
 * @context: first argument of both
 * @upper_evictors: lines that evict those above: shorter lists hit in levels
 *                  above; 0 or 1: there is no level above
 * @more_evictors: sets get half as many evictors again, so that lists are long
 *                 enough to have control lines of their own pages
 * @together: lines at the beginning of a list that are visited in a row, so
 *            that the lines behind them evict from the levels above
 * @in_order: the rest is visited in the order of the list
 * @tests: lists tested so far
 * @accesses: lines of all of them
 */
struct evset_oracle {
	int (*compact)(void *context, const uint64_t *lines, size_t count,
		       bool final, enum verdict *verdict, struct failure *f);
	void (*pause)(void *context);
	void *context;
	size_t upper_evictors;
	bool more_evictors;
	size_t together;
	bool in_order;
	uint64_t tests;
	uint64_t accesses;
};

/** evset_holds() - is a line among others? */
static inline bool evset_holds(const uint64_t *lines, size_t count,
			       uint64_t line)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i] == line)
			return true;
	return false;
}

/** evset_ask() - the oracle's verdict, counted; no lines are compact without a
 * question
 */
int evset_ask(struct evset_oracle *o, const uint64_t *lines, size_t count,
	      bool final, enum verdict *verdict, struct failure *f);

/** evset_pause() - some time, in which contention may end */
void evset_pause(const struct evset_oracle *o);

/**
 * struct evset_set - a minimal set and the lines that evict it from levels
 * above
 * @lines: congruent lines, none of which can be left out
 * @count: their number, A + 1
 * @evictors: lines of other sets of this level, but of the same sets of the
 *            levels above, enough to evict from there
 * @evictor_count: their number
 */
struct evset_set {
	uint64_t lines[EVSET_MOST_WAYS + 1];
	size_t count;
	uint64_t evictors[EVSET_MOST_EVICTORS];
	size_t evictor_count;
};

/** evset_evictors_wanted() - evictors of a set: twice as many as evict from the
 * levels above, more if o->more_evictors
 */
size_t evset_evictors_wanted(const struct evset_oracle *o);

/** evset_with_evictors() - @count lines, the evictors of @set behind them
 * @list: (out) room for both
 * Return: their number.
 */
size_t evset_with_evictors(const struct evset_set *set, const uint64_t *lines,
			   size_t count, uint64_t *list);

/** evset_set_holds() - is a line one of a set or of its evictors? */
static inline bool evset_set_holds(const struct evset_set *set, uint64_t line)
{
	return evset_holds(set->lines, set->count, line) ||
	       evset_holds(set->evictors, set->evictor_count, line);
}

/** evset_ask_set() - @lines beside the evictors of @set */
int evset_ask_set(struct evset_oracle *o, const struct evset_set *set,
		  const uint64_t *lines, size_t count, bool final,
		  enum verdict *verdict, struct failure *f);

/** evset_overflows() - is a set not compact with all of its lines?
 * @outcome: (out) OUTCOME_DECIDED: it is not compact; OUTCOME_OPEN: it is, or
 *           undecided
 */
int evset_overflows(struct evset_oracle *o, const struct evset_set *set,
		    bool final, enum outcome *outcome, struct failure *f);

/**
 * evset_congruent() - does a line share the set of a minimal one?
 * @set: a verified one
 * @line: offset of a line that shares the sets of the levels above with it
 * @final: as of struct evset_oracle
 * @verdict: (out) NON_COMPACT: it is congruent; COMPACT: it is not
 *
 * The question is the set with one of its lines replaced.
 * Return: 0 or the oracle's -errno.
 */
int evset_congruent(struct evset_oracle *o, const struct evset_set *set,
		    uint64_t line, bool final, enum verdict *verdict,
		    struct failure *f);

/**
 * evset_any_congruent() - is one of many lines congruent?
 * @count: of @lines; beside @set without its last line they have to be compact
 *         unless one of them is congruent. They are visited in their order,
 *         after the evictors in theirs
 */
int evset_any_congruent(struct evset_oracle *o, const struct evset_set *set,
			const uint64_t *lines, size_t count, bool final,
			enum verdict *verdict, struct failure *f);

#endif
