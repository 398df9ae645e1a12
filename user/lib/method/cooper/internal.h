/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - what the files of Cooper and Sandoval's method share. */
#ifndef PROBE_PHYS_METHOD_COOPER_INTERNAL_H
#define PROBE_PHYS_METHOD_COOPER_INTERNAL_H

#include "method/cooper/cooper.h"

/** COOPER_METHOD - as results name it */
#define COOPER_METHOD "cooper-sandoval"

/** COOPER_LINE_BYTES - distance of the words of a string where the gap test has
 * not found the line size of the first level. It only makes steps higher, so any
 * value above a word does (IV-B).
 */
#define COOPER_LINE_BYTES 64

/** COOPER_WIDE_BYTES - the distance where the first level has shorter lines than
 * COOPER_LINE_BYTES: those below have longer ones, and of several words in one of
 * these only the first would miss
 */
#define COOPER_WIDE_BYTES 128

/** COOPER_PAGE_BYTES - what the paper asks sysconf() for: upper bound of line
 * sizes, least unit in which operating systems map
 */
#define COOPER_PAGE_BYTES 4096

/**
 * struct cooper_l1 - what the gap test says of the first level (IV-A)
 * @found: capacity and ways hold
 * @line_found: line size holds as well
 */
struct cooper_l1 {
	bool found;
	bool line_found;
	uint64_t capacity_bytes;
	uint64_t ways;
	uint64_t line_bytes;
};

/**
 * struct cooper - a measurement under way
 * @p: the machine and chance
 * @wanted: what is to be measured
 * @r: results so far
 * @page_bytes: what the region is mapped with
 * @most_bytes: longest footprint
 * @line_bytes: distance of the words of a string: the line size of the first
 *              level, or one of the two constants above
 * @l1: what the gap test says
 * @add_ticks: the unit: ticks of an integer addition, the least so far;
 *             cooper_unit() finds it
 * @units: times that additions were timed again; @slower of them took longer than the
 *         unit, which is no noise: others only disturb some of several trials
 * @sample_loads: of each sample at least, so that the clock's steps do not count
 * @patience: trials without an improvement after which a string is left
 */
struct cooper {
	struct prober *p;
	const struct cooper_wanted *wanted;
	struct side_result *r;
	uint64_t page_bytes;
	uint64_t most_bytes;
	uint64_t line_bytes;
	struct cooper_l1 l1;
	double add_ticks;
	unsigned int units;
	unsigned int slower;
	unsigned int sample_loads;
	unsigned int patience;
};

/**
 * cooper_measure_gap() - the first level's ways, capacity and line size (IV-A),
 * into c->l1
 *
 * Where the levels above are shared, or indexed by physical bits above those of
 * a page, nothing is found, which is no error.
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int cooper_measure_gap(struct cooper *c, struct failure *f);

/** cooper_measure_capacities() - levels, effective capacities and latencies by
 * C(k) (IV-B), into c->r
 */
int cooper_measure_capacities(struct cooper *c, struct failure *f);

/** cooper_measure_lines() - line sizes of the levels found by L(n,s) (IV-D) */
int cooper_measure_lines(struct cooper *c, struct failure *f);

/** cooper_measure_latencies() - of the levels found, and of memory, anew */
int cooper_measure_latencies(struct cooper *c, struct failure *f);

/** cooper_measure_tlbs() - reaches and ways of translation by T(n,k) (IV-C,
 * IV-E), into c->r
 */
int cooper_measure_tlbs(struct cooper *c, struct failure *f);

#endif
