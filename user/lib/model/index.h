/* SPDX-License-Identifier: GPL-2.0 */
/*
 * index.h - which set an address selects: linear, modulo, XOR of address bits,
 * slices. Linear functions over GF(2) (Maurice et al., RAID 2015) are looked
 * up byte by byte; base sequences follow McCalpin (2021).
 */
#ifndef PROBE_PHYS_MODEL_INDEX_H
#define PROBE_PHYS_MODEL_INDEX_H

#include "model/profile/profile.h"

enum index_way {
	INDEX_MASK, /* number & mask */
	INDEX_FOLD, /* (number ^ number >> fold) & mask */
	INDEX_MODULO,
	INDEX_PARITY, /* a linear function */
	INDEX_SLICED, /* a slice, then a set within it */
};

/** struct index_table - a linear function of a number, or nothing */
struct index_table {
	uint32_t *values; /* [8][256] */
};

/**
 * struct index - from a line (or page) number to a set
 * @way: how
 * @mask: power-of-two paths
 * @fold: INDEX_FOLD
 * @sets: all of them
 * @inner_sets: those of one slice
 * @inner_linear: a slice's sets are a power of two and follow the low bits
 * @parity: INDEX_PARITY: the set; INDEX_SLICED: the slice, or what XORs the
 *          position in the base sequence
 * @inner: set within a slice, when it is a linear function
 * @slices: their number
 * @base: INDEX_SLICED: slice of each position, or NULL
 * @base_mask: positions - 1
 */
struct index {
	enum index_way way;
	uint64_t mask;
	unsigned int fold;
	uint64_t sets;
	uint64_t inner_sets;
	bool inner_linear;
	struct index_table parity;
	struct index_table inner;
	unsigned int slices;
	uint32_t *base;
	uint64_t base_mask;
};

/**
 * index_init() - compile a profile's index
 * @sets: number of sets, of all slices together
 * @shift: bits of an address below the number that index_set() is given
 * Return: 0, or -ENOMEM. index_free() in either case.
 */
int index_init(struct index *x, const struct profile_index *p, uint64_t sets,
	       unsigned int shift);
void index_free(struct index *x);

uint64_t index_set_slow(const struct index *x, uint64_t number);

/** index_set() - the set of a line or page number, below index.sets */
static inline uint64_t index_set(const struct index *x, uint64_t number)
{
	if (__builtin_expect(x->way == INDEX_MASK, 1))
		return number & x->mask;
	return index_set_slow(x, number);
}

/** index_low_bits() - do the lowest @bits bits of a number decide alone? */
static inline bool index_low_bits(const struct index *x, unsigned int bits)
{
	return x->way == INDEX_MASK && !(x->mask >> bits);
}

#endif
