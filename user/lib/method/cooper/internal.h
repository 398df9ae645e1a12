/* SPDX-License-Identifier: GPL-2.0 */
/* internal.h - types and functions that the files of this folder share. */
#ifndef PROBE_PHYS_METHOD_COOPER_INTERNAL_H
#define PROBE_PHYS_METHOD_COOPER_INTERNAL_H

#include "method/cooper/cooper.h"

/** COOPER_METHOD - as results name it */
#define COOPER_METHOD "cooper-sandoval"

/**
 * COOPER_LINE_BYTES - distance of the words of a string if the gap test has not
 * found the line size of the first level. It only makes steps higher, so any
 * value above a word does (IV-B).
 */
#define COOPER_LINE_BYTES 64

/**
 * COOPER_WIDE_BYTES - the distance if the first level has lines shorter than
 * COOPER_LINE_BYTES: lower levels have longer ones, and only the first of
 * several words in one line would miss there
 */
#define COOPER_WIDE_BYTES 128

/**
 * COOPER_PAGE_BYTES - the paper's value of sysconf(): upper bound of line
 * sizes, least unit of mappings
 */
#define COOPER_PAGE_BYTES 4096

/**
 * struct cooper_l1 - result of the gap test for the first level (IV-A)
 * @found: capacity and ways hold
 * @line_found: the line size holds as well
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
 * @p: machine and random numbers
 * @wanted: the parts to measure
 * @r: results so far
 * @page_bytes: page size of the region
 * @most_bytes: longest footprint
 * @line_bytes: distance of the words of a string: the line size of the first
 *              level, or one of the two constants above
 * @l1: result of the gap test
 * @add_ticks: the unit: ticks of an integer addition, the least so far; set by
 *             cooper_unit()
 * @units: number of later timings of additions; @slower of them took longer
 *         than the unit. That is no noise: other programs disturb only some of
 *         several trials
 * @sample_loads: least loads of a sample, so that the clock's steps do not
 *                matter
 * @patience: trials without an improvement after which a string is finished
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
