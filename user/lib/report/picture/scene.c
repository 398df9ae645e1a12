// SPDX-License-Identifier: GPL-2.0
/* scene.c - collect the items to paint. */
#include "report/picture/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64
static const char dots[] = "...";

void scene_begin(struct scene *s, double width, double height,
		 const struct scene_metrics *metrics)
{
	*s = (struct scene){
		.width = width,
		.height = height,
		.metrics = *metrics,
	};
}

void scene_free(struct scene *s)
{
	for (size_t i = 0; i < s->item_count; i++)
		free(s->items[i].text);
	free(s->items);
	free(s->points);
	s->items = NULL;
	s->points = NULL;
	s->item_count = s->item_room = 0;
	s->point_count = s->point_room = 0;
}

/* Make room for @more elements of @size bytes. */
static void *grow(struct scene *s, void *array, size_t *room, size_t count,
		  size_t more, size_t size)
{
	size_t wanted = *room ? *room : FIRST_ROOM;
	void *larger;

	if (count + more <= *room)
		return array;
	while (wanted < count + more)
		wanted *= 2;
	larger = reallocarray(array, wanted, size);
	if (!larger) {
		s->failed = true;
		return array;
	}
	*room = wanted;
	return larger;
}

/* Return: NULL: out of memory. */
static struct scene_item *add_item(struct scene *s, enum scene_kind kind,
				   const struct scene_point *points,
				   size_t count)
{
	struct scene_item *item;

	s->items = grow(s, s->items, &s->item_room, s->item_count, 1,
			sizeof(*s->items));
	s->points = grow(s, s->points, &s->point_room, s->point_count, count,
			 sizeof(*s->points));
	if (s->failed)
		return NULL;
	item = &s->items[s->item_count++];
	*item = (struct scene_item){ .kind = kind,
				     .first = s->point_count,
				     .count = count };
	memcpy(s->points + s->point_count, points, count * sizeof(*points));
	s->point_count += count;
	return item;
}

void scene_path(struct scene *s, struct scene_pen pen, bool closed,
		const struct scene_point *points, size_t count)
{
	struct scene_item *item = NULL;

	if (count)
		item = add_item(s, closed ? SCENE_CLOSED : SCENE_OPEN, points,
				count);
	if (item)
		item->pen = pen;
}

void scene_line(struct scene *s, struct scene_pen pen, double x0, double y0,
		double x1, double y1)
{
	const struct scene_point ends[] = { { x0, y0 }, { x1, y1 } };

	scene_path(s, pen, false, ends, 2);
}

void scene_rectangle(struct scene *s, struct scene_pen pen,
		     const struct scene_box *box)
{
	const struct scene_point corners[] = { { box->left, box->top },
					       { box->right, box->top },
					       { box->right, box->bottom },
					       { box->left, box->bottom } };

	scene_path(s, pen, true, corners, 4);
}

void scene_circle(struct scene *s, struct scene_pen pen, double x, double y,
		  double radius)
{
	const struct scene_point centre = { x, y };
	struct scene_item *item = add_item(s, SCENE_CIRCLE, &centre, 1);

	if (!item)
		return;
	item->pen = pen;
	item->radius = radius;
}

double scene_width(const struct scene *s, const char *text, double size)
{
	return s->metrics.width(s->metrics.context, text, size);
}

static void make_printable(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* Cut a text that is too wide; it becomes empty if even the dots do not fit. */
static void fit(const struct scene *s, char *text, size_t room, double size,
		double most)
{
	size_t low = 0, high = strlen(text);
	char cut[SCENE_TEXT];

	if (most <= 0 || scene_width(s, text, size) <= most)
		return;
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		snprintf(cut, sizeof(cut), "%.*s%s", (int)middle, text, dots);
		if (scene_width(s, cut, size) <= most)
			low = middle;
		else
			high = middle - 1;
	}
	while (low && text[low - 1] == ' ')
		low--;
	if (low)
		snprintf(cut, sizeof(cut), "%.*s%s", (int)low, text, dots);
	else
		cut[0] = '\0';
	snprintf(text, room, "%s", cut);
}

static double share_before(enum scene_align align)
{
	return align == SCENE_BEGIN ? 0 : align == SCENE_MIDDLE ? 0.5 : 1;
}

static struct scene_box box_of(struct scene_point at, double width, double size,
			       bool upright)
{
	if (upright)
		return (struct scene_box){ at.x - SCENE_ASCENT * size,
					   at.y - width,
					   at.x + SCENE_DESCENT * size, at.y };
	return (struct scene_box){ at.x, at.y - SCENE_ASCENT * size,
				   at.x + width, at.y + SCENE_DESCENT * size };
}

void scene_text(struct scene *s, const struct scene_words *words,
		const char *format, ...)
{
	struct scene_point at = words->at;
	struct scene_item *item;
	char text[SCENE_TEXT];
	double width;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text) - sizeof(dots), format, args);
	va_end(args);
	make_printable(text);
	fit(s, text, sizeof(text), words->size, words->most);
	if (!text[0])
		return;
	width = scene_width(s, text, words->size);
	if (words->upright)
		at.y += share_before(words->align) * width;
	else
		at.x -= share_before(words->align) * width;
	item = add_item(s, SCENE_WORDS, &at, 1);
	if (!item)
		return;
	item->pen = (struct scene_pen){ .colour = words->colour, .opacity = 1 };
	item->size = words->size;
	item->role = words->role;
	item->upright = words->upright;
	item->box = box_of(at, width, words->size, words->upright);
	item->text = strdup(text);
	if (!item->text)
		s->failed = true;
}

void scene_add_plot(struct scene *s, const struct scene_box *box)
{
	if (s->plot_count < SCENE_PLOTS)
		s->plots[s->plot_count++] = *box;
}
