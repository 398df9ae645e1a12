/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flags.h - names of vertical marks, in rows above a plot.
 *
 * A name stands to the right of its mark's line, like a flag. Where it would
 * meet the line of another mark it goes higher than that one's flag, so that no
 * line crosses a name and no two names meet.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_FLAGS_H
#define PROBE_PHYS_REPORT_PICTURE_FLAGS_H

#include "report/picture/scene.h"

/** FLAGS_MOST - of one plot */
#define FLAGS_MOST 64
/** FLAGS_ROWS - most rows that a plot leaves room for */
#define FLAGS_ROWS 9
/** FLAGS_ROW_HEIGHT - of a row */
#define FLAGS_ROW_HEIGHT 13.0

/**
 * struct flag - a mark
 * @x: of its line
 * @text: its name
 * @brief: a shorter name, for when rows are short
 * @symbol: of style_symbol()
 * @pen: of the line
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
 * struct flags - those of one plot
 * @flags: @count of them, in order of x after flags_place()
 * @rows: that have names
 * @hidden: marks without a name, for which there is no row
 * @is_brief: brief names are used
 */
struct flags {
	struct flag flags[FLAGS_MOST];
	size_t count;
	size_t rows;
	size_t hidden;
	bool is_brief;
};

/** flags_add() - a mark; NULL: there are too many, counted as hidden */
struct flag *flags_add(struct flags *f, double x);

/** flags_place() - rows for all names
 * @right: no name reaches beyond, but for one that begins too near
 */
void flags_place(struct flags *f, const struct scene *s);

/** flags_box() - room that a name with its symbol takes, in row @row above @top */
struct scene_box flags_box(const struct flags *f, const struct flag *flag,
			   const struct scene *s, double top);

/** flags_draw() - lines through a plot, and names above it
 * @right: names are cut there
 */
void flags_draw(const struct flags *f, struct scene *s,
		const struct scene_box *plot, double right);

#endif
