// SPDX-License-Identifier: GPL-2.0
/* axis.c - logarithmic axes: places of values, labels, grid lines. */
#include "report/picture/axis.h"

#include <math.h>
#include <stdio.h>

#include "report/picture/style.h"

#define LEAST_OCTAVES 2
/* Margin beyond the outermost values, as a share of the axis. */
#define END_SHARE 0.03
/* Least distance between numbers, in font sizes. */
#define GAP_ACROSS 0.9
#define GAP_DOWN 0.6
#define TICK_LENGTH 4

bool axis_shows(double value)
{
	return isfinite(value) && value > 0;
}

void axis_take(struct axis_range *range, double value)
{
	double at;

	if (!axis_shows(value))
		return;
	at = log2(value);
	range->low = range->any ? fmin(range->low, at) : at;
	range->high = range->any ? fmax(range->high, at) : at;
	range->any = true;
}

struct axis axis_over(const struct axis_range *range, enum axis_unit unit,
		      double begin, double end)
{
	double missing = LEAST_OCTAVES - (range->high - range->low);
	struct axis a = { .low = range->low,
			  .high = range->high,
			  .begin = begin,
			  .end = end,
			  .unit = unit };
	double room;

	if (missing > 0) {
		a.low -= missing / 2;
		a.high += missing / 2;
	}
	room = END_SHARE * (a.high - a.low);
	a.low -= room;
	a.high += room;
	return a;
}

double axis_at(const struct axis *a, double value)
{
	double share = (log2(value) - a->low) / (a->high - a->low);

	return a->begin + fmin(fmax(share, 0), 1) * (a->end - a->begin);
}

void axis_label(char *label, enum axis_unit unit, double value)
{
	static const char *const units[] = { "B",   "KiB", "MiB",
					     "GiB", "TiB", "PiB" };
	size_t i = 0;

	if (unit != AXIS_BYTES) {
		snprintf(label, AXIS_LABEL,
			 value >= 1e-3 && value < 1e6 ? "%.6g" : "%.3g", value);
		return;
	}
	for (; value >= 1024 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		value /= 1024;
	snprintf(label, AXIS_LABEL, "%.4g %s", value, units[i]);
}

/* Test whether numbers every @step octaves have room. */
static bool have_room(const struct scene *s, const struct axis *a, double step,
		      bool horizontal)
{
	double apart = step * fabs(a->end - a->begin) / (a->high - a->low);
	char label[AXIS_LABEL];
	double widest = 0;

	if (!horizontal)
		return apart >= (SCENE_ASCENT + SCENE_DESCENT + GAP_DOWN) *
					STYLE_TICK_SIZE;
	for (double at = ceil(a->low / step) * step; at <= a->high;
	     at += step) {
		axis_label(label, a->unit, exp2(at));
		widest = fmax(widest, scene_width(s, label, STYLE_TICK_SIZE));
	}
	return apart >= widest + GAP_ACROSS * STYLE_TICK_SIZE;
}

static void draw_tick(struct scene *s, const struct axis *a, double value,
		      const struct scene_box *plot, bool horizontal)
{
	struct scene_words words = { .role = SCENE_TICK,
				     .size = STYLE_TICK_SIZE,
				     .colour = STYLE_INK };
	double at = axis_at(a, value);
	char label[AXIS_LABEL];

	axis_label(label, a->unit, value);
	if (horizontal) {
		scene_line(s, STYLE_GRID_PEN, at, plot->top, at, plot->bottom);
		scene_line(s, STYLE_FRAME_PEN, at, plot->bottom, at,
			   plot->bottom + TICK_LENGTH);
		words.at.x = at;
		words.at.y = plot->bottom + STYLE_BELOW_PLOT +
			     SCENE_ASCENT * STYLE_TICK_SIZE;
		words.align = SCENE_MIDDLE;
	} else {
		scene_line(s, STYLE_GRID_PEN, plot->left, at, plot->right, at);
		scene_line(s, STYLE_FRAME_PEN, plot->left - TICK_LENGTH, at,
			   plot->left, at);
		words.at.x = plot->left - TICK_LENGTH - 2;
		words.at.y = at + (SCENE_ASCENT - SCENE_DESCENT) / 2 *
					  STYLE_TICK_SIZE;
		words.align = SCENE_END;
	}
	scene_text(s, &words, "%s", label);
}

void axis_draw(struct scene *s, const struct axis *a,
	       const struct scene_box *plot, bool horizontal)
{
	double step = 1;

	while (!have_room(s, a, step, horizontal))
		step++;
	for (double at = ceil(a->low / step) * step; at <= a->high; at += step)
		draw_tick(s, a, exp2(at), plot, horizontal);
}
