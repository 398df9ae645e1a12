/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gf2.h - linear algebra over GF(2) on vectors of 64 bits.
 *
 * An index function that XORs address bits is one vector per output bit
 * (algorithms 3.1); which lines share a set shows the space that these span,
 * never the vectors themselves.
 */
#ifndef PROBE_PHYS_BASE_GF2_H
#define PROBE_PHYS_BASE_GF2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng;

/** GF2_BITS - coordinates of a vector */
#define GF2_BITS 64
/** GF2_EXACT_RANK - up to this rank gf2_lowest() tries every vector */
#define GF2_EXACT_RANK 18

/**
 * struct gf2_space - a space, by its reduced basis
 * @rows: rows[b] is the basis vector whose lowest bit is b, and no other one
 *        has that bit; 0: none
 * @rank: dimension
 */
struct gf2_space {
	uint64_t rows[GF2_BITS];
	size_t rank;
};

/** gf2_parity() - of a & b: their scalar product */
static inline unsigned int gf2_parity(uint64_t a, uint64_t b)
{
	return (unsigned int)__builtin_parityll(a & b);
}

/** gf2_low_bit() - number of the lowest bit of a vector that is not 0 */
static inline unsigned int gf2_low_bit(uint64_t vector)
{
	return (unsigned int)__builtin_ctzll(vector);
}

/** gf2_reduce() - the rest of a vector modulo the space; 0: it lies inside */
uint64_t gf2_reduce(const struct gf2_space *s, uint64_t vector);

/** gf2_add() - add a vector to the space. Return: false: it was inside. */
bool gf2_add(struct gf2_space *s, uint64_t vector);

/** gf2_random() - a uniformly random vector of the space */
uint64_t gf2_random(const struct gf2_space *s, struct rng *rng);

/**
 * gf2_null_space() - all vectors whose product with each of the space is 0
 * @bits: coordinates that these vectors may have, a superset of those of @s
 */
void gf2_null_space(const struct gf2_space *s, uint64_t bits,
		    struct gf2_space *null);

/**
 * gf2_lowest() - the basis of lowest weight, fewest bits first
 * @base: vectors that are there already; the basis is of what @s adds to
 *        them. NULL: none
 * @rows: (out) the basis, by number of bits, then by value
 *
 * Picks the lightest vector that is independent of those picked, which no
 * other basis beats in sum. Above GF2_EXACT_RANK, or without memory, sums of
 * two basis vectors are all that is tried.
 * Return: length of the basis.
 */
size_t gf2_lowest(const struct gf2_space *s, const struct gf2_space *base,
		  uint64_t rows[GF2_BITS]);

#endif
