/* SPDX-License-Identifier: GPL-2.0 */
/*
 * index_function.h - how addresses map to sets, as far as that is known.
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

/** index_kind_name() - as the report writes it: "linear", "hashed", ... */
const char *index_kind_name(enum index_kind kind);

/** INDEX_MOST_MASKS - rows of an index function */
#define INDEX_MOST_MASKS 24
/** INDEX_MOST_POSITION_BITS - logarithm of the longest base sequence kept */
#define INDEX_MOST_POSITION_BITS 10
/** INDEX_NO_SLICE - of a position whose slice is none of those looked for */
#define INDEX_NO_SLICE (-1)

/**
 * struct index_sequence - what chooses the slice where it is no XOR of bits
 *
 * Structure of McCalpin (2021): the slice is an entry of a base sequence, and
 * an address bit XORs its permutation onto the position. Lines that conflict
 * show the sequence up to the names of slices and of positions, and only for
 * lines that agree in the masks of the index function. A sequence that is not
 * complete is as long as the slices looked at need it to be.
 *
 * @origin: address of the line at position 0
 * @masks: position bit i is the parity of (address ^ @origin) & masks[i]; the
 *         position bits that an address bit flips are its permutation
 * @bits: their number; 0: no such structure was found
 * @slices: number of slices when @complete, else 0
 * @base: slice of each of the 1 << @bits positions, INDEX_NO_SLICE
 * @found: positions with a slice
 * @first: of them those of the first eviction set
 * @sets: eviction sets that were looked for
 * @complete: every position has a slice
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
 * struct index_check - how a function predicts lines that it was not made from
 * @congruent: pairs predicted to share a set, and answered
 * @false_congruent: of them those that do not
 * @apart: pairs predicted not to share one, and answered
 * @false_apart: of them those that do
 * @undecided: pairs without an answer
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
 * struct index_function - what two lines need to have in common
 * @kind: INDEX_UNKNOWN: not known, @reason says why. Masks may be known
 *        all the same, when they leave open what bits above @high_bit do
 * @low_bit: the lowest address bit that was varied, above the line offset
 * @high_bit: the highest: what bits above do is not known
 * @masks: lines that differ in @low_bit to @high_bit only share a set exactly
 *         when address & mask has the same parity in both, for each mask. Only
 *         the space that they span is identifiable: this is its basis of
 *         lowest weight. Where @nonlinear, what lines of the slices looked at
 *         have in common: necessary for these, and not sufficient
 * @rank: their number: these bits distinguish 2^rank sets
 * @nonlinear: no masks say it all: the number of slices is no power of two
 * @unanswered: a question that the search had of the eviction set got no answer:
 *              another set may give one
 * @sequence: what is known of the rest then
 * @modulus_bytes: INDEX_MODULO: sets * line, which lines of a set are multiples
 *                 of apart; @rank is 0
 * @error_bound: bound on the probability that @masks are wrong, under the
 *               oracle's assumptions
 * @searched: questions that the search took
 * @checked: questions that went into confirming its answer
 * @check: how it predicts new lines; all 0: not tried
 * @reason: in words: why @kind is open, or what the answer rests on
 * @limit: in words: what cannot be known however long one measures
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
