// SPDX-License-Identifier: GPL-2.0
/* map.c - the panel that shows which sequences are compact, as a grid. */
#include <math.h>
#include <stdio.h>

#include "report/picture/panel.h"
#include "report/picture/style.h"

#define BOUNDARY_PEN \
	((struct scene_pen){ .colour = STYLE_INK, .opacity = 1, .width = 2.2 })
/* Largest half width of a cross. */
#define CROSS 4.0
#define CELL_GAP 0.6

enum cell_kind {
	CELL_COMPACT,
	CELL_NON_COMPACT,
	CELL_UNDECIDED,
	CELL_NOT_ASKED,
	CELL_KINDS,
};

static const char *const cell_names[] = {
	[CELL_COMPACT] = "compact",
	[CELL_NON_COMPACT] = "not compact",
	[CELL_UNDECIDED] = "undecided",
	[CELL_NOT_ASKED] = "not tested",
};

static const uint32_t cell_colours[] = {
	[CELL_COMPACT] = STYLE_COMPACT,
	[CELL_NON_COMPACT] = STYLE_NON_COMPACT,
	[CELL_UNDECIDED] = STYLE_UNDECIDED,
	[CELL_NOT_ASKED] = 0xffffff,
};

static enum cell_kind kind_of(const struct compact_cell *c)
{
	if (!c->tested)
		return CELL_NOT_ASKED;
	if (c->verdict == VERDICT_COMPACT)
		return CELL_COMPACT;
	return c->verdict == VERDICT_NON_COMPACT ? CELL_NON_COMPACT :
						   CELL_UNDECIDED;
}

static void draw_cell(struct scene *s, const struct scene_box *box,
		      enum cell_kind kind)
{
	const struct scene_pen area = { .colour = cell_colours[kind],
					.opacity = 1 };
	const struct scene_pen ink = { .colour = kind == CELL_NON_COMPACT ?
							 0xffffff :
							 STYLE_INK,
				       .opacity = 1,
				       .width = 1.1 };
	double x = (box->left + box->right) / 2;
	double y = (box->top + box->bottom) / 2;
	double r =
		fmin(CROSS,
		     fmin(box->right - box->left, box->bottom - box->top) / 4);

	scene_rectangle(s, area, box);
	if (kind == CELL_NON_COMPACT) {
		scene_line(s, ink, x - r, y - r, x + r, y + r);
		scene_line(s, ink, x - r, y + r, x + r, y - r);
	} else if (kind == CELL_UNDECIDED) {
		scene_line(s, ink, x - r, y, x + r, y);
	} else if (kind == CELL_NOT_ASKED) {
		scene_circle(s,
			     (struct scene_pen){ .colour = STYLE_UNDECIDED,
						 .opacity = 1 },
			     x, y, 1);
	}
}

/** struct grid - a map with the places of its columns and rows */
struct grid {
	struct panel panel;
	const struct compactness_map *map;
	double width;
	double height;
};

static double column_at(const struct grid *g, size_t i)
{
	return g->panel.plot.left + (double)i * g->width;
}

static double row_at(const struct grid *g, size_t k)
{
	return g->panel.plot.bottom - (double)k * g->height;
}

static void draw_cells(const struct grid *g)
{
	for (size_t i = 0; i < g->map->stride_count; i++)
		for (size_t k = 0; k < g->map->count_count; k++) {
			const struct scene_box box = {
				column_at(g, i) + CELL_GAP,
				row_at(g, k + 1) + CELL_GAP,
				column_at(g, i + 1) - CELL_GAP,
				row_at(g, k) - CELL_GAP
			};

			draw_cell(g->panel.scene, &box,
				  kind_of(&g->map->cells[i][k]));
		}
}

/* Draw the boundary above the last number of elements that is compact according
 * to ways and way size.
 */
static void draw_boundary(const struct grid *g)
{
	const struct compactness_map *map = g->map;
	struct scene_point at[2 * COMPACT_MAP_STRIDES];
	size_t count = 0;

	if (!map->ways)
		return;
	for (size_t i = 0; i < map->stride_count; i++) {
		size_t most = compact_map_boundary(map, map->strides[i]);
		size_t rows = 0;
		double y;

		while (rows < map->count_count && map->counts[rows] <= most)
			rows++;
		y = row_at(g, rows);
		at[count++] = (struct scene_point){ column_at(g, i), y };
		at[count++] = (struct scene_point){ column_at(g, i + 1), y };
	}
	scene_path(g->panel.scene, BOUNDARY_PEN, false, at, count);
}

/* Compute the step between strides whose numbers have room. */
static size_t column_step(const struct grid *g)
{
	double widest = 0;
	char label[AXIS_LABEL];

	for (size_t i = 0; i < g->map->stride_count; i++) {
		axis_label(label, AXIS_BYTES, (double)g->map->strides[i]);
		widest = fmax(widest, scene_width(g->panel.scene, label,
						  STYLE_TICK_SIZE));
	}
	return (size_t)((widest + STYLE_TICK_SIZE / 2) / g->width) + 1;
}

/* Write numbers in the middle of columns and rows. */
static void write_numbers(const struct grid *g)
{
	const struct compactness_map *map = g->map;
	const struct scene_box *plot = &g->panel.plot;
	struct scene_words words = { .role = SCENE_TICK,
				     .size = STYLE_TICK_SIZE,
				     .colour = STYLE_INK };
	const size_t step = column_step(g);
	char label[AXIS_LABEL];

	words.align = SCENE_MIDDLE;
	words.at.y = plot->bottom + STYLE_BELOW_PLOT +
		     SCENE_ASCENT * STYLE_TICK_SIZE;
	for (size_t i = 0; i < map->stride_count; i += step) {
		axis_label(label, AXIS_BYTES, (double)map->strides[i]);
		words.at.x = column_at(g, i) + g->width / 2;
		scene_text(g->panel.scene, &words, "%s", label);
	}
	words.align = SCENE_END;
	words.at.x = plot->left - 6;
	for (size_t k = 0; k < map->count_count; k++) {
		words.at.y =
			row_at(g, k) - g->height / 2 +
			(SCENE_ASCENT - SCENE_DESCENT) / 2 * STYLE_TICK_SIZE;
		scene_text(g->panel.scene, &words, "%zu", map->counts[k]);
	}
}

static void write_legend(struct grid *g)
{
	char ways[2 * AXIS_LABEL], bytes[AXIS_LABEL];
	struct scene_point at;

	for (size_t i = 0; i < CELL_KINDS; i++) {
		struct scene_box box;

		if (!panel_legend_entry(&g->panel, 0, cell_names[i], &at))
			return;
		box = (struct scene_box){ at.x - 6, at.y - 5, at.x + 6,
					  at.y + 5 };
		draw_cell(g->panel.scene, &box, (enum cell_kind)i);
		scene_rectangle(g->panel.scene, STYLE_FRAME_PEN, &box);
	}
	if (!g->map->ways)
		return;
	axis_label(bytes, AXIS_BYTES, (double)g->map->way_bytes);
	snprintf(ways, sizeof(ways), "%zu ways of %s (x-ray)", g->map->ways,
		 bytes);
	if (panel_legend_entry(&g->panel, 0, ways, &at))
		scene_line(g->panel.scene, BOUNDARY_PEN, at.x - PANEL_SAMPLE,
			   at.y, at.x + PANEL_SAMPLE, at.y);
}

void panel_map(struct scene *s, const struct compactness_map *map, int level,
	       const struct scene_box *box)
{
	struct grid g = { .map = map };
	bool some = map && map->stride_count && map->count_count;

	panel_begin(&g.panel, s, box);
	panel_title(&g.panel, "Compactness in L%d: N elements, S apart", level);
	if (some && map->reason[0])
		panel_remark(&g.panel, "%s", map->reason);
	panel_frame(&g.panel, 0);
	panel_axis_names(&g.panel, "stride S, bytes", "number of elements N");
	if (!some) {
		panel_say(&g.panel, map && map->reason[0] ?
					    map->reason :
					    "No map was made of this level.");
		return;
	}
	g.width = (g.panel.plot.right - g.panel.plot.left) /
		  (double)map->stride_count;
	g.height = (g.panel.plot.bottom - g.panel.plot.top) /
		   (double)map->count_count;
	draw_cells(&g);
	draw_boundary(&g);
	write_numbers(&g);
	write_legend(&g);
}
