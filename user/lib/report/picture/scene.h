/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scene.h - a drawing as data: lines, areas, texts and the box of each text.
 * Tests can check the layout before it is painted.
 *
 * Lengths are in points (1/72 inch); x grows to the right, y downwards.
 */
#ifndef PROBE_PHYS_REPORT_PICTURE_SCENE_H
#define PROBE_PHYS_REPORT_PICTURE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** SCENE_PLOTS - most plots of a scene */
#define SCENE_PLOTS 8
/** SCENE_TEXT - most characters of a text; longer ones are cut */
#define SCENE_TEXT 512
/** SCENE_ASCENT - height above the base line, in font sizes */
#define SCENE_ASCENT 0.95
/** SCENE_DESCENT - depth below it */
#define SCENE_DESCENT 0.25
/** SCENE_DASHES - number of dash patterns, 0 is a solid line */
#define SCENE_DASHES 6

/** struct scene_point - a point */
struct scene_point {
	double x;
	double y;
};

/** struct scene_box - a rectangle */
struct scene_box {
	double left;
	double top;
	double right;
	double bottom;
};

/**
 * struct scene_pen - how an item is painted
 * @colour: 0xRRGGBB
 * @opacity: 0 to 1
 * @width: width of the line; 0: fill the area inside
 * @dash: dash pattern, below SCENE_DASHES
 */
struct scene_pen {
	uint32_t colour;
	double opacity;
	double width;
	unsigned int dash;
};

/** enum scene_kind - kind of an item */
enum scene_kind {
	SCENE_OPEN, /* line through the points */
	SCENE_CLOSED,
	SCENE_CIRCLE, /* around the first point */
	SCENE_WORDS,  /* base line begins at the first point */
};

/** enum scene_role - purpose of a text */
enum scene_role {
	SCENE_HEADING,
	SCENE_TITLE,
	SCENE_NOTE,
	SCENE_TICK,
	SCENE_AXIS,
	SCENE_LEGEND,
	SCENE_MARK,
};

/**
 * struct scene_item - one item
 * @first: index in the scene's points; @count of them
 * @radius: radius of a circle
 * @text: text of words, owned; printable ASCII
 * @size: size of the font
 * @upright: the text runs upwards
 * @box: box of a text
 */
struct scene_item {
	enum scene_kind kind;
	struct scene_pen pen;
	size_t first;
	size_t count;
	double radius;
	char *text;
	double size;
	bool upright;
	enum scene_role role;
	struct scene_box box;
};

/**
 * struct scene_metrics - measures the width of texts
 * @width: returns the width of a text at a font size
 * @context: its first argument
 */
struct scene_metrics {
	double (*width)(void *context, const char *text, double size);
	void *context;
};

/**
 * struct scene - a drawing
 * @width: width of the sheet
 * @height: height of the sheet
 * @items: in the order in which they are painted, owned; @item_count of them
 * @points: of all items, owned; @point_count of them
 * @plots: areas of the data; @plot_count of them
 * @failed: out of memory: some items are missing
 */
struct scene {
	double width;
	double height;
	struct scene_metrics metrics;
	struct scene_item *items;
	size_t item_count;
	size_t item_room;
	struct scene_point *points;
	size_t point_count;
	size_t point_room;
	struct scene_box plots[SCENE_PLOTS];
	size_t plot_count;
	bool failed;
};

/** enum scene_align - the part of a text that lies at its point */
enum scene_align {
	SCENE_BEGIN,
	SCENE_MIDDLE,
	SCENE_END,
};

/**
 * struct scene_words - a text to write
 * @at: its point on the base line
 * @most: greatest width; a longer text is cut and ends in three dots; 0: no
 *        limit
 */
struct scene_words {
	struct scene_point at;
	enum scene_align align;
	enum scene_role role;
	double size;
	double most;
	uint32_t colour;
	bool upright;
};

/** scene_begin() - begin an empty sheet */
void scene_begin(struct scene *s, double width, double height,
		 const struct scene_metrics *metrics);

/** scene_free() - release all items */
void scene_free(struct scene *s);

/** scene_path() - add a line or an area; without points, nothing */
void scene_path(struct scene *s, struct scene_pen pen, bool closed,
		const struct scene_point *points, size_t count);

/** scene_line() - add a line between two points */
void scene_line(struct scene *s, struct scene_pen pen, double x0, double y0,
		double x1, double y1);

/** scene_rectangle() - add its outline or, if the width is 0, its area */
void scene_rectangle(struct scene *s, struct scene_pen pen,
		     const struct scene_box *box);

void scene_circle(struct scene *s, struct scene_pen pen, double x, double y,
		  double radius);

/** scene_text() - add words; characters other than printable ASCII become
 * question marks
 */
void scene_text(struct scene *s, const struct scene_words *words,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

/** scene_width() - width of a text */
double scene_width(const struct scene *s, const char *text, double size);

/** scene_add_plot() - record the area of a plot; at most SCENE_PLOTS */
void scene_add_plot(struct scene *s, const struct scene_box *box);

#endif
