/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_masks.h - the index over the address bits inside a page, where nothing
 * is known of the bits above.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_MASKS_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_MASKS_H

#include "method/evset/sort/classes.h"

/** EVSET_MOVED_LINES - lines of a class that are moved, beside those that
 * overflow
 */
#define EVSET_MOVED_LINES 4

/**
 * struct evset_sorted_lines - sorted lines, to be moved in their pages
 * @e: the level
 * @c: the classes; lines of a class lie at one offset in their pages, the same
 *     one in all classes, unless classes have minimal sets with evictors
 * @line_bytes: line size
 * @page_bytes: length of a page, which is contiguous
 */
struct evset_sorted_lines {
	struct evset_machine *e;
	const struct evset_classes *c;
	uint64_t line_bytes;
	uint64_t page_bytes;
};

/**
 * evset_page_masks() - masks over the bits of a page
 * @pairs: fresh pairs of lines of one page to predict afterwards
 * @found: (out) of unknown kind, as nothing is known of the bits above; rank 0:
 *         its reason says why
 *
 * A line that is moved within its page misses beside an overflowing class if
 * and only if it stays in the set. The distances that keep all lines in their
 * sets are the null space of the masks (algorithms: section 3.1).
 * Return: as evset_sample_each().
 */
int evset_page_masks(const struct evset_sorted_lines *in, size_t pairs,
		     struct index_function *found, struct failure *f);

/**
 * evset_page_offsets() - distances within a page that lead to sets of their own
 * @in: sorted lines of one offset
 * @offsets: (out) distances, XORed to that offset, no two of which lead to the
 *           same sets; room for @most
 * @count: (out) their number, 0: undecided
 * @folded: (out) some distance in a page of HOST_PAGES_BYTES leads to the same sets
 *          again, but each line to another one
 *
 * Some lines of all classes, moved by a distance, are walked beside an
 * overflowing class. Where the distance leads to the same sets again, those of
 * one class miss; where it leads to sets of its own, none does. The distances
 * that lead to the same sets are a space, if the index is linear in the bits of
 * a page.
 * Return: as evset_sample_each().
 */
int evset_page_offsets(const struct evset_sorted_lines *in, uint64_t *offsets,
		       size_t most, size_t *count, bool *folded,
		       struct failure *f);

/** evset_distance_space() - are some distances in a page all those of a space
 * over GF(2)?
 * @of: by distance in lines: it is one of them; @count distances, without 0,
 *      which is always one
 * @space: (out) the space that they span
 */
bool evset_distance_space(const bool *of, size_t count, uint64_t line_bytes,
			  struct gf2_space *space);

#endif
