// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "base/rng.h"
#include "sequence/sequence.h"
#include "suites.h"

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

static bool same_set(struct sequence *a, struct sequence *b)
{
	if (a->length != b->length)
		return false;
	qsort(a->offsets, a->length, sizeof(*a->offsets), by_value);
	qsort(b->offsets, b->length, sizeof(*b->offsets), by_value);
	for (size_t i = 0; i < a->length; i++)
		if (a->offsets[i] != b->offsets[i])
			return false;
	return true;
}

START_TEST(fixed_stride)
{
	const struct shape w = { .inner = 1, .stride = 4096, .outer = 3 };
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 128), 0);
	ck_assert_uint_eq(s.length, 3);
	ck_assert_uint_eq(s.offsets[0], 128);
	ck_assert_uint_eq(s.offsets[1], 128 + 4096);
	ck_assert_uint_eq(s.offsets[2], 128 + 2 * 4096);
	ck_assert_uint_eq(sequence_span(&s), 128 + 2 * 4096 + 8);
	ck_assert_uint_eq(shape_span(&w), 2 * 4096 + 8);
	sequence_free(&s);
}
END_TEST

START_TEST(skewed_rows)
{
	const struct shape w = {
		.inner = 1, .stride = 4096, .outer = 5, .skew = 16, .skews = 3
	};
	const uint64_t expected[] = { 0, 4112, 8224, 12288, 16400 };
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	for (size_t i = 0; i < 5; i++)
		ck_assert_uint_eq(s.offsets[i], expected[i]);
	ck_assert_uint_ge(shape_span(&w), sequence_span(&s));
	sequence_free(&s);
}
END_TEST

/* X-Ray, Lemma 2: <<m0, s, n>, S, N> and <<m0, S, N>, s, n> are one set. */
START_TEST(lemma_2)
{
	struct rng rng = { (uint64_t)_i };

	for (int i = 0; i < 50; i++) {
		struct shape a = {
			.inner_stride = UINT64_C(8) << rng_below(&rng, 10),
			.inner = 1 + rng_below(&rng, 20),
			.stride = UINT64_C(8192) << rng_below(&rng, 10),
			.outer = 1 + rng_below(&rng, 20),
		};
		struct shape b = {
			.inner_stride = a.stride,
			.inner = a.outer,
			.stride = a.inner_stride,
			.outer = a.inner,
		};
		struct sequence s, t;

		ck_assert_int_eq(sequence_place(&s, &a, 64), 0);
		ck_assert_int_eq(sequence_place(&t, &b, 64), 0);
		ck_assert_msg(same_set(&s, &t), "seed %d, round %d", _i, i);
		sequence_free(&s);
		sequence_free(&t);
	}
}
END_TEST

START_TEST(shuffle_keeps_the_set)
{
	const struct shape w = {
		.inner_stride = 64, .inner = 4, .stride = 4096, .outer = 25
	};
	struct rng rng = { (uint64_t)_i };
	struct sequence s, t;
	size_t moved = 0;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_int_eq(sequence_place(&t, &w, 0), 0);
	sequence_shuffle(&t, &rng);
	for (size_t i = 0; i < s.length; i++)
		moved += s.offsets[i] != t.offsets[i];
	ck_assert_uint_gt(moved, s.length / 2);
	ck_assert(same_set(&s, &t));
	sequence_free(&s);
	sequence_free(&t);
}
END_TEST

/* Between two visits to one column lie all other columns. */
START_TEST(columns_stay_apart)
{
	const struct shape w = {
		.inner_stride = 64, .inner = 7, .stride = 4096, .outer = 9
	};
	struct rng rng = { (uint64_t)_i };
	struct sequence s, t;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_int_eq(sequence_place(&t, &w, 0), 0);
	ck_assert_int_eq(sequence_shuffle_columns(&s, w.inner, &rng), 0);
	for (size_t i = 0; i < s.length; i++)
		ck_assert_uint_eq(s.offsets[i] % 4096,
				  s.offsets[(i + w.inner) % s.length] % 4096);
	ck_assert(same_set(&s, &t));
	sequence_free(&s);
	sequence_free(&t);
}
END_TEST

START_TEST(twin_keeps_pages_and_spreads_lines)
{
	const struct shape w = { .inner = 1, .stride = 4096, .outer = 100 };
	struct sequence s, twin;
	unsigned int used[64] = { 0 };

	ck_assert_int_eq(sequence_place(&s, &w, 192), 0);
	ck_assert_int_eq(sequence_translation_twin(&twin, &s, 4096, 64, 8), 0);
	ck_assert_uint_eq(twin.length, s.length);
	for (size_t i = 0; i < s.length; i++) {
		ck_assert_uint_eq(twin.offsets[i] / 4096, s.offsets[i] / 4096);
		used[twin.offsets[i] % 4096 / 64]++;
	}
	for (int i = 0; i < 64; i++)
		ck_assert_uint_le(used[i], 2);
	sequence_free(&s);
	sequence_free(&twin);
}
END_TEST

/* Of six pages each has ten addresses, and two lines hold their words. */
START_TEST(twin_packs_words_of_a_page)
{
	const struct shape w = { .inner = 1,
				 .stride = 4096,
				 .outer = 6,
				 .copy_stride = 192,
				 .copies = 10 };
	struct rng rng = { (uint64_t)_i };
	unsigned int used[64] = { 0 }, lines = 0;
	struct sequence s, twin;

	ck_assert_int_eq(sequence_place(&s, &w, 64), 0);
	sequence_shuffle(&s, &rng);
	ck_assert_int_eq(sequence_translation_twin(&twin, &s, 4096, 64, 8), 0);
	ck_assert_int_eq(sequence_check(&twin), 0);
	for (size_t i = 0; i < s.length; i++) {
		ck_assert_uint_eq(twin.offsets[i] / 4096, s.offsets[i] / 4096);
		used[twin.offsets[i] % 4096 / 64]++;
	}
	for (int i = 0; i < 64; i++) {
		lines += used[i] != 0;
		ck_assert_uint_le(used[i], 8);
	}
	ck_assert_uint_eq(lines, 12);
	sequence_free(&s);
	sequence_free(&twin);
}
END_TEST

/* Long sequences visit each page often, in any order. */
START_TEST(twin_never_repeats_itself)
{
	const struct shape w = { .inner = 1, .stride = 32, .outer = 3000 };
	struct rng rng = { (uint64_t)_i };
	struct sequence s, twin;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	sequence_shuffle(&s, &rng);
	ck_assert_int_eq(sequence_translation_twin(&twin, &s, 4096, 64, 8), 0);
	ck_assert_int_eq(sequence_check(&twin), 0);
	for (size_t i = 0; i < s.length; i++)
		ck_assert_uint_eq(twin.offsets[i] / 4096, s.offsets[i] / 4096);
	sequence_free(&s);
	sequence_free(&twin);
}
END_TEST

/* Copies by bits: each row four times, and none of them comes twice. */
START_TEST(folds_flip_bits)
{
	const struct shape w = {
		.inner = 1,
		.stride = 0x10000,
		.outer = 3,
		.folds = { .origin = 0x40000000,
			   .vectors = { 0x101000, 0x2040 },
			   .count = 2 },
	};
	const uint64_t flipped[] = { 0, 0x101000, 0x2040, 0x103040 };
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 0x40001080), 0);
	ck_assert_uint_eq(s.length, shape_length(&w));
	ck_assert_uint_eq(s.length, 12);
	for (size_t i = 0; i < s.length; i++)
		ck_assert_uint_eq(s.offsets[i],
				  0x40000000 + ((0x1080 + i / 4 * 0x10000) ^
						flipped[i % 4]));
	ck_assert_int_eq(sequence_check(&s), 0);
	sequence_free(&s);
}
END_TEST

/* With two phases each row begins where the one before it has its middle. */
START_TEST(phases_begin_elsewhere)
{
	const struct shape w = {
		.inner = 1,
		.stride = 4096,
		.outer = 6,
		.folds = { .vectors = { 64, 128, 256 }, .count = 3 },
		.phases = 2,
	};
	struct rng rng = { (uint64_t)_i };
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_int_eq(sequence_shuffle_shape(&s, &w, &rng), 0);
	for (size_t i = 8; i < s.length; i++) {
		size_t row = i / 8 * 8, middle = (i - row + 4) % 8;

		ck_assert_uint_eq(s.offsets[i] / 4096, s.offsets[row] / 4096);
		ck_assert_uint_eq(s.offsets[i] % 4096,
				  s.offsets[row - 8 + middle] % 4096);
	}
	sequence_free(&s);
}
END_TEST

/* Copies by the last vector and those without it take turns. */
START_TEST(last_fold_alternates)
{
	const struct shape w = {
		.inner = 1,
		.stride = 4096,
		.outer = 5,
		.folds = { .vectors = { 64, 128, 256 }, .count = 3 },
	};
	struct rng rng = { (uint64_t)_i };
	struct sequence s, t;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_int_eq(sequence_place(&t, &w, 0), 0);
	ck_assert_int_eq(sequence_shuffle_shape(&s, &w, &rng), 0);
	for (size_t i = 0; i < s.length; i++) {
		ck_assert_uint_eq(s.offsets[i] / 256 % 2, i % 2);
		ck_assert_uint_eq(s.offsets[i] % 4096,
				  s.offsets[(i + 8) % s.length] % 4096);
	}
	ck_assert(same_set(&s, &t));
	sequence_free(&s);
	sequence_free(&t);
}
END_TEST

START_TEST(repeated_offsets_are_noticed)
{
	/* The second copy of each row falls onto the next row. */
	const struct shape w = { .inner = 1,
				 .stride = 4096,
				 .outer = 3,
				 .copy_stride = 4096,
				 .copies = 2 };
	struct sequence s;

	ck_assert_int_eq(sequence_place(&s, &w, 0), 0);
	ck_assert_int_eq(sequence_check(&s), -EEXIST);
	s.length = 1;
	ck_assert_int_eq(sequence_check(&s), 0);
	sequence_free(&s);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("sequence");

	tcase_add_test(t, fixed_stride);
	tcase_add_test(t, skewed_rows);
	tcase_add_loop_test(t, lemma_2, 1, 6);
	tcase_add_loop_test(t, shuffle_keeps_the_set, 1, 6);
	tcase_add_loop_test(t, columns_stay_apart, 1, 6);
	tcase_add_test(t, twin_keeps_pages_and_spreads_lines);
	tcase_add_loop_test(t, twin_packs_words_of_a_page, 1, 6);
	tcase_add_loop_test(t, twin_never_repeats_itself, 1, 6);
	tcase_add_test(t, folds_flip_bits);
	tcase_add_loop_test(t, phases_begin_elsewhere, 1, 6);
	tcase_add_loop_test(t, last_fold_alternates, 1, 6);
	tcase_add_test(t, repeated_offsets_are_noticed);
	suite_add_tcase(suite, t);
	return suite;
}
