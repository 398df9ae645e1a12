/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - what the files of this folder share, from the bottom up. */
#ifndef PROBE_PHYS_METHOD_SURVIVORS_INTERNAL_H
#define PROBE_PHYS_METHOD_SURVIVORS_INTERNAL_H

#include "method/survivors/survivors.h"

/** SURVIVOR_PAGE_BYTES - pieces that may lie anywhere: no page is smaller */
#define SURVIVOR_PAGE_BYTES 4096
/** SURVIVOR_TARGETS - sets that are looked at together */
#define SURVIVOR_TARGETS 8
/** SURVIVOR_SET_LINES - most lines of a set: twice the most ways of any last level of
 * the machines in ../tests/machines (32), or nearly
 */
#define SURVIVOR_SET_LINES 60

/**
 * struct survivors - the question
 * @p: measurement
 * @above: the level whose sets are known
 * @place: of all lines, bytes in their pages
 * @deviation: of a single reading, by steps of the clock and other noise
 * @near_ticks: means of readings above this are of lines that have left the level above
 * @least_ticks: single readings up to this are of lines that have not
 * @below_ticks: what a load that hits below takes
 * @far_ticks: readings above this are of lines that come from memory
 * @most_ticks: cap of a reading
 * @first_looks: at any line, and those that most lines of the set pass
 * @member_looks: at one that has passed, and those that no other line passes
 * @push: lines of one set of the level above, which push others out of it; those
 *        that eviction sets found, and of other sets of the level while one is counted
 * @members: others of that set, in random order; @member_count of them
 * @lines: those of them that are looked at now; @count of them
 * @pages: of the machine's memory, in random order; @page_count, of which
 *         @pages_seen are sorted
 * @too_many: more lines read as if they were of that set than can be
 * @last_access: of the machine's; then it is over
 * @left: lines that the last look has left in the level
 */
struct survivors {
	struct prober *p;
	const struct cache_result *above;
	uint64_t place;
	double deviation;
	double near_ticks;
	double least_ticks;
	double below_ticks;
	double far_ticks;
	double most_ticks;
	unsigned int first_looks;
	unsigned int member_looks;
	struct sequence push;
	uint64_t *members;
	size_t member_count;
	uint64_t *lines;
	size_t count;
	size_t *pages;
	size_t page_count;
	size_t pages_seen;
	bool too_many;
	uint64_t last_access;
	struct sequence left;
};

/* --- looks.c ------------------------------------------------------------- */

/**
 * struct survivor_look - lines that are loaded, and what is left of them
 * @timed: loaded first, and timed in the end, in their order
 * @between: loaded after these have left the level above; leave it, too
 * @passes: through @between
 * @warm: lines that push may stay in the level below from look to look
 * @ticks: (out) of each timed one
 * @disturbed: (out) something came between
 */
struct survivor_look {
	const struct sequence *timed;
	const struct sequence *between;
	unsigned int passes;
	bool warm;
	double *ticks;
	bool disturbed;
};

/** survivors_look() - Return: 0; -EINTR; -ETIME: there were more accesses than a search
 * may need; or another -errno with @f set
 */
int survivors_look(struct survivors *s, struct survivor_look *look,
		   struct failure *f);

/**
 * survivors_scale() - what hits and loads of memory take
 * @level: the one below s->above
 * Return: 0; -EDOM: no reading distinguishes them; or another -errno with @f set.
 */
int survivors_scale(struct survivors *s, const struct hierarchy *h,
		    const struct cache_result *level, struct failure *f);

/* --- members.c ----------------------------------------------------------- */

/** survivors_gather() - lines of the set of the level above, until there are @wanted,
 * no pages left, or more than can be. Return: as survivors_look().
 */
int survivors_gather(struct survivors *s, size_t wanted, struct failure *f);

/* --- subsets.c ----------------------------------------------------------- */

/**
 * struct survivor_set - lines that share a set of the level
 * @lines: @count of them
 * @others: of the same set of the level above, and of other sets of this one;
 *          @other_count of them
 */
struct survivor_set {
	uint64_t lines[SURVIVOR_SET_LINES];
	size_t count;
	uint64_t others[RESULT_SET_LINES];
	size_t other_count;
};

/**
 * survivors_find_sets() - the sets of some lines, and which others share them
 * @sets: (out) SURVIVOR_TARGETS of them; empty where nothing evicts the line
 * @wrong: error of each set: that any line of another one is among its lines
 * Return: as survivors_look().
 */
int survivors_find_sets(struct survivors *s, double wrong,
			struct survivor_set *sets, struct failure *f);

/* --- count.c ------------------------------------------------------------- */

/**
 * survivors_count() - how many lines of a set stay at a time
 * @ways: (out) as many were all seen, and never one more; 0: not decided
 * @wrong: error of the set
 * Return: as survivors_look().
 */
int survivors_count(struct survivors *s, struct survivor_set *set, double wrong,
		    size_t *ways, struct failure *f);

#endif
