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

#endif
