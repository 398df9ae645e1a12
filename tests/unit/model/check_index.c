// SPDX-License-Identifier: GPL-2.0
/* check_index.c - sets of addresses, bit by bit. */
#include <stdlib.h>

#include "base/rng.h"
#include "model/index.h"
#include "suites.h"

#define LINE_SHIFT 6

static unsigned int parity(uint64_t x)
{
	return (unsigned int)__builtin_parityll(x);
}

START_TEST(test_linear_and_modulo)
{
	struct profile_index p = { .kind = PROFILE_INDEX_LINEAR };
	struct index x;

	ck_assert_int_eq(index_init(&x, &p, 64, LINE_SHIFT), 0);
	ck_assert_uint_eq(index_set(&x, 0x12345), 0x05);
	ck_assert(index_low_bits(&x, 6));
	ck_assert(!index_low_bits(&x, 5));
	index_free(&x);
	p.kind = PROFILE_INDEX_MODULO;
	ck_assert_int_eq(index_init(&x, &p, 12288, LINE_SHIFT), 0);
	ck_assert_uint_eq(index_set(&x, 12288 * 77 + 5), 5);
	ck_assert(!index_low_bits(&x, 30));
	index_free(&x);
}
END_TEST

START_TEST(test_xor)
{
	struct profile_index p = { .kind = PROFILE_INDEX_XOR,
				   .masks = { 0x1040, 0x2080, 0x8004100 },
				   .mask_count = 3 };
	struct rng rng = { .state = 1 };
	struct index x;

	ck_assert_int_eq(index_init(&x, &p, 8, LINE_SHIFT), 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t line = rng_next(&rng) >> LINE_SHIFT;
		uint64_t set = 0;

		for (int bit = 0; bit < 3; bit++)
			set |= (uint64_t)parity((line << LINE_SHIFT) &
						p.masks[bit])
			       << bit;
		ck_assert_uint_eq(index_set(&x, line), set);
	}
	index_free(&x);
}
END_TEST

/* Skylake's second-level TLB: bits 6-0 XOR 13-7 of the page number. */
START_TEST(test_fold)
{
	struct profile_index p = { .kind = PROFILE_INDEX_XOR, .fold = 7 };
	struct index x;

	ck_assert_int_eq(index_init(&x, &p, 128, 0), 0);
	ck_assert_uint_eq(index_set(&x, 0x7f), 0x7f);
	ck_assert_uint_eq(index_set(&x, 0x1 << 7 | 0x1), 0);
	ck_assert_uint_eq(index_set(&x, 0x55 << 7 | 0x0f), 0x5a);
	ck_assert_uint_eq(index_set(&x, 0x1 << 14), 0);
	index_free(&x);
}
END_TEST

/* Intel's slice masks (Maurice et al.) on 4 slices of 2048 sets. */
START_TEST(test_slice_masks)
{
	struct profile_index p = { .kind = PROFILE_INDEX_SLICED,
				   .slices = 4,
				   .slice_masks = { 0x1b5f575440,
						    0x2eb5faa880 },
				   .slice_mask_count = 2,
				   .inner = PROFILE_INDEX_LINEAR };
	struct rng rng = { .state = 2 };
	struct index x;

	ck_assert_int_eq(index_init(&x, &p, 8192, LINE_SHIFT), 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t line = rng_next(&rng) >> 30, at = line << LINE_SHIFT;
		uint64_t slice = parity(at & p.slice_masks[0]) +
				 2 * parity(at & p.slice_masks[1]);

		ck_assert_uint_eq(index_set(&x, line),
				  slice * 2048 + line % 2048);
	}
	index_free(&x);
}
END_TEST

/* Three slices from a base sequence of 8 lines and permutations of it. */
START_TEST(test_slice_table)
{
	unsigned int base[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };
	struct profile_index p = {
		.kind = PROFILE_INDEX_SLICED,
		.slices = 3,
		.slice_table = base,
		.slice_block_lines = 8,
		.permutations = { { 9, 5 }, { 10, 3 }, { 20, 7 } },
		.permutation_count = 3,
		.inner = PROFILE_INDEX_LINEAR,
	};
	struct index x;

	ck_assert_int_eq(index_init(&x, &p, 48, LINE_SHIFT), 0);
	for (uint64_t line = 0; line < 1 << 16; line++) {
		uint64_t at = line << LINE_SHIFT, permuted = line % 8;

		permuted ^= at >> 9 & 1 ? 5 : 0;
		permuted ^= at >> 10 & 1 ? 3 : 0;
		permuted ^= at >> 20 & 1 ? 7 : 0;
		ck_assert_uint_eq(index_set(&x, line),
				  base[permuted] * 16 + line % 16);
	}
	index_free(&x);
}
END_TEST

/* Slices whose sets are hashed or no power of two. */
START_TEST(test_slice_inner)
{
	struct profile_index p = { .kind = PROFILE_INDEX_SLICED,
				   .slices = 2,
				   .slice_masks = { 0x40 },
				   .slice_mask_count = 1,
				   .inner = PROFILE_INDEX_MODULO };
	struct index x;

	ck_assert_int_eq(index_init(&x, &p, 2 * 20, LINE_SHIFT), 0);
	ck_assert_uint_eq(index_set(&x, 45), 20 + 5);
	index_free(&x);
	p.inner = PROFILE_INDEX_XOR;
	p.masks[0] = 0x1080;
	p.masks[1] = 0x2100;
	p.mask_count = 2;
	ck_assert_int_eq(index_init(&x, &p, 2 * 4, LINE_SHIFT), 0);
	ck_assert_uint_eq(index_set(&x, 0x1080 >> LINE_SHIFT), 0);
	ck_assert_uint_eq(index_set(&x, 0x2140 >> LINE_SHIFT), 4 + 0);
	ck_assert_uint_eq(index_set(&x, 0x0180 >> LINE_SHIFT), 3);
	index_free(&x);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *sets = tcase_create("sets");

	tcase_add_test(sets, test_linear_and_modulo);
	tcase_add_test(sets, test_xor);
	tcase_add_test(sets, test_fold);
	tcase_add_test(sets, test_slice_masks);
	tcase_add_test(sets, test_slice_table);
	tcase_add_test(sets, test_slice_inner);
	suite_add_tcase(suite, sets);
	return suite;
}
