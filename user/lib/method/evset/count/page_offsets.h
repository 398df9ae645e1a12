/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_offsets.h - which places of a page have sets of their own, by what each
 * load takes.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_OFFSETS_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_PAGE_OFFSETS_H

#include "base/gf2.h"
#include "method/evset/count/page_masks.h"

/**
 * evset_page_offsets() - distances within a page that lead to sets of their own
 * @in: sorted lines at one offset, and of how large pages
 * @offsets: (out) distances, XORed to that offset, no two of which lead to the
 *           same sets; @most is room for how many; @count of them, 0: that could
 *           not be told
 * @folded: (out) some distance in a page of PIECES_BYTES leads to the same sets
 *          again, but to others of them
 *
 * Beside a class that overflows some lines of all classes lie, moved by a
 * distance. Where that leads to the same sets again, those of one class are late;
 * where it leads to sets of its own, none is. Distances that lead to the same ones
 * are a space, where the index is linear in the bits of a page.
 * Return: as evset_sample_each().
 */
int evset_page_offsets(const struct evset_sorted_lines *in, uint64_t *offsets,
		       size_t most, size_t *count, bool *folded,
		       struct failure *f);

/** evset_distance_space() - are some distances in a page all those of a space over
 * GF(2)?
 * @of: by distance in lines: it is one of them; @count of distances, 0 is one
 * @space: (out) what they span
 */
bool evset_distance_space(const bool *of, size_t count, uint64_t line_bytes,
			  struct gf2_space *space);

#endif
