/* SPDX-License-Identifier: GPL-2.0 */
/* unified_ask.h - the question of unified.h: does code push data out of a level? */
#ifndef PROBE_PHYS_METHOD_SHARING_UNIFIED_ASK_H
#define PROBE_PHYS_METHOD_SHARING_UNIFIED_ASK_H

#include "base/gf2.h"
#include "method/probe/prober.h"
#include "result/result.h"

#define UNIFIED_METHOD "code against data"
/** UNIFIED_PART_LOADED - of the level's capacity, what is loaded: one in so many */
#define UNIFIED_PART_LOADED 2
/** UNIFIED_TIMES_BELOW - a level below that has so many times the level's capacity
 * keeps all lines that are used here: three times it comes in between, as data and
 * as code, and half is loaded
 */
#define UNIFIED_TIMES_BELOW 8

/**
 * struct unified - the question, about one level
 * @p: asks the machine
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
 * @far: of one in the first level below that keeps lines whatever comes in
 *	 between, else in memory: the most that a line may take that is not here
 * @stride: from one line that is used to the next, at least
 * @even: lines that are used have no odd parity with any vector of it; the bits
 *        below @stride are among these
 * @part: so many bytes of what comes in between are used twice before the next
 *        ones; 0: all are used once
 * @code: pages to run
 * @loaded: lines that are loaded before and after
 * @fill: the same, as they are loaded before
 * @data: lines that push them out
 * @drawn_before: alpha_drawn of the budget when no round had begun
 */
struct unified {
	struct prober *p;
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
	double far;
	uint64_t stride;
	struct gf2_space even;
	uint64_t part;
	struct view *code;
	struct sequence loaded;
	struct sequence fill;
	struct sequence data;
	double drawn_before;
};

/**
 * unified_ask() - does it?
 * @again: (out) what data push out, or what code does, is not clear, or not
 *         always the same
 * Return: 0 and the level's parameter is set; -EINTR; other -errno with @f set.
 */
int unified_ask(struct unified *q, bool *again, struct failure *f);

#endif
