// SPDX-License-Identifier: GPL-2.0
#include "report/picture/sheetkit.h"

#include <check.h>
#include <math.h>

#include "report/picture/panel.h"

#define ROUNDED PICTURE_KIT_ROUNDED

void sheet_kit_compose(struct scene *scene, const struct picture_kit *kit)
{
	const struct scene_metrics metrics = picture_kit_metrics();

	picture_compose(scene, &kit->picture, &metrics);
	ck_assert(!scene->failed);
}

void sheet_kit_release(struct scene *scene, struct picture_kit *kit)
{
	scene_free(scene);
	picture_kit_free(kit);
}

static bool is_inside(const struct scene_box *box, double x, double y)
{
	return x >= box->left - ROUNDED && x <= box->right + ROUNDED &&
	       y >= box->top - ROUNDED && y <= box->bottom + ROUNDED;
}

bool sheet_kit_is_words(const struct scene_item *item)
{
	return item->kind == SCENE_WORDS;
}

static void expect_texts_apart(const struct scene *scene, const char *which)
{
	for (size_t i = 0; i < scene->item_count; i++)
		for (size_t k = 0;
		     sheet_kit_is_words(&scene->items[i]) && k < i; k++) {
			const struct scene_item *a = &scene->items[i];
			const struct scene_item *b = &scene->items[k];

			if (sheet_kit_is_words(b) &&
			    picture_kit_meet(&a->box, &b->box))
				ck_abort_msg("%s: '%s' overlaps '%s'", which,
					     a->text, b->text);
		}
}

/* Only a note that there are no data may be in a plot. */
static void expect_plots_free(const struct scene *scene, const char *which)
{
	for (size_t i = 0; i < scene->item_count; i++)
		for (size_t k = 0; k < scene->plot_count; k++) {
			const struct scene_item *item = &scene->items[i];

			ck_assert_msg(
				!sheet_kit_is_words(item) ||
					item->role == SCENE_NOTE ||
					!picture_kit_meet(&item->box,
							  &scene->plots[k]),
				"%s: '%s' is in a plot", which, item->text);
		}
}

static void expect_all_on_sheet(const struct scene *scene, const char *which)
{
	const struct scene_box sheet = { 0, 0, scene->width, scene->height };

	for (size_t i = 0; i < scene->item_count; i++) {
		const struct scene_item *item = &scene->items[i];
		const struct scene_point *at = scene->points + item->first;

		for (size_t k = 0; k < item->count; k++)
			if (!isfinite(at[k].x) || !isfinite(at[k].y) ||
			    !is_inside(&sheet, at[k].x, at[k].y))
				ck_abort_msg("%s: %g, %g is not on the sheet",
					     which, at[k].x, at[k].y);
		if (sheet_kit_is_words(item))
			ck_assert_msg(is_inside(&sheet, item->box.left,
						item->box.top) &&
					      is_inside(&sheet, item->box.right,
							item->box.bottom),
				      "%s: '%s' is not on the sheet", which,
				      item->text);
	}
}

/* No line, such as a leader or the grid, runs through the name of a mark. */
static void expect_free_of_lines(const struct scene *scene,
				 const struct scene_item *words,
				 const char *which)
{
	for (size_t i = 0; i < scene->item_count; i++) {
		const struct scene_item *line = &scene->items[i];
		const struct scene_point *at = scene->points + line->first;
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

static void expect_marks_free_of_lines(const struct scene *scene,
				       const char *which)
{
	for (size_t i = 0; i < scene->item_count; i++)
		if (sheet_kit_is_words(&scene->items[i]) &&
		    scene->items[i].role == SCENE_MARK)
			expect_free_of_lines(scene, &scene->items[i], which);
}

void sheet_kit_expect_readable(const struct scene *scene, const char *which)
{
	expect_texts_apart(scene, which);
	expect_plots_free(scene, which);
	expect_all_on_sheet(scene, which);
	expect_marks_free_of_lines(scene, which);
}

size_t sheet_kit_titles(const struct scene *scene, const char *title)
{
	return picture_kit_count(scene, SCENE_TITLE, title);
}

void sheet_kit_expect_titles(const struct scene *scene)
{
	ck_assert_uint_eq(sheet_kit_titles(scene, "Latency over footprint"), 1);
	ck_assert_uint_eq(sheet_kit_titles(scene, "Latency over stride"), 1);
	ck_assert_uint_eq(
		sheet_kit_titles(scene, "Latency over reach of translations"),
		1);
	ck_assert_uint_eq(sheet_kit_titles(scene, "Density of latencies"), 1);
	ck_assert_uint_eq(sheet_kit_titles(scene, "Compactness in L"),
			  PICTURE_MAPS);
	ck_assert_uint_eq(sheet_kit_titles(scene, NULL), 4 + PICTURE_MAPS);
	ck_assert_uint_eq(scene->plot_count, 4 + PICTURE_MAPS);
}
