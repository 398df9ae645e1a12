/* SPDX-License-Identifier: GPL-2.0 */
/* hull.h - where lines of a set lie, where no masks say it. Private to this
 * folder.
 */
#ifndef PROBE_PHYS_METHOD_INDEX_HULL_H
#define PROBE_PHYS_METHOD_INDEX_HULL_H

#include "method/index/search.h"

/** INDEX_SURE - sums of bits are tried at this many times the places that have a
 * line of the set: one in a thousand is missed
 */
#define INDEX_SURE 7.0

/**
 * struct index_hull - where lines of the set lie
 * @origin: one of them
 * @space: sums of their differences
 * @tried: lines of it that were asked for
 * @hits: of them those of the set, or less
 */
struct index_hull {
	uint64_t origin;
	struct gf2_space space;
	uint64_t tried;
	uint64_t hits;
};

/**
 * index_widen() - add the bits, or sums of bits, that lines of the set differ in
 * @by_sums: @h->tried and @h->hits say how many places it takes
 * Return: INDEX_GOES_ON, INDEX_OPEN or -errno.
 */
int index_widen(struct index_search *s, struct index_hull *h, bool by_sums);

/**
 * index_gather() - more lines of the set, at random places of the hull
 * @most: lines that are enough
 * Return: as index_widen().
 */
int index_gather(struct index_search *s, struct index_hull *h, size_t most);

#endif
