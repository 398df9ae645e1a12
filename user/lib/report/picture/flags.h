/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flags.h - names of vertical marks, in rows above a plot.
 *
 * A name stands to the right of its mark's line, like a flag. If it would cross
 * the line of another mark, it goes to a row above that mark's name. So no line
 * crosses a name and no two names overlap.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_FLAGS_H
#define PROBE_PHYS_REPORT_PICTURE_FLAGS_H

#include "report/picture/scene.h"

/** FLAGS_MOST - most marks of one plot */
#define FLAGS_MOST 64
/** FLAGS_ROWS - most rows of names above a plot */
#define FLAGS_ROWS 9
/** FLAGS_ROW_HEIGHT - height of a row */
#define FLAGS_ROW_HEIGHT 13.0

/**
 * struct flag - a mark and its name
 * @x: place of its line
 * @text: its name
 * @brief: a shorter name, for when rows are short
 * @symbol: number of the symbol, of style_symbol()
 * @pen: pen of the line
 * @row: (out of flags_place()) from 0, next to the plot
 * @shown: (out of flags_place()) the name has a row
 */
struct flag {
	double x;
	char text[64];
	char brief[32];
	size_t symbol;
	struct scene_pen pen;
	size_t row;
	bool shown;
};

/**
 * struct flags - the marks of one plot
 * @flags: @count of them, in order of x after flags_place()
 * @rows: number of rows with names
 * @hidden: number of marks whose name has no row
 * @is_brief: brief names are used
 */
struct flags {
	struct flag flags[FLAGS_MOST];
	size_t count;
	size_t rows;
	size_t hidden;
	bool is_brief;
};

/** flags_add() - add a mark; NULL: there are too many, it counts as hidden */
struct flag *flags_add(struct flags *f, double x);

/** flags_place() - assign a row to each name
 * @right: names end here, except one that begins too close to it
 */
void flags_place(struct flags *f, const struct scene *s);

/** flags_box() - box of a name with its symbol, in row @row above @top */
struct scene_box flags_box(const struct flags *f, const struct flag *flag,
			   const struct scene *s, double top);

/** flags_draw() - draw lines through a plot and names above it
 * @right: names are cut there
 */
void flags_draw(const struct flags *f, struct scene *s,
		const struct scene_box *plot, double right);

#endif
