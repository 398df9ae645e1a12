// SPDX-License-Identifier: GPL-2.0
/* index.c - which set an address selects. */
#include <stdlib.h>

#include "model/index.h"

#define BYTES 8
#define VALUES 256

static bool power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

static unsigned int bits_of(uint64_t sets)
{
	return sets > 1 ? 63 - (unsigned int)__builtin_clzll(sets) : 0;
}

/* The function that XORs on what each bit of a number contributes. */
static int table_build(struct index_table *t, const uint32_t *columns)
{
	t->values = calloc((size_t)BYTES * VALUES, sizeof(*t->values));
	if (!t->values)
		return -ENOMEM;
	for (unsigned int b = 0; b < BYTES; b++) {
		uint32_t *row = t->values + (size_t)b * VALUES;

		for (unsigned int v = 1; v < VALUES; v++) {
			unsigned int bit = (unsigned int)__builtin_ctz(v);

			row[v] = row[v & (v - 1)] ^ columns[b * 8 + bit];
		}
	}
	return 0;
}

static uint32_t table_look_up(const struct index_table *t, uint64_t number)
{
	const uint32_t *row = t->values;
	uint32_t value = 0;

	for (; number; number >>= 8, row += VALUES)
		value ^= row[number & 0xff];
	return value;
}

/* What each bit of a number contributes when output bit i is the parity of
 * address & mask i.
 */
static void add_masks(uint32_t *columns, const uint64_t *masks, size_t count,
		      unsigned int shift, unsigned int first)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned int bit = shift; bit < 64; bit++)
			if (masks[i] >> bit & 1)
				columns[bit - shift] |= UINT32_C(1)
							<< (first + i);
}

static void init_linear(struct index *x, uint64_t sets)
{
	x->way = power_of_two(sets) ? INDEX_MASK : INDEX_MODULO;
	x->mask = sets - 1;
}

static int init_xor(struct index *x, const struct profile_index *p,
		    uint64_t sets, unsigned int shift)
{
	uint32_t columns[64] = { 0 };
	size_t count = bits_of(sets);

	if (p->fold) {
		x->way = INDEX_FOLD;
		x->fold = p->fold;
		x->mask = sets - 1;
		return 0;
	}
	if (p->mask_count < count)
		count = p->mask_count;
	x->way = INDEX_PARITY;
	add_masks(columns, p->masks, count, shift, 0);
	return table_build(&x->parity, columns);
}

static int init_base(struct index *x, const struct profile_index *p,
		     unsigned int shift)
{
	uint32_t columns[64] = { 0 };

	x->base = calloc(p->slice_block_lines, sizeof(*x->base));
	if (!x->base)
		return -ENOMEM;
	x->base_mask = p->slice_block_lines - 1;
	for (size_t i = 0; i < p->slice_block_lines; i++)
		x->base[i] = p->slice_table[i];
	for (size_t i = 0; i < p->permutation_count; i++)
		if (p->permutations[i].bit >= shift &&
		    p->permutations[i].bit < 64)
			columns[p->permutations[i].bit - shift] ^=
				(uint32_t)p->permutations[i].value;
	return table_build(&x->parity, columns);
}

static int init_sliced(struct index *x, const struct profile_index *p,
		       uint64_t sets, unsigned int shift)
{
	uint32_t columns[64] = { 0 };
	size_t bits;

	x->way = INDEX_SLICED;
	x->slices = p->slices ? p->slices : 1;
	x->inner_sets = sets / x->slices ? sets / x->slices : 1;
	bits = bits_of(x->inner_sets);
	x->inner_linear = power_of_two(x->inner_sets);
	if (p->inner == PROFILE_INDEX_XOR) {
		add_masks(columns, p->masks,
			  p->mask_count < bits ? p->mask_count : bits, shift,
			  0);
		if (table_build(&x->inner, columns))
			return -ENOMEM;
	}
	if (p->slice_table && p->slice_block_lines)
		return init_base(x, p, shift);
	for (size_t i = 0; i < 64; i++)
		columns[i] = 0;
	add_masks(columns, p->slice_masks, p->slice_mask_count, shift, 0);
	return table_build(&x->parity, columns);
}

int index_init(struct index *x, const struct profile_index *p, uint64_t sets,
	       unsigned int shift)
{
	*x = (struct index){ .sets = sets, .inner_sets = sets };
	switch (p->kind) {
	case PROFILE_INDEX_XOR:
		return init_xor(x, p, sets, shift);
	case PROFILE_INDEX_SLICED:
		return init_sliced(x, p, sets, shift);
	case PROFILE_INDEX_LINEAR:
	case PROFILE_INDEX_MODULO:
		break;
	}
	init_linear(x, sets);
	return 0;
}

void index_free(struct index *x)
{
	free(x->parity.values);
	free(x->inner.values);
	free(x->base);
	*x = (struct index){ .way = INDEX_MASK };
}

static uint64_t sliced_set(const struct index *x, uint64_t number)
{
	uint64_t slice = table_look_up(&x->parity, number);
	uint64_t inner;

	if (x->base)
		slice = x->base[(number ^ slice) & x->base_mask];
	if (slice >= x->slices)
		slice %= x->slices;
	if (x->inner.values)
		inner = table_look_up(&x->inner, number);
	else if (x->inner_linear)
		inner = number & (x->inner_sets - 1);
	else
		inner = number % x->inner_sets;
	return slice * x->inner_sets + inner;
}

/** index_set_slow() - index_set() for all but the plainest index */
uint64_t index_set_slow(const struct index *x, uint64_t number)
{
	switch (x->way) {
	case INDEX_FOLD:
		return (number ^ number >> x->fold) & x->mask;
	case INDEX_MODULO:
		return number % x->sets;
	case INDEX_PARITY:
		return table_look_up(&x->parity, number);
	case INDEX_SLICED:
		return sliced_set(x, number);
	case INDEX_MASK:
		break;
	}
	return number & x->mask;
}
