/* SPDX-License-Identifier: GPL-2.0 */
/* marks.h - the levels to mark in a plot. */
#ifndef PROBE_PHYS_REPORT_PICTURE_MARKS_H
#define PROBE_PHYS_REPORT_PICTURE_MARKS_H

#include "report/picture/flags.h"
#include "report/picture/picture.h"

/**
 * struct mark - a level that a method found
 * @value: its place on the axis, bytes
 * @source: the method; 0: X-Ray; from 1: of picture.methods
 * @text: its name, with its latency where it has one
 * @brief: its name without the latency
 */
struct mark {
	double value;
	size_t source;
	char text[64];
	char brief[32];
};

/** struct marks - the marks of one plot; @hidden others have no room */
struct marks {
	struct mark marks[FLAGS_MOST];
	size_t count;
	size_t hidden;
};

/**
 * marks_collect() - collect the levels along an axis
 *
 * Footprint: capacities; reach: reaches of translations; stride: line sizes,
 * each once for a method. If a method lists no levels but its curve was
 * analysed, the ends of the curve's steps are marked.
 */
void marks_collect(struct marks *m, const struct picture *picture,
		   enum side_axis axis);

/** marks_source() - name of the method that found it */
const char *marks_source(const struct picture *picture, size_t source);

#endif
