/* SPDX-License-Identifier: GPL-2.0 */
/*
 * side_result.h - the results of the other methods of the papers: effective
 * values by Cooper-Sandoval, and those of the baselines.
 */
#ifndef PROBE_PHYS_RESULT_SIDE_RESULT_H
#define PROBE_PHYS_RESULT_SIDE_RESULT_H

#include "result/curve.h"
#include "result/result.h"

/** SIDE_LEVELS - most levels that a method lists */
#define SIDE_LEVELS 8
/** SIDE_CURVES - most curves that are kept for the picture */
#define SIDE_CURVES 24

/**
 * struct side_level - a level of cache
 * @capacity_bytes: capacity; Cooper-Sandoval's is the effective one
 */
struct side_level {
	struct parameter capacity_bytes;
	struct parameter line_bytes;
	struct parameter ways;
	struct parameter latency_cycles;
};

/**
 * struct side_tlb - a level of translation
 * @page_bytes: size of the visited pages
 * @reach_bytes: effective reach: entries that a program can use times the page
 *               size
 * @latency_cycles: of an access that finds its translation here
 */
struct side_tlb {
	uint64_t page_bytes;
	struct parameter reach_bytes;
	struct parameter ways;
	struct parameter latency_cycles;
};

/** enum side_axis - the quantity on the x axis of a curve */
enum side_axis {
	SIDE_FOOTPRINT_BYTES,
	SIDE_STRIDE_BYTES,
	SIDE_REACH_BYTES,
};

/**
 * struct side_curve - one timed curve
 * @name: "C(k)", "T(1,k)", "array of 32 MiB", ...
 * @axis: quantity of x
 * @points: @count of them, owned
 * @analysed: @found is valid
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
 * struct side_result - all results of one method
 * @method: "cooper-sandoval", "breaking-cache", "saavedra"
 * @caches: nearest first; @cache_count of them
 * @tlbs: nearest first; @tlb_count of them
 * @levels: number of levels of cache, if the method finds it
 * @memory_latency_cycles: of a load that misses every cache
 * @curves: @curve_count of them, owned
 * @loads: number of loads of the method
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

/** side_result_begin() - set everything to unavailable */
void side_result_begin(struct side_result *r, const char *method);

/** side_result_add() - add a level of cache; NULL: there are too many */
struct side_level *side_result_add(struct side_result *r);

/** side_result_add_tlb() - add a level of translation; NULL: too many */
struct side_tlb *side_result_add_tlb(struct side_result *r,
				     uint64_t page_bytes);

/** side_result_keep() - allocate a curve of @count points; NULL: no memory or
 * too many curves. Without the curve, only the picture lacks it
 */
struct side_curve *side_result_keep(struct side_result *r, enum side_axis axis,
				    size_t count, const char *name, ...)
	__attribute__((format(printf, 4, 5)));

/** side_result_free() - release its curves */
void side_result_free(struct side_result *r);

#endif
