/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_masks.h - the index over the address bits inside of a page of which
 * nothing else is known.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_MASKS_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_MASKS_H

#include "method/evset/sort/classes.h"

/** EVSET_MOVED_LINES - lines of a class that are moved, beside those that overflow */
#define EVSET_MOVED_LINES 4

/**
 * struct evset_sorted_lines - lines of which is known what they share
 * @e: the level
 * @c: sorted lines, those of a class at one offset in their pages; at the same one
 *     as those of other classes, or with minimal sets that have padding
 * @line_bytes: line size
 * @page_bytes: of the pages, each of which is contiguous
 */
struct evset_sorted_lines {
	struct evset_machine *e;
	const struct evset_classes *c;
	uint64_t line_bytes;
	uint64_t page_bytes;
};

/**
 * evset_page_masks() - masks over the bits of a page
 * @pairs: fresh pairs of lines of one page each to predict afterwards
 * @found: (out) of unknown kind, as nothing is said of bits above; rank 0: @reason
 *         says why
 *
 * A line that is moved within its page stays in its set or does not. It is late
 * beside a class that overflows exactly if it does, and the distances by which
 * all lines may be moved are what the masks do not see (algorithms: section 3.1,
 * the null space).
 * Return: as evset_sample_each().
 */
int evset_page_masks(const struct evset_sorted_lines *in, size_t pairs,
		     struct index_function *found, struct failure *f);

#endif
