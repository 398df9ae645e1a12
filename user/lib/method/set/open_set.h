/* SPDX-License-Identifier: GPL-2.0 */
/*
 * open_set.h - a set of a cache of a machine, open for questions.
 *
 * A machine walks circles of different words. A line has several, so that it
 * can be visited as often. That visits reach a lower level, lines that share
 * the sets of the levels above, but not this one, are walked in between
 * (algorithms: "clear higher levels", nanoBench).
 */
#ifndef PROBE_PHYS_METHOD_SET_OPEN_SET_H
#define PROBE_PHYS_METHOD_SET_OPEN_SET_H

#include "method/level/level.h"
#include "method/set/oracle.h"

/** LEVEL_LINES_PER_WAY - lines of the set under test: to fill it, to make it
 * forget, and more
 */
#define LEVEL_LINES_PER_WAY 4

/**
 * struct level_lines - the lines that questions are made of
 * @tested: offsets of lines of the set under test, congruent; @tested_count
 * @clearing: offsets of lines that share the tested lines' sets of all levels
 *            above and lie in other sets of this level, few enough of each to
 *            stay in this level; @clearing_count, 0 for the first level
 * @between: of these walked between two visits to tested lines: as many as
 *           leave none of them in the levels above
 * @words: of a line: its length divided by 8
 * @ways: of the level
 */
struct level_lines {
	uint64_t *tested;
	size_t tested_count;
	uint64_t *clearing;
	size_t clearing_count;
	size_t between;
	size_t words;
	unsigned int ways;
};

/**
 * struct level_geometry - what must be known of a level
 * @ways: of it
 * @way_bytes: capacity divided by ways
 * @line_bytes: its lines
 */
struct level_geometry {
	unsigned int ways;
	uint64_t way_bytes;
	uint64_t line_bytes;
};

/**
 * level_lines_linear() - lines of set @set of the last of @count levels whose
 * index is linear
 * Return: 0; -ERANGE: the arena is too small; -EDOM: the geometries leave no
 * lines for clearing; -ENOMEM. level_lines_free() in any case.
 */
int level_lines_linear(struct level_lines *lines, const struct prober *p,
		       const struct level_geometry *levels, size_t count,
		       uint64_t set);
void level_lines_free(struct level_lines *lines);

/** level_lines_between() - lines of one set of each level above that leave none
 * of the others there
 */
size_t level_lines_between(const struct xray_level *above, size_t count);

/**
 * struct level_set - an oracle of a level
 * @oracle: to be asked
 * @prober: the machine, and which counters are believed
 * @lines: what it is made of
 * @counter: of this level's misses, a bit 1 << enum machine_counter; 0: time
 * @hit_ticks: by time: a load that hits this level
 * @miss_ticks: by time: what a miss adds
 * @words_used: how often a line was visited; room for both kinds
 */
struct level_set {
	struct set_oracle oracle;
	struct prober *prober;
	const struct level_lines *lines;
	unsigned int counter;
	double hit_ticks;
	double miss_ticks;
	size_t *words_used;
};

/**
 * level_set_open() - calibrate hits and misses of the level
 * @level: its number, from 1, for the counter
 * Return: 0; -EAGAIN: too disturbed, or hits cannot be told from misses, with
 * @f set; other -errno. level_set_close() in any case.
 */
int level_set_open(struct level_set *s, struct prober *p,
		   const struct level_lines *lines, int level,
		   struct failure *f);
void level_set_close(struct level_set *s);

/**
 * level_set_build() - the loads of a cycle, with those that clear the levels
 * above; needs only @lines and @words_used of the set, and no flushes in @c
 * @q: (out) sequence_free() in any case
 * Return: 0; -ENOSPC: lines have too few words; -ENOMEM.
 */
int level_set_build(struct level_set *s, const struct cycle *c,
		    struct sequence *q);

#endif
