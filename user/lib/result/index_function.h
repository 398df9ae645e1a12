/* SPDX-License-Identifier: GPL-2.0 */
/*
 * index_function.h - how addresses map to sets, and what of that is known.
 */
#ifndef PROBE_PHYS_RESULT_INDEX_FUNCTION_H
#define PROBE_PHYS_RESULT_INDEX_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum index_kind - how addresses map to sets */
enum index_kind {
	INDEX_UNKNOWN,
	INDEX_LINEAR, /* bits of the address */
	INDEX_HASHED, /* neither of the others */
	INDEX_MODULO, /* line number modulo sets that are no power of two */
};

/** index_kind_name() - the kind as the report prints it: "linear", "hashed",
 * ...
 */
const char *index_kind_name(enum index_kind kind);

/** INDEX_MOST_MASKS - rows of an index function */
#define INDEX_MOST_MASKS 24
/** INDEX_MOST_POSITION_BITS - logarithm of the longest base sequence kept */
#define INDEX_MOST_POSITION_BITS 10
/** INDEX_NO_SLICE - marks positions whose slice is unknown */
#define INDEX_NO_SLICE (-1)

/**
 * struct index_sequence - how the slice is chosen where XORs of address bits do
 * not choose it
 *
 * The structure is McCalpin's (2021): the slice is an entry of a base sequence,
 * and each address bit XORs its permutation onto the position. Conflicts show
 * the sequence up to renaming of slices and positions, and only for lines that
 * agree in the masks of the index function. An incomplete sequence is as long
 * as the tested slices require.
 *
 * @origin: address of the line at position 0
 * @masks: position bit i is the parity of (address ^ @origin) & masks[i]; the
 *         position bits that an address bit flips are its permutation
 * @bits: number of position bits; 0: no base sequence was found
 * @slices: number of slices when @complete, else 0
 * @base: slice of each of the 1 << @bits positions, or INDEX_NO_SLICE
 * @found: number of positions whose slice is known
 * @first: number of positions in the slice of the first eviction set
 * @sets: number of eviction sets whose slices were tested
 * @complete: the slice of every position is known
 */
struct index_sequence {
	uint64_t origin;
	uint64_t masks[INDEX_MOST_POSITION_BITS];
	size_t bits;
	size_t slices;
	int16_t base[1 << INDEX_MOST_POSITION_BITS];
	size_t found;
	size_t first;
	size_t sets;
	bool complete;
};

/**
 * struct index_check - how well a function predicts lines that it was not
 * derived from
 * @congruent: decided pairs that were predicted to share a set
 * @false_congruent: number of them that do not
 * @apart: decided pairs that were predicted not to share a set
 * @false_apart: number of them that do
 * @undecided: pairs whose test was undecided
 * @congruent_low: 95 % Wilson interval of the rate of @false_congruent ...
 * @congruent_high: ... its upper end
 * @apart_low: the same of @false_apart
 * @apart_high: its upper end
 */
struct index_check {
	size_t congruent;
	size_t false_congruent;
	size_t apart;
	size_t false_apart;
	size_t undecided;
	double congruent_low;
	double congruent_high;
	double apart_low;
	double apart_high;
};

/**
 * struct index_function - what two lines of one set have in common
 * @kind: INDEX_UNKNOWN: not known, @reason says why. Masks may be known even
 *        then, if they do not show which bits above @high_bit select sets
 * @low_bit: the lowest address bit that was varied; it lies above the line
 *           offset
 * @high_bit: the highest address bit that was varied; the effect of higher bits
 *            is not known
 * @masks: two lines that differ only in @low_bit to @high_bit share a set
 *         exactly when, for each mask, address & mask has the same parity in
 *         both. Conflicts identify only the space that the masks span; these
 *         masks are its basis of lowest weight. With @nonlinear, all lines of
 *         the tested slices agree in the masks, but lines that agree may lie in
 *         different sets
 * @rank: number of masks: they distinguish 2^rank sets
 * @nonlinear: masks alone do not determine the set: the number of slices is no
 *             power of two
 * @unanswered: a test with this eviction set stayed undecided; the search may
 *              succeed with another set
 * @sequence: what is known of the slices if @nonlinear
 * @modulus_bytes: with INDEX_MODULO: sets * line; lines of one set are
 *                 multiples of it apart, and @rank is 0
 * @error_bound: bound on the probability that @masks are wrong, under the
 *               oracle's assumptions
 * @searched: number of tests of the search
 * @checked: number of tests that confirmed its result
 * @check: how well it predicts fresh lines; all 0: not tested
 * @reason: why @kind is undecided, or which assumptions it depends on
 * @limit: what no further measurement can show
 */
struct index_function {
	enum index_kind kind;
	unsigned int low_bit;
	unsigned int high_bit;
	uint64_t masks[INDEX_MOST_MASKS];
	size_t rank;
	bool nonlinear;
	bool unanswered;
	struct index_sequence sequence;
	uint64_t modulus_bytes;
	double error_bound;
	uint64_t searched;
	uint64_t checked;
	struct index_check check;
	char reason[256];
	char limit[160];
};

#endif
