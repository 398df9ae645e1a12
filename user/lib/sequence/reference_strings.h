/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reference_strings.h - reference strings of Cooper and Sandoval (Portable
 * Techniques to Find Effective Memory Hierarchy Parameters, section IV): pure
 * data.
 */
#ifndef PROBE_PHYS_SEQUENCE_REFERENCE_STRINGS_H
#define PROBE_PHYS_SEQUENCE_REFERENCE_STRINGS_H

#include "sequence/sequence.h"

/**
 * string_gap() - G(n,k,o): @n locations, @k bytes apart, the last one @o bytes
 * farther off (IV-A), in random order
 * @base: of the first, bytes
 * Return: 0 or -ENOMEM.
 */
int string_gap(struct sequence *s, uint64_t base, uint64_t n, uint64_t k,
	       uint64_t o, struct rng *rng);

/** STRING_TWIN_BYTES - from one line of a twin to the next */
#define STRING_TWIN_BYTES 128

/**
 * string_gap_twin() - as many locations in the pages of G(n,k,0), but in lines
 * that do not share a set: what is slow there, too, is translation
 * @page_bytes: @base and, where it is longer than a page, @k are multiples of
 *              it
 */
int string_gap_twin(struct sequence *s, uint64_t base, uint64_t n, uint64_t k,
		    uint64_t page_bytes, struct rng *rng);

/**
 * struct string_array - array that C(k) covers
 * @base: where it begins, bytes
 * @bytes: k, a multiple of @line_bytes
 * @page_bytes: length of a row
 * @line_bytes: from one word of a row to the next
 * @visits: times that a page is visited in a round, each time for as large a
 *          part of its lines, and as many other pages come between; 0 and 1:
 *          once for all of them, as in the paper
 */
struct string_array {
	uint64_t base;
	uint64_t bytes;
	uint64_t page_bytes;
	uint64_t line_bytes;
	unsigned int visits;
};

/**
 * string_cache() - C(k): a word of each line of an array, page by page (IV-B)
 *
 * Pages come in random order, and within a page its lines, so that a
 * translation serves as many loads as a page has lines.
 * Return: 0 or -ENOMEM.
 */
int string_cache(struct sequence *s, const struct string_array *a,
		 struct rng *rng);

/**
 * string_stripes() - L(n,s): two striped patterns that fit into each other's
 * holes once a stripe is as wide as a line (IV-D)
 * @pages: offsets of @count of them, 2 n bytes together. The first half of them
 *         shows pattern A: the first word of even stripes; the others B: of odd
 *         ones
 * @stripe_bytes: s, at most @page_bytes / 2
 *
 * All words of A, in random order, and then all words of B.
 * Return: 0 or -ENOMEM.
 */
int string_stripes(struct sequence *s, const uint64_t *pages, size_t count,
		   uint64_t page_bytes, uint64_t stripe_bytes, struct rng *rng);

#endif
