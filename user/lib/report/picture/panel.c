// SPDX-License-Identifier: GPL-2.0
/* panel.c - title, frame, names of axes, legend. */
#include "report/picture/panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/picture/style.h"

/* Widths left of the plot: numbers, and the name of the axis. */
#define LEFT_ROOM 78
/* Width right of the plot: the legend. */
#define LEGEND_ROOM 204
#define LEGEND_GAP 14
#define TITLE_ROOM 24
/* Heights below the plot: numbers, and the name of the axis. */
#define BOTTOM_ROOM 40
#define LINE_ROOM 14
#define FLAG_GAP 8
/* Smallest pitch of a legend; the font shrinks in proportion. */
#define LEAST_PITCH 11

void panel_begin(struct panel *p, struct scene *s, const struct scene_box *box)
{
	*p = (struct panel){ .scene = s, .box = *box };
}

void panel_title(struct panel *p, const char *format, ...)
{
	const struct scene_words words = {
		.at = { p->box.left,
			p->box.top + SCENE_ASCENT * STYLE_TITLE_SIZE },
		.role = SCENE_TITLE,
		.size = STYLE_TITLE_SIZE,
		.most = p->box.right - p->box.left,
		.colour = STYLE_INK,
	};
	char text[SCENE_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	scene_text(p->scene, &words, "%s", text);
}

void panel_remark(struct panel *p, const char *format, ...)
{
	va_list args;

	if (p->remark_count == PANEL_REMARKS)
		return;
	va_start(args, format);
	vsnprintf(p->remarks[p->remark_count++], SCENE_TEXT, format, args);
	va_end(args);
}

void panel_across(const struct panel *p, double *left, double *right)
{
	*left = p->box.left + LEFT_ROOM;
	*right = p->box.right - LEGEND_ROOM;
}

static void write_remarks(struct panel *p)
{
	struct scene_words words = {
		.at = { p->box.left + LEFT_ROOM, p->plot.bottom + BOTTOM_ROOM },
		.role = SCENE_NOTE,
		.size = STYLE_MARK_SIZE,
		.most = p->box.right - p->box.left - LEFT_ROOM,
		.colour = STYLE_FAINT_INK,
	};

	for (size_t i = 0; i < p->remark_count; i++) {
		words.at.y += LINE_ROOM;
		scene_text(p->scene, &words, "%s", p->remarks[i]);
	}
}

void panel_frame(struct panel *p, size_t rows)
{
	struct scene_box *plot = &p->plot;

	panel_across(p, &plot->left, &plot->right);
	plot->top = p->box.top + TITLE_ROOM + FLAG_GAP +
		    (double)rows * FLAGS_ROW_HEIGHT;
	plot->bottom = p->box.bottom - BOTTOM_ROOM -
		       (double)(p->remark_count + 1) * LINE_ROOM;
	p->legend = (struct scene_box){ plot->right + LEGEND_GAP, plot->top,
					p->box.right, plot->bottom };
	p->pitch = LINE_ROOM;
	scene_add_plot(p->scene, plot);
	scene_rectangle(p->scene, STYLE_FRAME_PEN, plot);
	write_remarks(p);
}

void panel_axis_names(struct panel *p, const char *across, const char *up)
{
	struct scene_words words = {
		.at = { (p->plot.left + p->plot.right) / 2,
			p->plot.bottom + 34 },
		.align = SCENE_MIDDLE,
		.role = SCENE_AXIS,
		.size = STYLE_AXIS_SIZE,
		.most = p->plot.right - p->plot.left,
		.colour = STYLE_INK,
	};

	scene_text(p->scene, &words, "%s", across);
	words.at.x = p->box.left + SCENE_ASCENT * STYLE_AXIS_SIZE;
	words.at.y = (p->plot.top + p->plot.bottom) / 2;
	words.most = p->plot.bottom - p->plot.top;
	words.upright = true;
	scene_text(p->scene, &words, "%s", up);
}

/* Take as many words as fit into a line. Return: number of characters. */
static size_t take_line(const struct scene *s, const char *text, double most)
{
	char line[SCENE_TEXT];
	size_t taken = 0;

	for (;;) {
		size_t next = taken + strspn(text + taken, " ");

		next += strcspn(text + next, " ");
		if (next == taken || next >= sizeof(line))
			return taken ? taken : next;
		snprintf(line, sizeof(line), "%.*s", (int)next, text);
		if (taken && scene_width(s, line, STYLE_AXIS_SIZE) > most)
			return taken;
		taken = next;
	}
}

void panel_say(struct panel *p, const char *text)
{
	struct scene_words words = {
		.at = { (p->plot.left + p->plot.right) / 2,
			p->plot.top + (p->plot.bottom - p->plot.top) / 3 },
		.align = SCENE_MIDDLE,
		.role = SCENE_NOTE,
		.size = STYLE_AXIS_SIZE,
		.most = 0.9 * (p->plot.right - p->plot.left),
		.colour = STYLE_INK,
	};

	while (words.at.y < p->plot.bottom - LINE_ROOM) {
		size_t taken;

		text += strspn(text, " ");
		taken = take_line(p->scene, text, words.most);
		if (!taken)
			return;
		scene_text(p->scene, &words, "%.*s", (int)taken, text);
		text += taken;
		words.at.y += 1.5 * STYLE_AXIS_SIZE;
	}
}

void panel_legend_plan(struct panel *p, size_t lines)
{
	double room = p->legend.bottom - p->legend.top;

	p->pitch = fmin(fmax(room / (double)(lines ? lines : 1), LEAST_PITCH),
			LINE_ROOM);
}

/* Write words of the legend, @indent from its left. Return: the height of their
 * middle.
 */
static double write_legend(struct panel *p, double indent, const char *text)
{
	const double size = STYLE_TICK_SIZE * p->pitch / LINE_ROOM;
	const struct scene_words words = {
		.at = { p->legend.left + indent,
			p->legend.top + SCENE_ASCENT * size },
		.role = SCENE_LEGEND,
		.size = size,
		.most = p->legend.right - p->legend.left - indent,
		.colour = STYLE_INK,
	};

	scene_text(p->scene, &words, "%s", text);
	p->legend.top += p->pitch;
	return words.at.y - (SCENE_ASCENT - SCENE_DESCENT) / 2 * size;
}

static size_t lines_left(const struct panel *p)
{
	/* The tolerance covers the rounding error of the sum of pitches. */
	double room = p->legend.bottom - p->legend.top + 0.01;

	return room < p->pitch ? 0 : (size_t)(room / p->pitch);
}

void panel_legend_words(struct panel *p, const char *text)
{
	if (lines_left(p))
		write_legend(p, 0, text);
}

bool panel_legend_entry(struct panel *p, size_t left, const char *name,
			struct scene_point *sample)
{
	char more[AXIS_LABEL];

	if (lines_left(p) < 1)
		return false;
	if (lines_left(p) == 1 && left) {
		snprintf(more, sizeof(more), "and %zu more", left + 1);
		write_legend(p, 2 * PANEL_SAMPLE + 6, more);
		p->legend.top = p->legend.bottom;
		return false;
	}
	sample->y = write_legend(p, 2 * PANEL_SAMPLE + 6, name);
	sample->x = p->legend.left + PANEL_SAMPLE;
	return true;
}
