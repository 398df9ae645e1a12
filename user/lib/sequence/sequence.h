/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sequence.h - a set of addresses in an order.
 *
 * Pure data: knows neither machines nor caches. Addresses are byte offsets into
 * a region; the notation is that of X-Ray (Yotov, Pingali, Stodghill),
 * Definition 4. Called by machines and methods. Functions return 0 or -errno.
 */
#ifndef PROBE_PHYS_SEQUENCE_SEQUENCE_H
#define PROBE_PHYS_SEQUENCE_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

struct rng;

/**
 * struct sequence - offsets in the order in which they are walked, cyclically
 * @offsets: byte offsets, multiples of 8, none twice
 * @length: their number
 */
struct sequence {
	uint64_t *offsets;
	size_t length;
};

/** sequence_free() - release the offsets; an empty sequence is allowed */
void sequence_free(struct sequence *s);

/** SHAPE_MOST_FOLDS - vectors of struct shape_folds */
#define SHAPE_MOST_FOLDS 12

/**
 * struct shape_folds - copies that differ in address bits, not by a distance
 * @origin: offsets are counted from here
 * @vectors: bits; each combination of them, XORed into an address, is a copy
 * @count: of vectors
 */
struct shape_folds {
	uint64_t origin;
	uint64_t vectors[SHAPE_MOST_FOLDS];
	size_t count;
};

/**
 * struct shape - the sequence of sequences <<m0, s, n>, S, N> without its base
 * @inner_stride: s, bytes
 * @inner: n, at least 1
 * @stride: S, bytes
 * @outer: N, at least 1
 * @copy_stride: distance of copies of the whole, bytes
 * @copies: their number; 0 counts as 1
 * @lead: bytes between the base and the first address
 * @scatter: not 0: the inner addresses lie at random multiples of @inner_stride
 *           below @scatter bytes, the same ones in each row
 * @skew: row i is shifted by (i modulo @skews) times this many bytes
 * @skews: period of the shifts, rows; 0: no shifts
 * @folds: copies of each address by XOR, in addition to @copies
 * @phases: the start within a row moves by 1/@phases of it from row to row; 0
 *          and 1: it does not
 *
 * With n = 1 it is <m0, S, N>. Copies are the transformation of X-Ray section
 * 5.1 for sequences that are nested already.
 */
struct shape {
	uint64_t inner_stride;
	size_t inner;
	uint64_t stride;
	size_t outer;
	uint64_t copy_stride;
	size_t copies;
	uint64_t lead;
	uint64_t scatter;
	uint64_t skew;
	size_t skews;
	struct shape_folds folds;
	size_t phases;
};

/** shape_columns() - addresses of one row, which shuffling keeps together */
size_t shape_columns(const struct shape *w);

/** shape_length() - number of addresses */
size_t shape_length(const struct shape *w);

/** shape_reach() - bytes from the first copy of a row to its last one */
uint64_t shape_reach(const struct shape *w);

/** shape_span() - bytes from m0 to the end of the last word */
uint64_t shape_span(const struct shape *w);

/**
 * sequence_place() - the addresses of a shape
 * @base: m0, bytes
 * Return: 0 or -ENOMEM.
 */
int sequence_place(struct sequence *s, const struct shape *w, uint64_t base);

/** sequence_check() - 0, -EEXIST: an offset comes twice, or -ENOMEM */
int sequence_check(const struct sequence *s);

/** sequence_scatter() - apply shape.scatter to a sequence just placed */
void sequence_scatter(struct sequence *s, const struct shape *w,
		      struct rng *rng);

/**
 * sequence_translation_twin() - the same pages, but no cache conflict
 *
 * Each address moves inside its page of @page_bytes: those of one page into
 * words of @word_bytes of as few lines of @line_bytes as hold them, those of
 * different pages, in the order in which these are visited first, into
 * consecutive lines. What stays slow is translation. (X-Ray section 6 shifts
 * its TLB sequences by T1 + B1 for the same reason.)
 */
int sequence_translation_twin(struct sequence *twin, const struct sequence *of,
			      uint64_t page_bytes, uint64_t line_bytes,
			      uint64_t word_bytes);

/** sequence_span() - bytes from offset 0 to the end of the highest word */
uint64_t sequence_span(const struct sequence *s);

/** sequence_shuffle() - random order, every order equally likely */
void sequence_shuffle(struct sequence *s, struct rng *rng);

/**
 * sequence_shuffle_columns() - random order that keeps columns apart
 * @inner: n of the nested sequence that @s was built as
 *
 * Rows are visited in a random order, and within each row the same random
 * order of columns, so that exactly n - 1 other addresses lie between two
 * visits to one column: upper levels are swept in between.
 * Return: 0 or -ENOMEM.
 */
int sequence_shuffle_columns(struct sequence *s, size_t inner, struct rng *rng);

/**
 * sequence_shuffle_shape() - the random order that suits the shape of @s
 *
 * Any order of a single column, otherwise one that keeps columns apart. Where
 * the shape has folds, copies by the last vector and copies without it take turns:
 * a vector within the sets of a level has each load in another set of it than the
 * one before, or all of them in one, whatever the order. Where
 * the shape has phases, the rows in that order begin at as many columns in
 * turn.
 * Return: 0 or -ENOMEM.
 */
int sequence_shuffle_shape(struct sequence *s, const struct shape *w,
			   struct rng *rng);

#endif
