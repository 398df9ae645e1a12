/* SPDX-License-Identifier: GPL-2.0 */
/*
 * side_result.h - what another method of the papers says of the same machine:
 * Cooper-Sandoval's effective values, and those of the baselines.
 */
#ifndef PROBE_PHYS_RESULT_SIDE_RESULT_H
#define PROBE_PHYS_RESULT_SIDE_RESULT_H

#include "result/curve.h"
#include "result/result.h"

/** SIDE_LEVELS - most levels that a method lists */
#define SIDE_LEVELS 8
/** SIDE_CURVES - most curves that it keeps for the picture */
#define SIDE_CURVES 24

/**
 * struct side_level - a level of cache
 * @capacity_bytes: of Cooper-Sandoval: the effective one
 */
struct side_level {
	struct parameter capacity_bytes;
	struct parameter line_bytes;
	struct parameter ways;
	struct parameter latency_cycles;
};

/**
 * struct side_tlb - a level of translation
 * @page_bytes: of the pages that were visited
 * @reach_bytes: effective: entries that a program gets, times the page size
 * @latency_cycles: of an access that finds its translation here
 */
struct side_tlb {
	uint64_t page_bytes;
	struct parameter reach_bytes;
	struct parameter ways;
	struct parameter latency_cycles;
};

/** enum side_axis - what a curve is drawn over */
enum side_axis {
	SIDE_FOOTPRINT_BYTES,
	SIDE_STRIDE_BYTES,
	SIDE_REACH_BYTES,
};

/**
 * struct side_curve - what was timed
 * @name: "C(k)", "T(1,k)", "array of 32 MiB", ...
 * @axis: what x is
 * @points: @count of them, owned
 * @analysed: @found holds
 */
struct side_curve {
	char name[48];
	enum side_axis axis;
	struct curve_point *points;
	size_t count;
	bool analysed;
	struct curve_result found;
};

/**
 * struct side_result - everything that one method found
 * @method: "cooper-sandoval", "breaking-cache", "saavedra"
 * @caches: nearest first; @cache_count of them
 * @tlbs: nearest first; @tlb_count of them
 * @levels: how many levels of cache there are, as far as the method says
 * @memory_latency_cycles: of a load that misses every cache
 * @curves: @curve_count of them, owned
 * @loads: done for it
 * @complete: false when it was interrupted
 */
struct side_result {
	const char *method;
	struct side_level caches[SIDE_LEVELS];
	size_t cache_count;
	struct side_tlb tlbs[SIDE_LEVELS];
	size_t tlb_count;
	struct parameter levels;
	struct parameter memory_latency_cycles;
	struct side_curve *curves[SIDE_CURVES];
	size_t curve_count;
	double loads;
	double seconds;
	bool complete;
};

/** side_result_begin() - nothing found yet: everything unavailable */
void side_result_begin(struct side_result *r, const char *method);

/** side_result_add() - begin a level of cache; NULL: there are too many */
struct side_level *side_result_add(struct side_result *r);

/** side_result_add_tlb() - begin a level of translation; NULL: too many */
struct side_tlb *side_result_add_tlb(struct side_result *r,
				     uint64_t page_bytes);

/** side_result_keep() - room for a curve of @count points; NULL: no memory, or
 * too many curves, which is not an error of a measurement
 */
struct side_curve *side_result_keep(struct side_result *r, enum side_axis axis,
				    size_t count, const char *name, ...)
	__attribute__((format(printf, 4, 5)));

/** side_result_free() - its curves */
void side_result_free(struct side_result *r);

#endif
