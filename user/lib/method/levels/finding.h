/* SPDX-License-Identifier: GPL-2.0 */
/*
 * finding.h - what is known of one level, and the only place that makes results of
 * it: level_report() may be called again when more is known, or less is certain.
 */
#ifndef PROBE_PHYS_METHOD_LEVELS_FINDING_H
#define PROBE_PHYS_METHOD_LEVELS_FINDING_H

#include "method/level/geometry.h"
#include "method/level/latency.h"
#include "result/result.h"

/** LEVELS_METHOD - of parameters */
#define LEVELS_METHOD "x-ray"

/** LEVEL_REASON - room for a reason */
#define LEVEL_REASON 256

/**
 * struct level_finding - what methods have found of a level, and doubts about it
 * @exists: a level lies there
 * @open: why all of it is open; empty: it is not
 * @latency: of lines that miss above and hit here
 * @denied: the level's counter counts misses for these lines
 * @searched: a search for the geometry came to an end: the next six hold
 * @geometry: what it found
 * @below_first: other levels lie above
 * @xor_copies: one of these is hashed, and copies of lines get past it
 * @effective_bytes: capacity with that of exclusive levels above; 0: not known
 * @bound: of the error of all tests of the geometry
 * @by_strides: sequences at fixed strides have found it
 * @line_bytes: its line size; method NULL: not looked for
 * @evicted: latency and geometry are of lines evicted one by one
 * @has_sets: eviction sets were looked for, and @sets is what they say
 * @sets: a result of the level, but for its latency
 * @clearing_lines: lines of a set that clear it; 0: not known
 * @by: what distinguished hits from misses; NULL: nothing had to
 * @rest_open: why whatever has not been measured is open; empty: nothing ended it
 * @held: why the number of its ways is open; empty: it is not
 * @set_open: why lines and sets are open where only one set was found; empty: they
 *            are not
 * @unreached: whether a sequence is sure to reach it past the level above
 * @more: sequences get past it: a level below can be measured
 * @linear: the index of a level that strides do not get past, as masks
 * @next_open: why the level below is open, if there is one; empty: nothing is known
 *             to lie there
 * @next_unreached: the same in short
 */
struct level_finding {
	bool exists;
	char open[LEVEL_REASON];
	struct latency_finding latency;
	bool denied;
	bool searched;
	struct xray_geometry geometry;
	bool below_first;
	bool xor_copies;
	uint64_t effective_bytes;
	double bound;
	bool by_strides;
	struct parameter line_bytes;
	bool evicted;
	bool has_sets;
	struct cache_result sets;
	size_t clearing_lines;
	const char *by;
	char rest_open[LEVEL_REASON];
	char held[LEVEL_REASON];
	char set_open[LEVEL_REASON];
	enum unreached unreached;
	bool more;
	struct index_function linear;
	char next_open[LEVEL_REASON];
	enum unreached next_unreached;
};

/** level_say() - write a printf-like reason of a finding */
void level_say(char reason[LEVEL_REASON], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** level_say_unreached() - why no sequence is sure to reach what lies below @c
 * Return: the same in short.
 */
enum unreached level_say_unreached(const struct cache_result *c,
				   char reason[LEVEL_REASON]);

/** level_leave_next() - no sequence is sure to reach what lies below
 * @c: the level, as it would be reported now
 */
void level_leave_next(struct level_finding *found,
		      const struct cache_result *c);

/** level_conclude() - a search by @x has come to an end
 * @line: what is known of the line size
 */
void level_conclude(struct level_finding *found, const struct xray *x,
		    const struct xray_geometry *g,
		    const struct parameter *line);

/** level_report() - the result of level @number, from 1 */
void level_report(const struct level_finding *found, size_t number,
		  struct cache_result *c);

/** memory_report() - what is known of memory */
void memory_report(const struct memory_finding *found, struct hierarchy *h);

#endif
