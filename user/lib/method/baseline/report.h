/* SPDX-License-Identifier: GPL-2.0 */
/* report.h - results of the baselines. */
#ifndef PROBE_PHYS_METHOD_BASELINE_REPORT_H
#define PROBE_PHYS_METHOD_BASELINE_REPORT_H

#include "method/probe/prober.h"
#include "result/side_result.h"

/** struct baseline_sizes - times by size of the array
 * @points: x: bytes, y: of an access. @timed of them
 * @wanted: how many the program has
 */
struct baseline_sizes {
	const struct curve_point *points;
	size_t timed;
	size_t wanted;
};

/**
 * baseline_report_levels() - report rules_levels() of all times so far
 * @error: why timing ended early; 0: all arrays that fit were timed
 */
void baseline_report_levels(const struct prober *p,
			    const struct baseline_sizes *sizes, int error,
			    struct side_result *r);

/** baseline_report_line() - the same line size for all levels */
void baseline_report_line(const struct parameter *line, struct side_result *r);

/**
 * baseline_too_small() - report as undecided: the memory has fewer bytes than
 * needed
 */
void baseline_too_small(const struct prober *p, const struct side_result *r,
			uint64_t bytes, struct parameter *result);

/** baseline_keep() - @count points for the picture */
void baseline_keep(struct side_result *r, enum side_axis axis,
		   const struct curve_point *points, size_t count,
		   const char *name);

#endif
