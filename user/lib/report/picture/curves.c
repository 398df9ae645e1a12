// SPDX-License-Identifier: GPL-2.0
/* curves.c - panels of latency over footprint, reach or stride. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/picture/marks.h"
#include "report/picture/panel.h"
#include "report/picture/style.h"

/* Most curves of a panel; others are only counted. */
#define MOST_LINES 96
/* Curves of at most this number of points also have dots. */
#define FEW_POINTS 40
#define DOT_RADIUS 1.8
#define STEP_WIDTH 4.5
#define STEP_OPACITY 0.3
#define MARK_WIDTH 0.9

/* Titles and texts for each kind of axis. */
static const struct {
	const char *title;
	const char *across;
	const char *empty;
} kinds[] = {
	[SIDE_FOOTPRINT_BYTES] = { "Latency over footprint", "footprint, bytes",
				   "No method timed footprints." },
	[SIDE_STRIDE_BYTES] = { "Latency over stride", "stride, bytes",
				"No method timed strides." },
	[SIDE_REACH_BYTES] = { "Latency over reach of translations",
			       "pages visited, times their size, bytes",
			       "No method timed translations." },
};

/**
 * struct lines - the curves of one panel
 * @curves: @count of them; @more others have no room
 * @source: as of struct mark
 * @pens: one pen for each curve
 * @points: all points that the axes can show
 * @has_steps: at least one curve has steps
 */
struct lines {
	struct panel panel;
	const struct picture *picture;
	const struct side_curve *curves[MOST_LINES];
	size_t source[MOST_LINES];
	struct scene_pen pens[MOST_LINES];
	size_t count;
	size_t more;
	size_t points;
	bool has_steps;
	struct axis_range across;
	struct axis_range up;
	struct axis x;
	struct axis y;
	struct marks marks;
	struct flags flags;
};

static bool shows(const struct curve_point *p)
{
	return axis_shows(p->x) && axis_shows(p->y);
}

static size_t visible_points(const struct side_curve *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += shows(&c->points[i]);
	return count;
}

static void take_curve(struct lines *l, const struct side_curve *c,
		       size_t source)
{
	size_t visible = visible_points(c);

	if (!visible)
		return;
	if (l->count == MOST_LINES) {
		l->more++;
		return;
	}
	l->curves[l->count] = c;
	l->source[l->count++] = source;
	l->points += visible;
	for (size_t i = 0; i < c->count; i++) {
		if (!shows(&c->points[i]))
			continue;
		axis_take(&l->across, c->points[i].x);
		axis_take(&l->up, c->points[i].y);
	}
}

static bool steps_hold(const struct side_curve *c)
{
	return c->analysed && c->found.decided;
}

/* Curves of a method are adjacent. The method with most lines gets the first
 * colour ramp.
 */
static void choose_pens(struct lines *l)
{
	size_t ramps = 1;

	for (size_t i = 0; i < l->count;) {
		size_t many = 1, ramp = 0;

		while (i + many < l->count &&
		       l->source[i + many] == l->source[i])
			many++;
		if (many > STYLE_FEW && 2 * many <= l->count)
			ramp = ramps++;
		for (size_t k = 0; k < many; k++)
			l->pens[i + k] =
				style_line(l->source[i], k, many, ramp);
		i += many;
	}
}

static void collect(struct lines *l, enum side_axis axis)
{
	for (size_t i = 0; i < l->picture->method_count; i++) {
		const struct side_result *r = l->picture->methods[i];

		for (size_t k = 0; k < r->curve_count; k++)
			if (r->curves[k]->axis == axis)
				take_curve(l, r->curves[k], i + 1);
	}
	if (!l->points)
		return;
	marks_collect(&l->marks, l->picture, axis);
	for (size_t i = 0; i < l->marks.count; i++)
		axis_take(&l->across, l->marks.marks[i].value);
	for (size_t i = 0; i < l->count; i++) {
		const struct curve_result *found = &l->curves[i]->found;

		if (!steps_hold(l->curves[i]))
			continue;
		l->has_steps = true;
		for (size_t k = 0; k < found->step_count; k++)
			axis_take(&l->up, found->steps[k].latency);
	}
	choose_pens(l);
}

static struct scene_pen mark_pen(size_t source)
{
	return (struct scene_pen){
		.colour = style_source(source),
		.opacity = 1,
		.width = MARK_WIDTH,
		.dash = (unsigned int)(source % SCENE_DASHES),
	};
}

static void raise_flags(struct lines *l)
{
	double left, right;

	panel_across(&l->panel, &left, &right);
	l->x = axis_over(&l->across, AXIS_BYTES, left, right);
	for (size_t i = 0; i < l->marks.count; i++) {
		const struct mark *m = &l->marks.marks[i];
		struct flag *flag =
			flags_add(&l->flags, axis_at(&l->x, m->value));

		if (!flag)
			continue;
		flag->symbol = m->source;
		flag->pen = mark_pen(m->source);
		snprintf(flag->text, sizeof(flag->text), "%s", m->text);
		snprintf(flag->brief, sizeof(flag->brief), "%s", m->brief);
	}
	flags_place(&l->flags, l->panel.scene);
}

/* Remarks on what the panel leaves out or what might mislead. */
static void remark(struct lines *l)
{
	size_t hidden = l->flags.hidden + l->marks.hidden;

	if (hidden)
		panel_remark(
			&l->panel,
			"%zu more levels that were found have no room for a name here: the table has them",
			hidden);
	if (l->more)
		panel_remark(&l->panel, "%zu more curves have no room here",
			     l->more);
	for (size_t i = 0; i < l->count; i++) {
		const struct side_curve *c = l->curves[i];

		if (c->analysed && !c->found.decided)
			panel_remark(&l->panel, "%s %s: no levels: %s",
				     marks_source(l->picture, l->source[i]),
				     c->name, c->found.reason);
	}
}

static struct scene_pen step_pen(struct scene_pen pen)
{
	pen.width = STEP_WIDTH;
	pen.opacity = STEP_OPACITY;
	pen.dash = 0;
	return pen;
}

static void draw_steps(const struct lines *l, size_t i)
{
	const struct side_curve *c = l->curves[i];
	struct scene_point at[2 * CURVE_MOST_STEPS];
	double from = l->x.begin;
	size_t count = 0;

	for (size_t k = 0; k < c->count; k++)
		if (shows(&c->points[k])) {
			from = axis_at(&l->x, c->points[k].x);
			break;
		}
	for (size_t k = 0; k < c->found.step_count; k++) {
		const struct curve_step *step = &c->found.steps[k];
		double y;

		if (!axis_shows(step->end) || !axis_shows(step->latency))
			continue;
		y = axis_at(&l->y, step->latency);
		at[count++] = (struct scene_point){ from, y };
		from = axis_at(&l->x, step->end);
		at[count++] = (struct scene_point){ from, y };
	}
	scene_path(l->panel.scene, step_pen(l->pens[i]), false, at, count);
}

/* A point that the axes cannot show interrupts the line. */
static void draw_curve(struct lines *l, size_t i)
{
	const struct side_curve *c = l->curves[i];
	struct scene_point *at = calloc(c->count, sizeof(*at));
	struct scene_pen pen = l->pens[i];
	bool few = visible_points(c) <= FEW_POINTS;
	size_t count = 0;

	if (!at) {
		l->panel.scene->failed = true;
		return;
	}
	for (size_t k = 0; k < c->count; k++) {
		if (!shows(&c->points[k])) {
			scene_path(l->panel.scene, pen, false, at, count);
			count = 0;
			continue;
		}
		at[count].x = axis_at(&l->x, c->points[k].x);
		at[count].y = axis_at(&l->y, c->points[k].y);
		if (few)
			scene_circle(l->panel.scene,
				     (struct scene_pen){ .colour = pen.colour,
							 .opacity = 1 },
				     at[count].x, at[count].y, DOT_RADIUS);
		count++;
	}
	scene_path(l->panel.scene, pen, false, at, count);
	free(at);
}

/* List the methods whose levels are drawn. Return: their number. */
static size_t find_sources(const struct lines *l, bool seen[FLAGS_MOST])
{
	size_t count = 0;

	for (size_t i = 0; i < l->marks.count; i++) {
		size_t source = l->marks.marks[i].source;

		if (source >= FLAGS_MOST || seen[source])
			continue;
		seen[source] = true;
		count++;
	}
	return count;
}

static void write_sources(struct lines *l, const bool seen[FLAGS_MOST],
			  size_t left)
{
	struct scene_point at;

	if (left)
		panel_legend_words(&l->panel, "levels found by");
	for (size_t i = 0; left && i < FLAGS_MOST; i++) {
		if (!seen[i])
			continue;
		if (!panel_legend_entry(&l->panel, --left,
					marks_source(l->picture, i), &at))
			return;
		scene_line(l->panel.scene, mark_pen(i), at.x - PANEL_SAMPLE,
			   at.y, at.x + PANEL_SAMPLE, at.y);
		style_symbol(l->panel.scene, i, mark_pen(i), at.x, at.y);
	}
}

static void write_legend(struct lines *l)
{
	bool seen[FLAGS_MOST] = { false };
	size_t sources = find_sources(l, seen);
	char name[SCENE_TEXT];
	struct scene_point at;

	panel_legend_plan(&l->panel,
			  sources + (sources > 0) + l->has_steps + l->count);
	write_sources(l, seen, sources);
	if (l->has_steps &&
	    panel_legend_entry(&l->panel, l->count, "their latencies", &at))
		scene_line(l->panel.scene, step_pen(mark_pen(0)),
			   at.x - PANEL_SAMPLE, at.y, at.x + PANEL_SAMPLE,
			   at.y);
	for (size_t i = 0; i < l->count; i++) {
		snprintf(name, sizeof(name), "%.200s %s",
			 marks_source(l->picture, l->source[i]),
			 l->curves[i]->name);
		if (!panel_legend_entry(&l->panel, l->count - i - 1, name, &at))
			return;
		scene_line(l->panel.scene, l->pens[i], at.x - PANEL_SAMPLE,
			   at.y, at.x + PANEL_SAMPLE, at.y);
	}
}

static void draw_all(struct lines *l)
{
	struct panel *p = &l->panel;

	l->y = axis_over(&l->up, AXIS_CYCLES, p->plot.bottom, p->plot.top);
	axis_draw(p->scene, &l->x, &p->plot, true);
	axis_draw(p->scene, &l->y, &p->plot, false);
	for (size_t i = 0; i < l->count; i++)
		if (steps_hold(l->curves[i]))
			draw_steps(l, i);
	flags_draw(&l->flags, p->scene, &p->plot, p->box.right);
	for (size_t i = 0; i < l->count; i++)
		draw_curve(l, i);
	write_legend(l);
}

void panel_curves(struct scene *s, const struct picture *picture,
		  const struct scene_box *box, enum side_axis axis)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (!l) {
		s->failed = true;
		return;
	}
	l->picture = picture;
	panel_begin(&l->panel, s, box);
	panel_title(&l->panel, "%s", kinds[axis].title);
	collect(l, axis);
	if (l->points) {
		raise_flags(l);
		remark(l);
	}
	panel_frame(&l->panel, l->flags.rows);
	panel_axis_names(&l->panel, kinds[axis].across,
			 "latency, cycles per load");
	if (l->points)
		draw_all(l);
	else
		panel_say(&l->panel, kinds[axis].empty);
	free(l);
}
