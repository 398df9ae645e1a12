// SPDX-License-Identifier: GPL-2.0
/* sheet.c - lay out six panels and a heading. */
#include <stdio.h>

#include "report/picture/panel.h"
#include "report/picture/style.h"

#define MARGIN 24
#define HEADING_ROOM 58
#define GAP 28
#define COLUMNS 2
#define ROWS 3

static struct scene_box panel_box(size_t column, size_t row)
{
	const double width =
		(SHEET_WIDTH - 2 * MARGIN - GAP * (COLUMNS - 1)) / COLUMNS;
	const double height =
		(SHEET_HEIGHT - HEADING_ROOM - 2 * MARGIN - GAP * (ROWS - 1)) /
		ROWS;
	struct scene_box box;

	box.left = MARGIN + (double)column * (width + GAP);
	box.top = MARGIN + HEADING_ROOM + (double)row * (height + GAP);
	box.right = box.left + width;
	box.bottom = box.top + height;
	return box;
}

static void write_heading(struct scene *s, const struct picture *picture)
{
	struct scene_words words = {
		.at = { MARGIN, MARGIN + STYLE_HEADING_SIZE },
		.role = SCENE_HEADING,
		.size = STYLE_HEADING_SIZE,
		.most = SHEET_WIDTH - 2 * MARGIN,
		.colour = STYLE_INK,
	};

	scene_text(s, &words, "probe-phys compare: %.400s",
		   picture->machine ? picture->machine : "machine unknown");
	words.at.y += 1.5 * STYLE_TITLE_SIZE;
	words.size = STYLE_AXIS_SIZE;
	words.colour = STYLE_FAINT_INK;
	scene_text(s, &words, "seed %llu%s%.100s",
		   (unsigned long long)picture->seed, picture->date ? ", " : "",
		   picture->date ? picture->date : "");
}

static const struct compactness_map *map_of(const struct picture *picture,
					    size_t i)
{
	return i < picture->map_count ? &picture->maps[i] : NULL;
}

void picture_compose(struct scene *s, const struct picture *picture,
		     const struct scene_metrics *metrics)
{
	static const enum side_axis axes[] = { SIDE_FOOTPRINT_BYTES,
					       SIDE_STRIDE_BYTES,
					       SIDE_REACH_BYTES };
	struct scene_box box;

	scene_begin(s, SHEET_WIDTH, SHEET_HEIGHT, metrics);
	write_heading(s, picture);
	for (size_t i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		box = panel_box(i % COLUMNS, i / COLUMNS);
		panel_curves(s, picture, &box, axes[i]);
	}
	box = panel_box(1, 1);
	panel_density(s, picture, &box);
	for (size_t i = 0; i < PICTURE_MAPS; i++) {
		const struct compactness_map *map = map_of(picture, i);

		box = panel_box(i, 2);
		panel_map(s, map, map ? map->level : (int)i + 1, &box);
	}
}
