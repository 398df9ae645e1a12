// SPDX-License-Identifier: GPL-2.0
/* check_panels.c - curves, maps and densities in the panels of the sheet. */
#include <math.h>

#include "report/picture/sheetkit.h"
#include "report/picture/style.h"
#include "suites.h"

#define ROUNDED PICTURE_KIT_ROUNDED

static struct picture_kit kit;
static struct scene scene;

static size_t count_paths(uint32_t colour, double width, size_t points)
{
	size_t count = 0;

	for (size_t i = 0; i < scene.item_count; i++)
		count += scene.items[i].kind == SCENE_OPEN &&
			 scene.items[i].pen.colour == colour &&
			 fabs(scene.items[i].pen.width - width) < ROUNDED &&
			 scene.items[i].count == points;
	return count;
}

/* Lay out a sheet of one curve of one method, whose values are @y. */
static void compose_curve(const double *y, size_t count)
{
	struct side_curve *c;

	memset(&kit, 0, sizeof(kit));
	side_result_begin(&kit.results[0], "method");
	kit.methods[0] = &kit.results[0];
	kit.picture.methods = kit.methods;
	kit.picture.method_count = 1;
	c = side_result_keep(&kit.results[0], SIDE_FOOTPRINT_BYTES, count, "c");
	for (size_t i = 0; i < count; i++)
		c->points[i] =
			(struct curve_point){ exp2((double)i + 12), y[i] };
	sheet_kit_compose(&scene, &kit);
	sheet_kit_expect_readable(&scene, "a curve");
}

START_TEST(gaps_and_single_points)
{
	const double y[] = { 4, 4, 4, NAN, 9, 9, -1, 20 };
	const double width = style_line(1, 0, 1, 0).width;
	const uint32_t colour = style_source(1);
	size_t dots = 0;

	compose_curve(y, 8);
	/* Paths of three, two and one points; the one in the legend has two. */
	ck_assert_uint_eq(count_paths(colour, width, 3), 1);
	ck_assert_uint_eq(count_paths(colour, width, 2), 2);
	ck_assert_uint_eq(count_paths(colour, width, 1), 1);
	for (size_t i = 0; i < scene.item_count; i++)
		dots += scene.items[i].kind == SCENE_CIRCLE;
	ck_assert_uint_eq(dots, 6);
	sheet_kit_release(&scene, &kit);
	compose_curve(y, 1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE, "footprints"),
			  0);
	sheet_kit_release(&scene, &kit);
	/* A curve without a valid point counts as no data. */
	compose_curve(&y[3], 1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE, "footprints"),
			  1);
	sheet_kit_release(&scene, &kit);
}
END_TEST

static size_t count_areas(uint32_t colour)
{
	size_t count = 0;

	for (size_t i = 0; i < scene.item_count; i++)
		count += scene.items[i].kind == SCENE_CLOSED &&
			 scene.items[i].pen.width <= 0 &&
			 scene.items[i].pen.colour == colour;
	return count;
}

/* The sheet has each cell of the map, and one of each kind in the legend. */
START_TEST(cells)
{
	size_t compact = 0, not_compact = 0, undecided = 0;
	const struct compactness_map *map = &kit.maps[0];

	picture_kit_usual(&kit);
	kit.picture.map_count = 1;
	sheet_kit_compose(&scene, &kit);
	for (size_t i = 0; i < map->stride_count; i++)
		for (size_t k = 0; k < map->count_count; k++) {
			const struct compact_cell *c = &map->cells[i][k];

			if (!c->tested)
				continue;
			compact += c->verdict == VERDICT_COMPACT;
			not_compact += c->verdict == VERDICT_NON_COMPACT;
			undecided += c->verdict == VERDICT_UNDECIDED;
		}
	ck_assert(compact && not_compact && undecided);
	ck_assert_uint_eq(count_areas(STYLE_COMPACT), compact + 1);
	ck_assert_uint_eq(count_areas(STYLE_UNDECIDED), undecided + 1);
	/* The second method's symbols have the same colour. */
	ck_assert_uint_ge(count_areas(STYLE_NON_COMPACT), not_compact + 1);
	ck_assert_uint_eq(
		picture_kit_count(&scene, SCENE_LEGEND, "8 ways of 4 KiB"), 1);
	sheet_kit_release(&scene, &kit);
}
END_TEST

/* The line separates the cells that the boundary calls compact. */
START_TEST(boundary_line)
{
	const struct compactness_map *map = &kit.maps[0];
	const struct scene_item *line = NULL;
	const struct scene_box *plot = &scene.plots[4];

	picture_kit_usual(&kit);
	sheet_kit_compose(&scene, &kit);
	for (size_t i = 0; i < scene.item_count; i++)
		if (scene.items[i].kind == SCENE_OPEN &&
		    scene.items[i].count == 2 * map->stride_count &&
		    scene.items[i].pen.colour == STYLE_INK && !line)
			line = &scene.items[i];
	ck_assert_ptr_nonnull(line);
	for (size_t i = 0; i < map->stride_count; i++) {
		double y = scene.points[line->first + 2 * i].y;
		double rows = (plot->bottom - y) / (plot->bottom - plot->top) *
			      (double)map->count_count;
		size_t below = (size_t)(rows + 0.5);

		ck_assert(fabs(rows - (double)below) < ROUNDED);
		for (size_t k = 0; k < map->count_count; k++)
			ck_assert_int_eq(map->counts[k] <=
						 compact_map_boundary(
							 map, map->strides[i]),
					 k < below);
	}
	sheet_kit_release(&scene, &kit);
}
END_TEST

START_TEST(peaks)
{
	size_t circles = 0;

	picture_kit_usual(&kit);
	sheet_kit_compose(&scene, &kit);
	for (size_t i = 0; i < scene.item_count; i++)
		circles += scene.items[i].kind == SCENE_CIRCLE &&
			   scene.items[i].pen.width > 0;
	/* The legend has one, too. */
	ck_assert_uint_eq(circles, 4 + 1);
	ck_assert_uint_eq(sheet_kit_titles(&scene, "cooper-sandoval C(k)"), 1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "14 cycles"),
			  2 + 1);
	sheet_kit_release(&scene, &kit);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create("panels");

	tcase_add_test(tc, gaps_and_single_points);
	tcase_add_test(tc, cells);
	tcase_add_test(tc, boundary_line);
	tcase_add_test(tc, peaks);
	suite_add_tcase(suite, tc);
	return suite;
}
