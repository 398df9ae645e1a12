/* SPDX-License-Identifier: GPL-2.0 */
/*
 * style.h - colours, dashes and sizes, in one place.
 *
 * Each method has a colour of Okabe and Ito (Color Universal Design), except
 * yellow, which is faint on white. If a method has many lines, their order is
 * the order of their colours: steps of plasma (Smith, van der Walt 2015) or,
 * for another method, of Brewer's yellow-green-blue, both without their faint
 * ends. Adjacent lines have different dashes, for readers who do not see
 * colours.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_STYLE_H
#define PROBE_PHYS_REPORT_PICTURE_STYLE_H

#include "report/picture/scene.h"

#define STYLE_HEADING_SIZE 18.0
#define STYLE_TITLE_SIZE 13.0
#define STYLE_AXIS_SIZE 11.0
#define STYLE_TICK_SIZE 10.0
#define STYLE_MARK_SIZE 9.5
/* Distance of the numbers below a plot from the lowest number beside it. */
#define STYLE_BELOW_PLOT 7

#define STYLE_INK 0x202020
#define STYLE_FAINT_INK 0x505050

#define STYLE_GRID_PEN \
	((struct scene_pen){ .colour = 0xdddddd, .opacity = 1, .width = 0.6 })
#define STYLE_FRAME_PEN \
	((struct scene_pen){ .colour = 0x606060, .opacity = 1, .width = 0.9 })

/* Colours of compact and not compact: light and dark, so that they also differ
 * in grey.
 */
#define STYLE_COMPACT 0x9ecae9
#define STYLE_NON_COMPACT 0xd55e00
#define STYLE_UNDECIDED 0xb0b0b0

/** style_source() - colour of a method, from 1; of X-Ray: 0 */
uint32_t style_source(size_t source);

/** STYLE_FEW - a method with more lines gets a ramp of colours */
#define STYLE_FEW 3

/**
 * style_line() - pen of a line of a method
 * @i: which one of its @count lines of a panel
 * @ramp: number of the colour ramp, if there are many lines
 */
struct scene_pen style_line(size_t source, size_t i, size_t count, size_t ramp);

/** STYLE_SYMBOLS - number of symbols */
#define STYLE_SYMBOLS 5

/** style_symbol() - draw a circle, square, triangle, ...: each distinguishes a
 * mark
 */
void style_symbol(struct scene *s, size_t i, struct scene_pen pen, double x,
		  double y);

#endif
