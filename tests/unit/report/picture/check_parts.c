// SPDX-License-Identifier: GPL-2.0
/* check_parts.c - axes, flags, texts and pens of the picture. */
#include <math.h>
#include <stdio.h>

#include "report/picture/axis.h"
#include "report/picture/flags.h"
#include "report/picture/picturekit.h"
#include "report/picture/style.h"
#include "suites.h"

#define ROUNDED PICTURE_KIT_ROUNDED

static struct scene scene;

START_TEST(labels)
{
	static const struct {
		enum axis_unit unit;
		double value;
		const char *label;
	} cases[] = {
		{ AXIS_BYTES, 64, "64 B" },
		{ AXIS_BYTES, 1023, "1023 B" },
		{ AXIS_BYTES, 1024, "1 KiB" },
		{ AXIS_BYTES, 28672, "28 KiB" },
		{ AXIS_BYTES, 3.5 * 1048576, "3.5 MiB" },
		{ AXIS_BYTES, 1099511627776, "1 TiB" },
		{ AXIS_CYCLES, 4, "4" },
		{ AXIS_CYCLES, 16384, "16384" },
		{ AXIS_CYCLES, 0.5, "0.5" },
		{ AXIS_ELEMENTS, 512, "512" },
	};
	char label[AXIS_LABEL];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		axis_label(label, cases[i].unit, cases[i].value);
		ck_assert_str_eq(label, cases[i].label);
	}
}
END_TEST

START_TEST(places_on_axes)
{
	struct axis_range range = { .any = false };
	struct axis a;

	axis_take(&range, NAN);
	axis_take(&range, 0);
	axis_take(&range, -4);
	axis_take(&range, INFINITY);
	ck_assert(!range.any);
	axis_take(&range, 4096);
	axis_take(&range, 65536);
	a = axis_over(&range, AXIS_BYTES, 100, 500);
	ck_assert_double_eq_tol(axis_at(&a, 16384), 300, ROUNDED);
	ck_assert_double_gt(axis_at(&a, 4096), 100);
	ck_assert_double_lt(axis_at(&a, 65536), 500);
	/* Beyond its ends there is nothing. */
	ck_assert_double_eq(axis_at(&a, 1), 100);
	ck_assert_double_eq(axis_at(&a, 1e12), 500);
	/* One value stands in the middle. */
	range.low = range.high = 12;
	a = axis_over(&range, AXIS_BYTES, 100, 500);
	ck_assert_double_eq_tol(axis_at(&a, 4096), 300, ROUNDED);
}
END_TEST

static void expect_flags_apart(const struct flags *f)
{
	for (size_t i = 0; i < f->count; i++)
		for (size_t k = 0; k < f->count; k++) {
			struct scene_box a =
				flags_box(f, &f->flags[i], &scene, 200);
			struct scene_box b =
				flags_box(f, &f->flags[k], &scene, 200);

			if (i == k || !f->flags[i].shown)
				continue;
			ck_assert(!f->flags[k].shown ||
				  !picture_kit_meet(&a, &b));
			/* From its flag, or the plot, down to the plot. */
			b.left = f->flags[k].x + 2 * ROUNDED;
			b.right = b.left + 2 * ROUNDED;
			b.bottom = 200;
			b.top = f->flags[k].shown ? b.top : 200;
			a.left = f->flags[i].x + 4 * ROUNDED;
			ck_assert(!picture_kit_meet(&a, &b));
		}
}

START_SLOW_TEST(flags_stagger)
{
	const struct scene_metrics metrics = picture_kit_metrics();
	struct rng rng = { from_environment("PROBE_PHYS_SEED", 1) };
	static struct flags f;

	scene_begin(&scene, 1000, 1000, &metrics);
	for (int round = 0; round < 500; round++) {
		size_t count = rng_below(&rng, FLAGS_MOST + 4);
		double width = exp2(10 * rng_uniform(&rng));
		size_t shown = 0;

		memset(&f, 0, sizeof(f));
		for (size_t i = 0; i < count; i++) {
			struct flag *flag =
				flags_add(&f, width * rng_uniform(&rng));

			if (!flag)
				continue;
			snprintf(flag->text, sizeof(flag->text),
				 "L%zu 32 KiB, 14 cycles", i);
			snprintf(flag->brief, sizeof(flag->brief), "L%zu", i);
			flag->symbol = rng_below(&rng, 4);
		}
		flags_place(&f, &scene);
		expect_flags_apart(&f);
		for (size_t i = 0; i < f.count; i++)
			shown += f.flags[i].shown;
		ck_assert_uint_eq(shown + f.hidden, count);
		ck_assert_uint_le(f.rows, FLAGS_ROWS);
		ck_assert(!count || f.rows);
	}
	scene_free(&scene);
}
END_TEST

START_TEST(long_and_strange_texts)
{
	const struct scene_metrics metrics = picture_kit_metrics();
	struct scene_words words = { .at = { 10, 50 },
				     .size = 10,
				     .most = 100 };

	scene_begin(&scene, 1000, 1000, &metrics);
	scene_text(&scene, &words, "short");
	scene_text(&scene, &words, "%s",
		   "a name that is longer than its room is wide");
	scene_text(&scene, &words, "%s", "M\xc3\xbcller\n\x1b[2J\xff");
	words.most = 10;
	scene_text(&scene, &words, "%s", "nothing of this fits");
	ck_assert_uint_eq(scene.item_count, 3);
	ck_assert_str_eq(scene.items[0].text, "short");
	ck_assert_str_eq(scene.items[1].text, "a name that i...");
	ck_assert_double_le(scene.items[1].box.right, 110);
	ck_assert_str_eq(scene.items[2].text, "M??ller??[2J?");
	scene_free(&scene);
}
END_TEST

/* Next to each other, lines differ without colours, too. */
START_TEST(lines_differ)
{
	for (size_t count = 1; count < 40; count++)
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < i; k++) {
				struct scene_pen a = style_line(1, i, count, 0);
				struct scene_pen b = style_line(1, k, count, 0);

				ck_assert(a.colour != b.colour ||
					  a.dash != b.dash);
				ck_assert(k + 1 != i || a.dash != b.dash);
			}
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < i; k++)
			ck_assert_uint_ne(style_source(i), style_source(k));
}
END_TEST

TCase *make_picture_parts_case(void)
{
	TCase *tc = tcase_create("parts");

	tcase_add_test(tc, labels);
	tcase_add_test(tc, places_on_axes);
	tcase_add_test(tc, flags_stagger);
	tcase_add_test(tc, long_and_strange_texts);
	tcase_add_test(tc, lines_differ);
	return tc;
}
