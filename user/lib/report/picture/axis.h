/* SPDX-License-Identifier: GPL-2.0 */
/* axis.h - logarithmic axes, and numbers beside them. */
#ifndef PROBE_PHYS_REPORT_PICTURE_AXIS_H
#define PROBE_PHYS_REPORT_PICTURE_AXIS_H

#include "report/picture/scene.h"

/** AXIS_LABEL - room of a label */
#define AXIS_LABEL 32

/** enum axis_unit - what numbers on it are */
enum axis_unit {
	AXIS_BYTES,
	AXIS_CYCLES,
	AXIS_ELEMENTS,
};

/**
 * struct axis_range - values that an axis has to show
 * @low: log2 of the least
 * @high: log2 of the greatest
 * @any: there are some
 */
struct axis_range {
	double low;
	double high;
	bool any;
};

/**
 * struct axis - from values to places
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

/** axis_shows() - whether a value has a place on a logarithmic axis at all */
bool axis_shows(double value);

/** axis_take() - widen a range, but for what axis_shows() denies */
void axis_take(struct axis_range *range, double value);

/** axis_over() - an axis of two octaves at least, with a little room at the ends
 * @begin: place of its low end
 * @end: of its high end, before @begin for what grows upwards
 */
struct axis axis_over(const struct axis_range *range, enum axis_unit unit,
		      double begin, double end);

/** axis_at() - the place of a value, inside the axis in any case */
double axis_at(const struct axis *a, double value);

/** axis_label() - "32 KiB", "3.5 MiB", "4.2" */
void axis_label(char *label, enum axis_unit unit, double value);

/**
 * axis_draw() - numbers and grid lines at powers of two, as many as have room
 * @plot: where grid lines go
 * @horizontal: below the plot, else to its left
 */
void axis_draw(struct scene *s, const struct axis *a,
	       const struct scene_box *plot, bool horizontal);

#endif
