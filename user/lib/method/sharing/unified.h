/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unified.h - what the files of unified_measure() share (AMP section 3.6).
 *
 * Lines that fit into a level are loaded, far more code than it has room for is
 * run, and they are loaded again: where they miss as they do when as much data
 * came in between, and not as when nothing did, code takes their place.
 */
#ifndef PROBE_PHYS_METHOD_SHARING_UNIFIED_H
#define PROBE_PHYS_METHOD_SHARING_UNIFIED_H

#include "base/gf2.h"
#include "method/probe/prober.h"
#include "result/outcome.h"
#include "result/result.h"

#define UNIFIED_METHOD "code against data"
/** UNIFIED_PART_LOADED - the level's capacity over what is loaded of it */
#define UNIFIED_PART_LOADED 2

/** UNIFIED_TIMES_BELOW - a level below of this many times the level's capacity
 * keeps all lines that are used here: three times it comes in between, as data and
 * as code, and half is loaded
 */
#define UNIFIED_TIMES_BELOW 8

/**
 * unified_keeps() - does a level below keep all lines that are used here, whatever
 * comes in between?
 * @capacity: of the level in question, bytes
 * @below: by its capacity; else by the effective one, as what a program finds there
 *         that uses so much
 */
static inline bool unified_keeps(const struct cache_result *below,
				 double capacity)
{
	const struct parameter *bytes = &below->capacity_bytes;

	if (!parameter_is_measured(bytes))
		bytes = &below->effective_capacity_bytes;
	return parameter_is_measured(bytes) &&
	       bytes->value >= UNIFIED_TIMES_BELOW * capacity;
}

/**
 * struct unified - the question about one level
 * @p: measurement
 * @h: what is known
 * @c: the level
 * @above: the one above, NULL: it is the first
 * @below: those below, nearest first
 * @below_count: of those that are known
 * @counter: of its misses, a bit; 0: time
 * @counter_above: of those of the level above; 0: none
 * @kept: share of what is loaded that the levels above have room for
 * @first: by time: ticks of a hit in the first level
 * @hit: of one in this level
 * @miss: of one in what is below
 * @beyond: of one in what is below that; NAN: not known
 * @far: of one in the first level below that keeps lines whatever comes in
 *	 between, else in memory: the most that a line may take that is not here
 * @translation: what that of each loaded line takes where nothing comes in between,
 *               ticks
 * @stride: from one line that is used to the next, at least
 * @even: lines that are used have no odd parity with any vector of it; the bits
 *        below @stride are among these
 * @other: sets of lines that are used have an even parity with it, those of @sweep an
 *         odd one: no line of one pushes out one of the other here; 0: there is no
 *         @sweep
 * @swept_lines: lines of @sweep that take all room above
 * @part: bytes of what comes in between that are used twice before the next ones;
 *        0: all are used once
 * @code: pages to run
 * @loaded: lines that are loaded before and after
 * @fill: the same, as they are loaded before
 * @sweep: lines that push them out of the levels above alone
 * @data: lines that push them out
 * @touch: by time, where pages are small: a loaded line of each page, which brings its
 *         translation back
 * @scope: of all rounds
 */
struct unified {
	struct prober *p;
	const struct hierarchy *h;
	struct cache_result *c;
	const struct cache_result *above;
	const struct cache_result *below;
	size_t below_count;
	unsigned int counter;
	unsigned int counter_above;
	double kept;
	double first;
	double hit;
	double miss;
	double beyond;
	double far;
	double translation;
	uint64_t stride;
	struct gf2_space even;
	uint64_t other;
	size_t swept_lines;
	uint64_t part;
	struct view *code;
	struct sequence loaded;
	struct sequence fill;
	struct sequence sweep;
	struct sequence data;
	struct sequence touch;
	struct budget_scope scope;
};

/* --- unified_take.c ------------------------------------------------------- */

/** UNIFIED_STEPS - of unified_fill(), at most */
#define UNIFIED_STEPS 3

/** unified_fill() - steps that load the lines, and push them out of the levels above
 * Return: number of @steps.
 */
size_t unified_fill(const struct unified *q, struct walk_step *steps);

/** unified_take() - a sample of lines, per load
 * @counter: a bit; 0: ticks
 * Return: -EAGAIN: always disturbed.
 */
int unified_take(struct unified *q, const struct sequence *lines,
		 const struct walk_plan *plan, unsigned int counter,
		 double *value, struct failure *f);

/** unified_place_touch() - q->touch, of q->loaded
 * Return: 0; -ERANGE: pages have too few lines each; another -errno with @f set.
 */
int unified_place_touch(struct unified *q, struct failure *f);

/** unified_find_translation() - q->translation of q->loaded, by time
 * Return: 0; -EINTR; another -errno with @f set.
 */
int unified_find_translation(struct unified *q, struct failure *f);

/* --- unified_decide.c ----------------------------------------------------- */

/**
 * unified_decide() - does code evict data from the level?
 * @outcome: (out) OUTCOME_VOID: what data evict, or what code does, is not clear
 *           or not always the same; other lines may do better
 * Return: 0 and the level's parameter is set; -EINTR; other -errno with @f set.
 */
int unified_decide(struct unified *q, enum outcome *outcome, struct failure *f);

/* --- unified_below.c ------------------------------------------------------ */

/** UNIFIED_STRAY_BELOW - share of lines that come from further, at most, where
 * unified_find_below() has found that they come from right below
 */
#define UNIFIED_STRAY_BELOW 0.15

/**
 * unified_find_below() - by time: does the level right below have what code pushed
 * out?
 *
 * What an inclusive level loses, all levels above it lose: then it comes from
 * further below. Lines that come from the level right below were taken away by no
 * level, and the code took their place here.
 * @found: (out) it has, with an error that is drawn
 * Return: 0; -EINTR; other -errno with @f set.
 */
int unified_find_below(struct unified *q, bool *found, struct failure *f);

/* --- unified_sets.c: lines of some sets are enough ------------------------ */

/**
 * unified_sets_choose() - lines of some sets, where the index is known
 *
 * All lines of these sets: what a set gets stays the same, and so does what it
 * loses. Sets that keep to few sets of the levels above come first: there is as
 * little room above then.
 * @q: (in, out) its stride, its parities, and what is kept above
 * @h: what is known of the levels
 * Return: false: it is not known; anything may have been changed.
 */
bool unified_sets_choose(struct unified *q, const struct hierarchy *h);

/** unified_sets_stride() - the same without an index: some lines of each page */
void unified_sets_stride(struct unified *q, const struct hierarchy *h);

/** unified_sets_all() - all lines. Return: false where they were, or are too many */
bool unified_sets_all(struct unified *q, const struct hierarchy *h);

/**
 * unified_sets_sweep() - half of the sets that are used, and lines of the others
 *
 * What the levels above keep, code cannot push out here. Lines of other sets of this
 * level take their room above.
 * @q: (in, out) its other, its swept_lines, and what is kept above
 * Return: false: there are no such sets, or too little memory, and nothing has changed.
 */
bool unified_sets_sweep(struct unified *q, const struct hierarchy *h);

/** unified_sets_linear() - are they those of a stride, or of several? */
bool unified_sets_linear(const struct unified *q);

/** unified_sets_use() - is the line at @offset one of them? */
bool unified_sets_use(const struct unified *q, uint64_t offset);

/** unified_sets_are_other() - is it a line of q->sweep? */
bool unified_sets_are_other(const struct unified *q, uint64_t offset);

#endif
