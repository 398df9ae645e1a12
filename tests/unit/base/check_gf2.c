// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "base/gf2.h"
#include "base/rng.h"
#include "suites.h"

#define ROUNDS 200

static struct gf2_space random_space(struct rng *rng, uint64_t bits,
				     size_t vectors)
{
	struct gf2_space s = { .rank = 0 };

	for (size_t i = 0; i < vectors; i++)
		gf2_add(&s, rng_next(rng) & bits);
	return s;
}

START_TEST(sums_lie_inside)
{
	struct rng rng = { 1 };

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t bits = rng_next(&rng) & rng_next(&rng);
		struct gf2_space s = random_space(&rng, bits, 9);
		uint64_t a = gf2_random(&s, &rng), b = gf2_random(&s, &rng);

		ck_assert_uint_eq(gf2_reduce(&s, a ^ b), 0);
		ck_assert(!gf2_add(&s, a ^ b));
		for (unsigned int bit = 0; bit < GF2_BITS; bit++)
			if (s.rows[bit])
				ck_assert_uint_eq(gf2_low_bit(s.rows[bit]),
						  bit);
	}
}
END_TEST

/* Rank and null space of 8 bits, against a count of all 256 vectors. */
START_TEST(null_space_is_all_of_it)
{
	struct rng rng = { 2 };

	for (int i = 0; i < ROUNDS; i++) {
		struct gf2_space s = random_space(&rng, 0xff, i % 9), null;
		size_t orthogonal = 0, inside = 0;

		gf2_null_space(&s, 0xff, &null);
		for (uint64_t v = 0; v < 256; v++) {
			bool all = true;

			for (unsigned int b = 0; b < 8; b++)
				all &= !gf2_parity(v, s.rows[b]);
			orthogonal += all;
			inside += !gf2_reduce(&s, v);
			ck_assert_int_eq(all, !gf2_reduce(&null, v));
		}
		ck_assert_uint_eq(orthogonal, (size_t)1 << null.rank);
		ck_assert_uint_eq(inside, (size_t)1 << s.rank);
		ck_assert_uint_eq(s.rank + null.rank, 8);
	}
}
END_TEST

/* No basis out of the vectors of a small space weighs less in sum. */
static int lightest_by_trial(const uint64_t *vectors, size_t count, size_t rank,
			     const struct gf2_space *have)
{
	int best = 1000;

	if (have->rank == rank)
		return 0;
	for (size_t i = 0; i < count; i++) {
		struct gf2_space more = *have;
		int weight = __builtin_popcountll(vectors[i]);

		if (!gf2_add(&more, vectors[i]))
			continue;
		weight += lightest_by_trial(vectors + i + 1, count - i - 1,
					    rank, &more);
		best = weight < best ? weight : best;
	}
	return best;
}

START_TEST(lowest_is_lowest)
{
	struct rng rng = { 3 };

	for (int i = 0; i < ROUNDS; i++) {
		const struct gf2_space nothing = { .rank = 0 };
		struct gf2_space s = random_space(&rng, 0xfff, 1 + i % 3);
		struct gf2_space again = nothing;
		uint64_t rows[GF2_BITS], vectors[8];
		size_t count = 0, rank = gf2_lowest(&s, NULL, rows);
		int weight = 0;

		ck_assert_uint_eq(rank, s.rank);
		for (size_t k = 0; k < rank; k++) {
			weight += __builtin_popcountll(rows[k]);
			ck_assert(gf2_add(&again, rows[k]));
			ck_assert_uint_eq(gf2_reduce(&s, rows[k]), 0);
		}
		for (uint64_t v = 1; v < 0x1000; v++)
			if (!gf2_reduce(&s, v))
				vectors[count++] = v;
		ck_assert_int_eq(weight, lightest_by_trial(vectors, count,
							   s.rank, &nothing));
	}
}
END_TEST

/* Too large to try all: still a basis, and sums of two are tried. */
START_TEST(lowest_of_a_large_space)
{
	struct rng rng = { 4 };
	struct gf2_space s = random_space(&rng, ~UINT64_C(0), 30), again;
	uint64_t rows[GF2_BITS];

	again = (struct gf2_space){ .rank = 0 };
	ck_assert_uint_eq(gf2_lowest(&s, NULL, rows), s.rank);
	for (size_t k = 0; k < s.rank; k++) {
		ck_assert(gf2_add(&again, rows[k]));
		ck_assert_uint_eq(gf2_reduce(&s, rows[k]), 0);
	}
}
END_TEST

START_TEST(lowest_beside_a_base)
{
	struct gf2_space base = { .rank = 0 }, s;
	uint64_t rows[GF2_BITS];

	gf2_add(&base, 0x0f);
	s = base;
	gf2_add(&s, 0x1f);
	gf2_add(&s, 0x60);
	ck_assert_uint_eq(gf2_lowest(&s, &base, rows), 2);
	ck_assert_uint_eq(rows[0], 0x10);
	ck_assert_uint_eq(rows[1], 0x60);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("gf2");

	tcase_add_test(t, sums_lie_inside);
	tcase_add_test(t, null_space_is_all_of_it);
	tcase_add_test(t, lowest_is_lowest);
	tcase_add_test(t, lowest_of_a_large_space);
	tcase_add_test(t, lowest_beside_a_base);
	suite_add_tcase(suite, t);
	return suite;
}
