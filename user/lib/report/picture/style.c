// SPDX-License-Identifier: GPL-2.0
/* style.c - styles that distinguish lines and marks. */
#include "report/picture/style.h"

#define LINE_WIDTH 1.5
#define SYMBOL_RADIUS 3.6
#define LINE_DASHES 5

static const uint32_t palette[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
				    0xe69f00, 0x56b4e9, 0x666666 };
#define PALETTE (sizeof(palette) / sizeof(palette[0]))

#define RAMPS 2
#define RAMP 5
static const uint32_t ramps[RAMPS][RAMP] = {
	{ 0x0d0887, 0x7e03a8, 0xcc4778, 0xf07050, 0xf89540 },
	{ 0x081d58, 0x225ea8, 0x1d91c0, 0x41b6c4, 0x6fc7a8 },
};

/* If a method has few lines, each is a shade of the method's colour. */
static const struct {
	uint32_t to;
	double share;
} shades[STYLE_FEW] = { { 0, 0 }, { 0, 0.5 }, { 0xffffff, 0.45 } };

static uint32_t between(uint32_t a, uint32_t b, double share)
{
	uint32_t mixed = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		double from = (a >> shift) & 0xff, to = (b >> shift) & 0xff;

		mixed |= (uint32_t)(from + share * (to - from) + 0.5) << shift;
	}
	return mixed;
}

static uint32_t ramp_colour(size_t i, size_t count, size_t ramp)
{
	const uint32_t *steps = ramps[ramp % RAMPS];
	double at = (double)i / (double)(count - 1) * (RAMP - 1);
	size_t step = (size_t)at;

	if (step >= RAMP - 1)
		return steps[RAMP - 1];
	return between(steps[step], steps[step + 1], at - (double)step);
}

uint32_t style_source(size_t source)
{
	return source ? palette[(source - 1) % PALETTE] : STYLE_INK;
}

struct scene_pen style_line(size_t source, size_t i, size_t count, size_t ramp)
{
	struct scene_pen pen = { .opacity = 1, .width = LINE_WIDTH };

	if (count > STYLE_FEW)
		pen.colour = ramp_colour(i, count, ramp);
	else
		pen.colour = between(style_source(source),
				     shades[i % STYLE_FEW].to,
				     shades[i % STYLE_FEW].share);
	pen.dash = (unsigned int)((source + i + LINE_DASHES - 1) % LINE_DASHES);
	return pen;
}

void style_symbol(struct scene *s, size_t i, struct scene_pen pen, double x,
		  double y)
{
	const double r = SYMBOL_RADIUS, half = 0.85 * SYMBOL_RADIUS;
	const struct scene_box square = { x - half, y - half, x + half,
					  y + half };
	const struct scene_point up[] = { { x, y - r },
					  { x + r, y + half },
					  { x - r, y + half } };
	const struct scene_point down[] = { { x, y + r },
					    { x + r, y - half },
					    { x - r, y - half } };
	const struct scene_point diamond[] = {
		{ x, y - r }, { x + r, y }, { x, y + r }, { x - r, y }
	};

	pen.width = 0;
	pen.opacity = 1;
	switch (i % STYLE_SYMBOLS) {
	case 0:
		scene_rectangle(s, pen, &square);
		break;
	case 1:
		scene_circle(s, pen, x, y, half);
		break;
	case 2:
		scene_path(s, pen, true, up, 3);
		break;
	case 3:
		scene_path(s, pen, true, diamond, 4);
		break;
	default:
		scene_path(s, pen, true, down, 3);
	}
}
