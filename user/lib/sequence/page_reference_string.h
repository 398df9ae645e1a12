/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_reference_string.h - few lines in many pages: what runs out of
 * translations before it runs out of cache (Cooper, Sandoval, section IV-C).
 */
#ifndef PROBE_PHYS_SEQUENCE_PAGE_REFERENCE_STRING_H
#define PROBE_PHYS_SEQUENCE_PAGE_REFERENCE_STRING_H

#include "sequence/sequence.h"

/**
 * struct page_string - the reference string T(n, k), or a part of its pages
 * @pages: numbers of the pages, none twice; NULL: 0, 1, ... @count - 1
 * @count: k / @page_bytes, at least 1
 * @lines: n, 1 to the lines of a page
 * @page_bytes: power of two
 * @line_bytes: of the first level of cache, power of two below @page_bytes
 */
struct page_string {
	const uint64_t *pages;
	size_t count;
	size_t lines;
	uint64_t page_bytes;
	uint64_t line_bytes;
};

/**
 * page_string_place() - its addresses, in random order
 *
 * Successive pages use successive lines, those a power of two of pages apart
 * first, so that no set of a cache gets more lines than it must. Pages are
 * visited in a random order, n times in the same one and with another line each
 * time: between two visits of a page there are always all the others, so a TLB
 * misses at the same number of pages whatever n is.
 *
 * The paper has all references in a random order where n > 1. Then a page is
 * visited again early by chance, which blurs the edge that is looked for.
 * @s: (out) released with sequence_free()
 * Return: 0 or -ENOMEM.
 */
int page_string_place(struct sequence *s, const struct page_string *w,
		      struct rng *rng);

#endif
