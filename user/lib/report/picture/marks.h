/* SPDX-License-Identifier: GPL-2.0 */
/* marks.h - levels that were found, to be drawn into a plot. */
#ifndef PROBE_PHYS_REPORT_PICTURE_MARKS_H
#define PROBE_PHYS_REPORT_PICTURE_MARKS_H

#include "report/picture/flags.h"
#include "report/picture/picture.h"

/**
 * struct mark - a level that somebody found
 * @value: where, bytes
 * @source: 0: X-Ray; from 1: of picture.methods
 * @text: its name, with its latency where it has one
 * @brief: without
 */
struct mark {
	double value;
	size_t source;
	char text[64];
	char brief[32];
};

/** struct marks - those of one plot; @hidden more have no room */
struct marks {
	struct mark marks[FLAGS_MOST];
	size_t count;
	size_t hidden;
};

/**
 * marks_collect() - what was found along an axis
 *
 * Footprint: capacities; reach: that of translations; stride: line sizes, each
 * of them once for a method. Where a method does not say what it found but its
 * curve was analysed, the ends of the steps.
 */
void marks_collect(struct marks *m, const struct picture *picture,
		   enum side_axis axis);

/** marks_source() - who found it */
const char *marks_source(const struct picture *picture, size_t source);

#endif
