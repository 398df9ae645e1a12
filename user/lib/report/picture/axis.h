/* SPDX-License-Identifier: GPL-2.0 */
/* axis.h - logarithmic axes and their numbers. */
#ifndef PROBE_PHYS_REPORT_PICTURE_AXIS_H
#define PROBE_PHYS_REPORT_PICTURE_AXIS_H

#include "report/picture/scene.h"

/** AXIS_LABEL - bytes of a label */
#define AXIS_LABEL 32

/** enum axis_unit - unit of the numbers */
enum axis_unit {
	AXIS_BYTES,
	AXIS_CYCLES,
	AXIS_ELEMENTS,
};

/**
 * struct axis_range - range of the values to show
 * @low: log2 of the least
 * @high: log2 of the greatest
 * @any: there is at least one value
 */
struct axis_range {
	double low;
	double high;
	bool any;
};

/**
 * struct axis - maps values to places
 * @low: log2 of the value at @begin
 * @high: log2 of the value at @end
 */
struct axis {
	double low;
	double high;
	double begin;
	double end;
	enum axis_unit unit;
};

/** axis_shows() - whether a logarithmic axis can show a value */
bool axis_shows(double value);

/** axis_take() - widen a range to a value, if axis_shows() it */
void axis_take(struct axis_range *range, double value);

/** axis_over() - make an axis over a range: at least two octaves, with a margin
 * at both ends
 * @begin: place of its low end
 * @end: place of its high end; less than @begin if the axis points upwards
 */
struct axis axis_over(const struct axis_range *range, enum axis_unit unit,
		      double begin, double end);

/** axis_at() - the place of a value, clamped to the axis */
double axis_at(const struct axis *a, double value);

/** axis_label() - "32 KiB", "3.5 MiB", "4.2" */
void axis_label(char *label, enum axis_unit unit, double value);

/**
 * axis_draw() - draw numbers and grid lines at powers of two, as many as have
 * room
 * @plot: area of the grid lines
 * @horizontal: numbers stand below the plot, else to its left
 */
void axis_draw(struct scene *s, const struct axis *a,
	       const struct scene_box *plot, bool horizontal);

#endif
