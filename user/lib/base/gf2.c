// SPDX-License-Identifier: GPL-2.0
/* gf2.c - linear algebra over GF(2). */
#include <stdlib.h>

#include "base/gf2.h"
#include "base/rng.h"

uint64_t gf2_reduce(const struct gf2_space *s, uint64_t vector)
{
	for (uint64_t left = vector; left; left &= left - 1) {
		unsigned int bit = gf2_low_bit(left);

		/* Rows have no bit below their own, nor another row's. */
		if (vector >> bit & 1)
			vector ^= s->rows[bit];
	}
	return vector;
}

bool gf2_add(struct gf2_space *s, uint64_t vector)
{
	unsigned int bit;

	vector = gf2_reduce(s, vector);
	if (!vector)
		return false;
	bit = gf2_low_bit(vector);
	for (unsigned int i = 0; i < bit; i++)
		if (s->rows[i] >> bit & 1)
			s->rows[i] ^= vector;
	s->rows[bit] = vector;
	s->rank++;
	return true;
}

uint64_t gf2_random(const struct gf2_space *s, struct rng *rng)
{
	uint64_t which = rng_next(rng), vector = 0;

	for (unsigned int bit = 0; bit < GF2_BITS; bit++)
		if (which >> bit & 1)
			vector ^= s->rows[bit];
	return vector;
}

void gf2_null_space(const struct gf2_space *s, uint64_t bits,
		    struct gf2_space *null)
{
	*null = (struct gf2_space){ .rank = 0 };
	for (unsigned int free = 0; free < GF2_BITS; free++) {
		uint64_t vector = UINT64_C(1) << free;

		if (!(bits >> free & 1) || s->rows[free])
			continue;
		for (unsigned int bit = 0; bit < free; bit++)
			if (s->rows[bit] >> free & 1)
				vector |= UINT64_C(1) << bit;
		gf2_add(null, vector);
	}
}

static int compare_weight(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	int difference = __builtin_popcountll(x) - __builtin_popcountll(y);

	return difference ? difference : (x > y) - (x < y);
}

/* Return: number of @pool; they span @s. */
static size_t fill_pool(const struct gf2_space *s, bool all, uint64_t *pool)
{
	uint64_t basis[GF2_BITS];
	size_t rank = 0, count = 0;

	for (unsigned int bit = 0; bit < GF2_BITS; bit++)
		if (s->rows[bit])
			basis[rank++] = s->rows[bit];
	if (all) {
		uint64_t vector = 0;

		for (uint64_t i = 1; i >> rank == 0; i++) {
			vector ^= basis[gf2_low_bit(i)];
			pool[count++] = vector;
		}
		return count;
	}
	for (size_t i = 0; i < rank; i++) {
		pool[count++] = basis[i];
		for (size_t j = 0; j < i; j++)
			pool[count++] = basis[i] ^ basis[j];
	}
	return count;
}

size_t gf2_lowest(const struct gf2_space *s, const struct gf2_space *base,
		  uint64_t rows[GF2_BITS])
{
	uint64_t few[GF2_BITS * (GF2_BITS + 1) / 2];
	struct gf2_space have = { .rank = 0 };
	uint64_t *pool = NULL;
	size_t pool_count, count = 0;

	if (base)
		have = *base;
	if (s->rank <= GF2_EXACT_RANK)
		pool = malloc(sizeof(*pool) << s->rank);
	pool_count = fill_pool(s, pool != NULL, pool ? pool : few);
	qsort(pool ? pool : few, pool_count, sizeof(few[0]), compare_weight);
	for (size_t i = 0; i < pool_count; i++) {
		uint64_t vector = pool ? pool[i] : few[i];

		if (gf2_add(&have, vector))
			rows[count++] = vector;
	}
	free(pool);
	return count;
}
