// SPDX-License-Identifier: GPL-2.0
/*
 * density.c - the histogram of latencies, as in Cooper-Sandoval's figure 7:
 * bins, the smoothed line, and its peaks, one for each level.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/picture/panel.h"
#include "report/picture/style.h"

#define BIN_COLOUR 0x9a9a9a
#define PEAK_RADIUS 4.5
/* Margin above the highest value, as a share of the plot. */
#define HEADROOM 0.06

#define SMOOTH_PEN \
	((struct scene_pen){ .colour = 0x0072b2, .opacity = 1, .width = 1.8 })
#define PEAK_PEN \
	((struct scene_pen){ .colour = 0xd55e00, .opacity = 1, .width = 2 })
#define LEVEL_PEN            \
	((struct scene_pen){ \
		.colour = 0xd55e00, .opacity = 1, .width = 0.8, .dash = 2 })

/**
 * struct histogram - the histogram of one curve
 * @most_raw: highest bin
 * @most_smooth: highest point of the smoothed line
 */
struct histogram {
	struct panel panel;
	const struct curve_density *d;
	struct axis x;
	double most_raw;
	double most_smooth;
	struct flags flags;
};

static double height_of(double value)
{
	return isfinite(value) && value > 0 ? value : 0;
}

static bool has_data(const struct curve_density *d)
{
	double sum = 0;

	if (!d->bins || d->bins > CURVE_BINS || !isfinite(d->low) ||
	    !isfinite(d->width) || d->width <= 0)
		return false;
	for (size_t i = 0; i < d->bins; i++)
		sum += height_of(d->raw[i]);
	return sum > 0;
}

static const struct side_curve *find_curve(const struct picture *picture,
					   const char **method)
{
	for (size_t i = 0; i < picture->method_count; i++)
		for (size_t k = 0; k < picture->methods[i]->curve_count; k++) {
			const struct side_curve *c =
				picture->methods[i]->curves[k];

			if (c->axis != SIDE_FOOTPRINT_BYTES || !c->analysed ||
			    !has_data(&c->found.density))
				continue;
			*method = picture->methods[i]->method;
			return c;
		}
	return NULL;
}

static double latency_at(const struct curve_density *d, double bin)
{
	return exp2(d->low + bin * d->width);
}

static double bin_at(const struct histogram *h, double bin)
{
	return axis_at(&h->x, latency_at(h->d, bin));
}

/* @share: value as a share of the highest */
static double height_at(const struct histogram *h, double share)
{
	const struct scene_box *plot = &h->panel.plot;

	return plot->bottom -
	       share * (1 - HEADROOM) * (plot->bottom - plot->top);
}

static double smooth_at(const struct histogram *h, size_t bin)
{
	return height_at(h, height_of(h->d->smooth[bin]) / h->most_smooth);
}

/* Show only bins that have points, and bins close to these. */
static void find_range(struct histogram *h)
{
	struct axis_range range = { .any = false };
	double left, right;

	for (size_t i = 0; i < h->d->bins; i++) {
		h->most_raw = fmax(h->most_raw, height_of(h->d->raw[i]));
		h->most_smooth =
			fmax(h->most_smooth, height_of(h->d->smooth[i]));
		if (height_of(h->d->raw[i]) <= 0)
			continue;
		axis_take(&range, latency_at(h->d, (double)i));
		axis_take(&range, latency_at(h->d, (double)i + 1));
	}
	for (size_t i = 0; i < h->d->peak_count && i < CURVE_MOST_STEPS; i++)
		if (h->d->peaks[i] < h->d->bins)
			axis_take(&range,
				  latency_at(h->d,
					     (double)h->d->peaks[i] + 0.5));
	panel_across(&h->panel, &left, &right);
	h->x = axis_over(&range, AXIS_CYCLES, left, right);
}

static void raise_flags(struct histogram *h)
{
	for (size_t i = 0; i < h->d->peak_count && i < CURVE_MOST_STEPS; i++) {
		double bin = (double)h->d->peaks[i] + 0.5;
		struct flag *flag;

		if (h->d->peaks[i] >= h->d->bins)
			continue;
		flag = flags_add(&h->flags, bin_at(h, bin));
		if (!flag)
			return;
		flag->pen = LEVEL_PEN;
		flag->symbol = 1;
		snprintf(flag->text, sizeof(flag->text), "%.3g cycles",
			 latency_at(h->d, bin));
		snprintf(flag->brief, sizeof(flag->brief), "%.3g",
			 latency_at(h->d, bin));
	}
	flags_place(&h->flags, h->panel.scene);
}

static void draw_bins(const struct histogram *h)
{
	const struct scene_pen area = { .colour = BIN_COLOUR, .opacity = 1 };

	for (size_t i = 0; i < h->d->bins; i++) {
		double share = height_of(h->d->raw[i]) / h->most_raw;
		struct scene_box box = { bin_at(h, (double)i),
					 height_at(h, share),
					 bin_at(h, (double)i + 1),
					 h->panel.plot.bottom };

		/* A bar thinner than a line would be invisible. */
		box.right = fmin(fmax(box.right, box.left + 1),
				 h->panel.plot.right);
		if (share > 0)
			scene_rectangle(h->panel.scene, area, &box);
	}
}

static bool is_inside(const struct histogram *h, size_t bin)
{
	double at = h->d->low + ((double)bin + 0.5) * h->d->width;

	return at >= h->x.low && at <= h->x.high;
}

static void draw_smooth(const struct histogram *h)
{
	struct scene_point at[CURVE_BINS];
	size_t count = 0;

	if (h->most_smooth <= 0)
		return;
	for (size_t i = 0; i < h->d->bins; i++)
		if (is_inside(h, i))
			at[count++] = (struct scene_point){
				bin_at(h, (double)i + 0.5), smooth_at(h, i)
			};
	scene_path(h->panel.scene, SMOOTH_PEN, false, at, count);
	for (size_t i = 0; i < h->d->peak_count && i < CURVE_MOST_STEPS; i++)
		if (h->d->peaks[i] < h->d->bins)
			scene_circle(h->panel.scene, PEAK_PEN,
				     bin_at(h, (double)h->d->peaks[i] + 0.5),
				     smooth_at(h, h->d->peaks[i]), PEAK_RADIUS);
}

static void write_heights(const struct histogram *h)
{
	const struct scene_box *plot = &h->panel.plot;

	for (int percent = 0; percent <= 100; percent += 25) {
		double y = height_at(h, percent / 100.0);
		const struct scene_words words = {
			.at = { plot->left - 6,
				y + (SCENE_ASCENT - SCENE_DESCENT) / 2 *
						STYLE_TICK_SIZE },
			.align = SCENE_END,
			.role = SCENE_TICK,
			.size = STYLE_TICK_SIZE,
			.colour = STYLE_INK,
		};

		scene_line(h->panel.scene, STYLE_GRID_PEN, plot->left, y,
			   plot->right, y);
		scene_text(h->panel.scene, &words, "%d %%", percent);
	}
}

static void write_legend(struct histogram *h)
{
	struct scene *s = h->panel.scene;
	struct scene_point at;
	char name[2 * AXIS_LABEL];
	struct scene_box box;

	snprintf(name, sizeof(name), "points of a bin (most: %.4g)",
		 h->most_raw);
	if (!panel_legend_entry(&h->panel, 0, name, &at))
		return;
	box = (struct scene_box){ at.x - 6, at.y - 4, at.x + 6, at.y + 4 };
	scene_rectangle(
		s, (struct scene_pen){ .colour = BIN_COLOUR, .opacity = 1 },
		&box);
	if (!panel_legend_entry(&h->panel, 0, "smoothed", &at))
		return;
	scene_line(s, SMOOTH_PEN, at.x - PANEL_SAMPLE, at.y,
		   at.x + PANEL_SAMPLE, at.y);
	if (panel_legend_entry(&h->panel, 0, "peaks: levels, with memory", &at))
		scene_circle(s, PEAK_PEN, at.x, at.y, PEAK_RADIUS);
}

static void draw_all(struct histogram *h)
{
	axis_draw(h->panel.scene, &h->x, &h->panel.plot, true);
	write_heights(h);
	draw_bins(h);
	flags_draw(&h->flags, h->panel.scene, &h->panel.plot,
		   h->panel.box.right);
	draw_smooth(h);
	write_legend(h);
}

void panel_density(struct scene *s, const struct picture *picture,
		   const struct scene_box *box)
{
	struct histogram *h = calloc(1, sizeof(*h));
	const struct side_curve *curve;
	const char *method = NULL;

	if (!h) {
		s->failed = true;
		return;
	}
	panel_begin(&h->panel, s, box);
	curve = find_curve(picture, &method);
	if (curve) {
		h->d = &curve->found.density;
		panel_title(&h->panel, "Density of latencies: %s %s", method,
			    curve->name);
		find_range(h);
		raise_flags(h);
		if (!curve->found.decided)
			panel_remark(&h->panel, "no levels: %s",
				     curve->found.reason);
	} else {
		panel_title(&h->panel, "Density of latencies");
	}
	panel_frame(&h->panel, h->flags.rows);
	panel_axis_names(&h->panel, "latency, cycles per load",
			 "share of the highest");
	if (curve)
		draw_all(h);
	else
		panel_say(
			&h->panel,
			"No curve over footprint was analysed without a threshold.");
	free(h);
}
