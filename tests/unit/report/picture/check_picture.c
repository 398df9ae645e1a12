// SPDX-License-Identifier: GPL-2.0
/* check_picture.c - the whole sheet before it is painted: texts and places. */
#include <stdio.h>

#include "report/picture/sheetkit.h"
#include "suites.h"

#define RANDOM_SHEETS 60

static struct picture_kit kit;
static struct scene scene;

START_TEST(usual_sheet)
{
	picture_kit_usual(&kit);
	sheet_kit_compose(&scene, &kit);
	sheet_kit_expect_titles(&scene);
	sheet_kit_expect_readable(&scene, "usual");
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
	sheet_kit_release(&scene, &kit);
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
	sheet_kit_compose(&scene, &kit);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(picture_kit_count(&scene, SCENE_MARK, names[i]) ==
				      1,
			      "%s", names[i]);
	/* One line size of each method, whatever the number of levels. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "line 64 B"),
			  2);
	/* Both methods have a data TLB; TLBs for instructions are not shown. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "L1 256 KiB"),
			  2);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_MARK, "L1 512 KiB"),
			  0);
	/* All curves are in a legend. */
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_LEGEND, "array of"),
			  14);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_LEGEND, "more"), 0);
	sheet_kit_release(&scene, &kit);
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
		sheet_kit_compose(&scene, &kit);
		snprintf(which, sizeof(which), "sheet %d of seed %llu", i,
			 (unsigned long long)seed);
		sheet_kit_expect_titles(&scene);
		sheet_kit_expect_readable(&scene, which);
		hidden += picture_kit_count(&scene, SCENE_NOTE, "no room");
		sheet_kit_release(&scene, &kit);
	}
	/* Some cases have more marks than names fit. */
	ck_assert_uint_gt(hidden, 0);
}
END_TEST

START_TEST(no_data)
{
	memset(&kit, 0, sizeof(kit));
	sheet_kit_compose(&scene, &kit);
	sheet_kit_expect_titles(&scene);
	sheet_kit_expect_readable(&scene, "empty");
	for (size_t i = 0; i < scene.plot_count; i++) {
		size_t words = 0;

		for (size_t k = 0; k < scene.item_count; k++)
			words += sheet_kit_is_words(&scene.items[k]) &&
				 scene.items[k].role == SCENE_NOTE &&
				 picture_kit_meet(&scene.items[k].box,
						  &scene.plots[i]);
		ck_assert_msg(words, "panel %zu says nothing", i);
	}
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE, "No "), 6);
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_TICK, NULL), 0);
	sheet_kit_release(&scene, &kit);
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
	sheet_kit_compose(&scene, &kit);
	sheet_kit_expect_readable(&scene, "reasons");
	ck_assert_uint_eq(picture_kit_count(&scene, SCENE_NOTE,
					    "the sets of L1 are odd"),
			  1);
	/* Under the curve, and under the density. */
	ck_assert_uint_eq(
		picture_kit_count(&scene, SCENE_NOTE, "all of it is flat"), 2);
	sheet_kit_release(&scene, &kit);
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
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, make_picture_parts_case());
	suite_add_tcase(suite, make_picture_file_case());
	return suite;
}
