/* SPDX-License-Identifier: GPL-2.0 */
/* place.h - a line and others of its set, at random, to see where lost lines go. */
#ifndef PROBE_PHYS_METHOD_LEVELS_PLACE_H
#define PROBE_PHYS_METHOD_LEVELS_PLACE_H

#include "method/probe/prober.h"
#include "result/result.h"

/** PLACE_PAGE_BYTES - line and neighbour are in one page of that size */
#define PLACE_PAGE_BYTES 4096

/** PLACE_FAR_BELOW, PLACE_FAR_ABOVE - of the latency of levels around one that was not
 * seen: slices that lie near, and banks that are busy, differ less
 */
#define PLACE_FAR_BELOW 1.5
#define PLACE_FAR_ABOVE 0.6

/**
 * struct place - a line, and other lines of its set
 * @p: runs the tests
 * @line: it
 * @neighbour: another line of its page
 * @evict: the other lines; @evicting
 * @next_ticks: what lies below is another level that is known, whose lines take so
 *              long; INFINITY: memory
 * @control: lines that hit in that level; NULL: memory
 */
struct place {
	struct prober *p;
	uint64_t line;
	uint64_t neighbour;
	uint64_t *evict;
	size_t evicting;
	double next_ticks;
	const struct shape *control;
};

/** place_lines() - on random rows of the arena
 * @way: of the level whose set it is, in bytes: a multiple of PLACE_PAGE_BYTES
 * @odd: the other lines are an odd number of ways away, and share no set of a level
 *       with twice as many sets
 * Return: false: there are too few rows.
 */
bool place_lines(struct place *at, uint64_t way, bool odd);

/** place_next() - the @i-th time: every other one at odd distances, if there is room */
bool place_next(struct place *at, const struct cache_result *c, int i);

#endif
