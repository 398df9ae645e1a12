/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oracle.h - eviction sets: congruence found by trying, for levels whose index
 * no stride can follow.
 *
 * The only question is the compactness of an explicit list of lines, walked
 * cyclically. More lines of one set than it has ways are not compact, and
 * dropping lines never makes a compact list non-compact; so the smallest
 * non-compact list is A + 1 lines of one set, whatever the index is. The search
 * is the one for the last straw (Zhao et al., ASPLOS 2024), turned to lists
 * that conflict among themselves: no line has to be timed alone.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_ORACLE_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_ORACLE_H

#include "method/level/level.h"

/** EVSET_MOST_WAYS - no larger set is looked for */
#define EVSET_MOST_WAYS 64
/** EVSET_MOST_EVICTORS - enough for any level above */
#define EVSET_MOST_EVICTORS 256

/**
 * struct evset_oracle - answers whether a list of lines is compact
 * @compact: *verdict for @count lines; @final: an answer that may be
 *           published, otherwise a quick one that may be wrong now and then:
 *           it draws no error, as it only chooses lists that sure answers judge.
 *           Return: 0 or -errno with @f set
 * @pause: lets some time pass, in which who disturbs may go; NULL: nobody does
 * @context: first argument of both
 * @upper_evictors: lists shorter than this tell nothing of the level, since levels
 *            above hold them; 0 or 1: none is
 * @more_evictors: half as much again clears them, so that lists are long enough
 *                to be compared with lines of their own pages
 * @together: the first so many lines of a list are visited in a row, so that
 *            what comes after them clears the levels above
 * @in_order: and the rest in the order that it is given in
 * @tests: lists asked for
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

/** evset_ask() - the oracle's answer, counted; of no lines, which are always
 * compact, it is not asked
 */
int evset_ask(struct evset_oracle *o, const uint64_t *lines, size_t count,
	      bool final, enum verdict *verdict, struct failure *f);

/** evset_pause() - let who disturbs go */
void evset_pause(const struct evset_oracle *o);

/**
 * struct evset_set - a minimal set and what goes with it
 * @lines: congruent lines, none of which can be left out
 * @count: their number, A + 1
 * @evictors: lines of other sets of this level, but of the same ones in the
 *           levels above: enough to clear them
 * @evictor_count: their number
 */
struct evset_set {
	uint64_t lines[EVSET_MOST_WAYS + 1];
	size_t count;
	uint64_t evictors[EVSET_MOST_EVICTORS];
	size_t evictor_count;
};

/** evset_evictors_wanted() - lines of padding: twice as many as clear the levels above, more
 * where they are known to fit
 */
size_t evset_evictors_wanted(const struct evset_oracle *o);

/** evset_with_evictors() - @count lines, the padding of @set behind them
 * @list: (out) room for both
 * Return: their number.
 */
size_t evset_with_evictors(const struct evset_set *set, const uint64_t *lines,
			   size_t count, uint64_t *list);

/** evset_ask_set() - @lines beside the padding of @set */
int evset_ask_set(struct evset_oracle *o, const struct evset_set *set,
		  const uint64_t *lines, size_t count, bool final,
		  enum verdict *verdict, struct failure *f);

/**
 * evset_congruent() - whether a line shares the set of a minimal one
 * @set: a verified one
 * @line: offset of a line that shares the sets of the levels above with it
 * @final: as of struct evset_oracle
 * @verdict: (out) non-compact: congruent; compact: it is not
 *
 * Asks for the set with one of its lines replaced.
 * Return: 0 or the oracle's -errno.
 */
int evset_congruent(struct evset_oracle *o, const struct evset_set *set,
		    uint64_t line, bool final, enum verdict *verdict,
		    struct failure *f);

/**
 * evset_any_congruent() - the same of many lines: is one of them?
 * @count: of @lines; they must be compact beside @set without its last line
 *         unless one of them is congruent. They are visited in their order,
 *         after the padding in its own
 */
int evset_any_congruent(struct evset_oracle *o, const struct evset_set *set,
			const uint64_t *lines, size_t count, bool final,
			enum verdict *verdict, struct failure *f);

#endif
