/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scene.h - a drawing as data: lines, areas and texts, with the room
 * that each text takes, so that it can be checked before anything is painted.
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
/** SCENE_TEXT - longest text, longer ones are cut */
#define SCENE_TEXT 512
/** SCENE_ASCENT - room above the base line, in font sizes */
#define SCENE_ASCENT 0.95
/** SCENE_DESCENT - room below it */
#define SCENE_DESCENT 0.25
/** SCENE_DASHES - kinds of dashes, 0: none */
#define SCENE_DASHES 6

/** struct scene_point - a place */
struct scene_point {
	double x;
	double y;
};

/** struct scene_box - room that something takes */
struct scene_box {
	double left;
	double top;
	double right;
	double bottom;
};

/**
 * struct scene_pen - how something is painted
 * @colour: 0xRRGGBB
 * @opacity: 0 to 1
 * @width: of the line; 0: the area inside is filled
 * @dash: of the line, below SCENE_DASHES
 */
struct scene_pen {
	uint32_t colour;
	double opacity;
	double width;
	unsigned int dash;
};

/** enum scene_kind - what is painted */
enum scene_kind {
	SCENE_OPEN, /* line through the points */
	SCENE_CLOSED,
	SCENE_CIRCLE, /* around the first point */
	SCENE_WORDS,  /* base line begins at the first point */
};

/** enum scene_role - what a text is there for */
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
 * struct scene_item - one thing
 * @first: of the scene's points; @count of them
 * @radius: of a circle
 * @text: of words, owned; printable ASCII
 * @size: of the font
 * @upright: the text runs upwards
 * @box: room that a text takes
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
 * struct scene_metrics - how wide texts are
 * @width: of a text at a font size
 * @context: its first argument
 */
struct scene_metrics {
	double (*width)(void *context, const char *text, double size);
	void *context;
};

/**
 * struct scene - all of it
 * @width: of the sheet
 * @height: of the sheet
 * @items: in the order in which they are painted, owned; @item_count of them
 * @points: of all items, owned; @point_count of them
 * @plots: where data are drawn; @plot_count of them
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

/** enum scene_align - which part of a text lies at the place */
enum scene_align {
	SCENE_BEGIN,
	SCENE_MIDDLE,
	SCENE_END,
};

/**
 * struct scene_words - a text to be written
 * @at: on the base line
 * @most: widest; more is cut, with three dots; 0: as wide as it gets
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

/** scene_begin() - an empty sheet */
void scene_begin(struct scene *s, double width, double height,
		 const struct scene_metrics *metrics);

/** scene_free() - its items */
void scene_free(struct scene *s);

/** scene_path() - a line, or an area; nothing for no points */
void scene_path(struct scene *s, struct scene_pen pen, bool closed,
		const struct scene_point *points, size_t count);

/** scene_line() - between two places */
void scene_line(struct scene *s, struct scene_pen pen, double x0, double y0,
		double x1, double y1);

/** scene_rectangle() - its outline or, without a width, its area */
void scene_rectangle(struct scene *s, struct scene_pen pen,
		     const struct scene_box *box);

void scene_circle(struct scene *s, struct scene_pen pen, double x, double y,
		  double radius);

/** scene_text() - words; what is not printable ASCII becomes a question mark */
void scene_text(struct scene *s, const struct scene_words *words,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

/** scene_width() - how wide a text would be */
double scene_width(const struct scene *s, const char *text, double size);

/** scene_add_plot() - note where data are drawn; no more than SCENE_PLOTS */
void scene_add_plot(struct scene *s, const struct scene_box *box);

#endif
