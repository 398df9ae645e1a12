/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_offsets.h - which offsets in a page lead to sets of their own, by the
 * time of each load.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_OFFSETS_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_OFFSETS_H

#include "base/gf2.h"
#include "method/evset/count/page_masks.h"

/**
 * evset_page_offsets() - distances within a page that lead to sets of their own
 * @in: sorted lines of one offset
 * @offsets: (out) distances, XORed to that offset, no two of which lead to the
 *           same sets; room for @most
 * @count: (out) their number, 0: undecided
 * @folded: (out) some distance in a page of PIECES_BYTES leads to the same sets
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
