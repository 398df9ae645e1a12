/* SPDX-License-Identifier: GPL-2.0 */
/* lines.h - lines of memory that questions about a set consist of. */
#ifndef PROBE_PHYS_METHOD_SET_LINES_H
#define PROBE_PHYS_METHOD_SET_LINES_H

#include "method/level/level.h"

/**
 * SET_LINES_PER_WAY - lines of the set, per way: to fill the set, to make it
 * forget, and more
 */
#define SET_LINES_PER_WAY 4

/**
 * struct set_lines - the lines that questions are made of
 * @tested: offsets of lines of the set under test, congruent; @tested_count
 * @clearing: offsets of lines that share the tested lines' sets of all levels
 *            above and lie in other sets of this level, few enough of each to
 *            stay in this level; @clearing_count, 0 for the first level
 * @between: of these walked between two visits to tested lines: as many as
 *           leave none of them in the levels above
 * @words: of a line: its length divided by 8
 * @ways: of the level
 */
struct set_lines {
	uint64_t *tested;
	size_t tested_count;
	uint64_t *clearing;
	size_t clearing_count;
	size_t between;
	size_t words;
	unsigned int ways;
};

/**
 * struct set_level_geometry - geometry of a level
 * @ways: associativity
 * @way_bytes: capacity divided by ways
 * @line_bytes: line size
 */
struct set_level_geometry {
	unsigned int ways;
	uint64_t way_bytes;
	uint64_t line_bytes;
};

/**
 * set_lines_linear() - lines of set @set of the last of @count levels whose
 * index is linear
 * Return: 0; -ERANGE: the arena is too small; -EDOM: the geometries leave no
 * lines for clearing; -ENOMEM. set_lines_free() in any case.
 */
int set_lines_linear(struct set_lines *lines, const struct prober *p,
		     const struct set_level_geometry *levels, size_t count,
		     uint64_t set);
void set_lines_free(struct set_lines *lines);

/**
 * set_lines_between() - how many lines of one set of each level above evict
 * all earlier lines there
 */
size_t set_lines_between(const struct xray_level *above, size_t count);

#endif
