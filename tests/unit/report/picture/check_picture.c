// SPDX-License-Identifier: GPL-2.0
/* check_picture.c - what stands where on the sheet, before it is painted. */
#include <math.h>
#include <stdio.h>

#include "report/picture/panel.h"
#include "report/picture/picturekit.h"
#include "report/picture/style.h"
#include "suites.h"

#define ROUNDED PICTURE_KIT_ROUNDED
#define RANDOM_SHEETS 60

static struct picture_kit kit;
static struct scene scene;

static void compose(void)
{
	const struct scene_metrics metrics = picture_kit_metrics();

	picture_compose(&scene, &kit.picture, &metrics);
	ck_assert(!scene.failed);
}

static void release(void)
{
	scene_free(&scene);
	picture_kit_free(&kit);
}

static bool is_inside(const struct scene_box *box, double x, double y)
{
	return x >= box->left - ROUNDED && x <= box->right + ROUNDED &&
	       y >= box->top - ROUNDED && y <= box->bottom + ROUNDED;
}

static bool is_words(const struct scene_item *item)
{
	return item->kind == SCENE_WORDS;
}

static void expect_texts_apart(const char *which)
{
	for (size_t i = 0; i < scene.item_count; i++)
		for (size_t k = 0; is_words(&scene.items[i]) && k < i; k++) {
			const struct scene_item *a = &scene.items[i];
			const struct scene_item *b = &scene.items[k];

			if (is_words(b) && picture_kit_meet(&a->box, &b->box))
				ck_abort_msg("%s: '%s' overlaps '%s'", which,
					     a->text, b->text);
		}
}

/* Only what stands there for want of data is in a plot. */
static void expect_plots_free(const char *which)
{
	for (size_t i = 0; i < scene.item_count; i++)
		for (size_t k = 0; k < scene.plot_count; k++) {
			const struct scene_item *item = &scene.items[i];

			ck_assert_msg(
				!is_words(item) || item->role == SCENE_NOTE ||
					!picture_kit_meet(&item->box,
							  &scene.plots[k]),
				"%s: '%s' is in a plot", which, item->text);
		}
}

static void expect_all_on_sheet(const char *which)
{
	const struct scene_box sheet = { 0, 0, scene.width, scene.height };

	for (size_t i = 0; i < scene.item_count; i++) {
		const struct scene_item *item = &scene.items[i];
		const struct scene_point *at = scene.points + item->first;

		for (size_t k = 0; k < item->count; k++)
			if (!isfinite(at[k].x) || !isfinite(at[k].y) ||
			    !is_inside(&sheet, at[k].x, at[k].y))
				ck_abort_msg("%s: %g, %g is not on the sheet",
					     which, at[k].x, at[k].y);
		if (is_words(item))
			ck_assert_msg(is_inside(&sheet, item->box.left,
						item->box.top) &&
					      is_inside(&sheet, item->box.right,
							item->box.bottom),
				      "%s: '%s' is not on the sheet", which,
				      item->text);
	}
}

/* Leaders, grid: no line runs through a name of a mark. */
static void expect_free_of_lines(const struct scene_item *words,
				 const char *which)
{
	for (size_t i = 0; i < scene.item_count; i++) {
		const struct scene_item *line = &scene.items[i];
		const struct scene_point *at = scene.points + line->first;
		struct scene_box box;

		if (line->kind != SCENE_OPEN || line->count != 2)
			continue;
		box.left = fmin(at[0].x, at[1].x) - 2 * ROUNDED;
		box.right = fmax(at[0].x, at[1].x) + 2 * ROUNDED;
		box.top = fmin(at[0].y, at[1].y) - 2 * ROUNDED;
		box.bottom = fmax(at[0].y, at[1].y) + 2 * ROUNDED;
		if (picture_kit_meet(&words->box, &box))
			ck_abort_msg("%s: a line runs through '%s'", which,
				     words->text);
	}
}

static void expect_no_line_through_marks(const char *which)
{
	for (size_t i = 0; i < scene.item_count; i++)
		if (is_words(&scene.items[i]) &&
		    scene.items[i].role == SCENE_MARK)
			expect_free_of_lines(&scene.items[i], which);
}

static void expect_readable(const char *which)
{
	expect_texts_apart(which);
	expect_plots_free(which);
	expect_all_on_sheet(which);
	expect_no_line_through_marks(which);
}

static size_t titles(const char *title)
{
	return picture_kit_count(&scene, SCENE_TITLE, title);
}

static void expect_titles(void)
{
	ck_assert_uint_eq(titles("Latency over footprint"), 1);
	ck_assert_uint_eq(titles("Latency over stride"), 1);
	ck_assert_uint_eq(titles("Latency over reach of translations"), 1);
	ck_assert_uint_eq(titles("Density of latencies"), 1);
	ck_assert_uint_eq(titles("Compactness in L"), PICTURE_MAPS);
	ck_assert_uint_eq(titles(NULL), 4 + PICTURE_MAPS);
	ck_assert_uint_eq(scene.plot_count, 4 + PICTURE_MAPS);
}

START_TEST(usual_sheet)
{
	picture_kit_usual(&kit);
	compose();
	expect_titles();
	expect_readable("usual");
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_HEADING,
					    "any processor, CPU 1"),
			  1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_HEADING,
					    "seed 42, 2026-01-31"),
			  1);
	/* Names of both axes of each panel, with their units. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_AXIS, NULL),
			  2 * scene.plot_count);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_AXIS, "bytes"), 5);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_AXIS, "cycles"), 4);
	release();
}
END_TEST

START_TEST(levels_are_named)
{
	static const char *const names[] = {
		"L1 28 KiB, 5 cycles",
		"L1 32 KiB, 5 cycles",
		"L2 896 KiB, 14 cycles",
		"L2 1 MiB, 14 cycles",
		"L3 24 MiB, 52 cycles",
		"L3 35 MiB, 52 cycles",
		"L1 2 MiB",
		"L1 64 KiB",
	};

	picture_kit_usual(&kit);
	compose();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(picture_kit_count(&scene, SCENE_MARK, names[i]) ==
				      1,
			      "%s", names[i]);
	/* One line size of each method, whatever the number of levels. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "line 64 B"),
			  2);
	/* Both methods' translations; those of code are another matter. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "L1 256 KiB"),
			  2);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "L1 512 KiB"),
			  0);
	/* All curves are in a legend. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_LEGEND, "array of"),
			  14);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_LEGEND, "more"), 0);
	release();
}
END_TEST

START_TEST(any_data)
{
	uint64_t seed = from_environment("PROBE_PHYS_SEED", 1);
	struct rng rng = { seed };
	size_t hidden = 0;

	printf("picture: PROBE_PHYS_SEED=%llu\n", (unsigned long long)seed);
	for (int i = 0; i < RANDOM_SHEETS; i++) {
		char which[64];

		picture_kit_random(&kit, &rng);
		compose();
		snprintf(which, sizeof(which), "sheet %d of seed %llu", i,
			 (unsigned long long)seed);
		expect_titles();
		expect_readable(which);
		hidden += picture_kit_count(&scene, SCENE_NOTE, "no room");
		release();
	}
	/* Some cases have more marks than names fit. */
	ck_assert_uint_gt(hidden, 0);
}
END_TEST

START_TEST(no_data)
{
	memset(&kit, 0, sizeof(kit));
	compose();
	expect_titles();
	expect_readable("empty");
	for (size_t i = 0; i < scene.plot_count; i++) {
		size_t words = 0;

		for (size_t k = 0; k < scene.item_count; k++)
			words += is_words(&scene.items[k]) &&
				 scene.items[k].role == SCENE_NOTE &&
				 picture_kit_meet(&scene.items[k].box,
						  &scene.plots[i]);
		ck_assert_msg(words, "panel %zu says nothing", i);
	}
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE, "No "), 6);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_TICK, NULL), 0);
	release();
}
END_TEST

/* A map that could not be made says why. */
START_TEST(reasons)
{
	picture_kit_usual(&kit);
	kit.maps[1].stride_count = 0;
	snprintf(kit.maps[1].reason, sizeof(kit.maps[1].reason),
		 "No map: the sets of L1 are odd.");
	kit.results[0].curves[0]->found.decided = false;
	snprintf(kit.results[0].curves[0]->found.reason, 64,
		 "all of it is flat");
	compose();
	expect_readable("reasons");
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE,
					    "the sets of L1 are odd"),
			  1);
	/* Under the curve, and under the density. */
	ck_assert_uint_eq(
		picture_kit_count(&scene, SCENE_NOTE, "all of it is flat"), 2);
	release();
}
END_TEST

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

/* The first method's only curve of an axis: @y of it, one after the other. */
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
	compose();
	expect_readable("a curve");
}

START_TEST(gaps_and_single_points)
{
	const double y[] = { 4, 4, 4, NAN, 9, 9, -1, 20 };
	const double width = style_line(1, 0, 1, 0).width;
	const uint32_t colour = style_source(1);
	size_t dots = 0;

	compose_curve(y, 8);
	/* Three points, two, and one; the sample of the legend has two. */
	ck_assert_uint_eq(count_paths(colour, width, 3), 1);
	ck_assert_uint_eq(count_paths(colour, width, 2), 2);
	ck_assert_uint_eq(count_paths(colour, width, 1), 1);
	for (size_t i = 0; i < scene.item_count; i++)
		dots += scene.items[i].kind == SCENE_CIRCLE;
	ck_assert_uint_eq(dots, 6);
	release();
	compose_curve(y, 1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE, "footprints"),
			  0);
	release();
	/* Nothing that can be shown is no data. */
	compose_curve(&y[3], 1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE, "footprints"),
			  1);
	release();
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

/* As many cells of each kind as the map has, one more in the legend. */
START_TEST(cells)
{
	size_t compact = 0, not_compact = 0, undecided = 0;
	const struct compactness_map *map = &kit.maps[0];

	picture_kit_usual(&kit);
	kit.picture.map_count = 1;
	compose();
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
	/* The second method's symbols have that colour as well. */
	ck_assert_uint_ge(count_areas(STYLE_NON_COMPACT), not_compact + 1);
	ck_assert_uint_eq(
		picture_kit_count(&scene, SCENE_LEGEND, "8 ways of 4 KiB"), 1);
	release();
}
END_TEST

/* Cells left of the line are those that it says are compact. */
START_TEST(boundary_line)
{
	const struct compactness_map *map = &kit.maps[0];
	const struct scene_item *line = NULL;
	const struct scene_box *plot = &scene.plots[4];

	picture_kit_usual(&kit);
	compose();
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
	release();
}
END_TEST

START_TEST(peaks)
{
	size_t circles = 0;

	picture_kit_usual(&kit);
	compose();
	for (size_t i = 0; i < scene.item_count; i++)
		circles += scene.items[i].kind == SCENE_CIRCLE &&
			   scene.items[i].pen.width > 0;
	/* One more in the legend. */
	ck_assert_uint_eq(circles, 4 + 1);
	ck_assert_uint_eq(titles("cooper-sandoval C(k)"), 1);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "14 cycles"),
			  2 + 1);
	release();
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create("sheet");

	tcase_add_test(tc, usual_sheet);
	tcase_add_test(tc, levels_are_named);
	tcase_add_test(tc, any_data);
	tcase_add_test(tc, no_data);
	tcase_add_test(tc, reasons);
	tcase_add_test(tc, gaps_and_single_points);
	tcase_add_test(tc, cells);
	tcase_add_test(tc, boundary_line);
	tcase_add_test(tc, peaks);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, make_picture_parts_case());
	suite_add_tcase(suite, make_picture_file_case());
	return suite;
}
