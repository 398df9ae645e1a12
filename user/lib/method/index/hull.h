/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hull.h - the space of differences of lines of one set, where no masks
 * describe it. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_INDEX_HULL_H
#define PROBE_PHYS_METHOD_INDEX_HULL_H

#include "method/index/search.h"

/**
 * INDEX_SURE - number of places at which a sum of bits is tested, per expected
 * line of the set: one sum in a thousand is missed
 */
#define INDEX_SURE 7.0

/**
 * struct index_hull - the space of lines of the set
 * @origin: one of the lines
 * @space: sums of the differences of lines
 * @tried: number of random lines of the space that were tested
 * @hits: number of them found in the set; some may have been missed
 */
struct index_hull {
	uint64_t origin;
	struct gf2_space space;
	uint64_t tried;
	uint64_t hits;
};

/**
 * index_widen() - add bits, or sums of bits, that lines of the set differ in
 * @by_sums: @h->tried and @h->hits determine how many places are tried
 * Return: INDEX_GOES_ON, INDEX_OPEN or -errno.
 */
int index_widen(struct index_search *s, struct index_hull *h, bool by_sums);

/**
 * index_gather() - find more lines of the set, at random places of the hull
 * @most: number of lines at which the search ends
 * Return: as index_widen().
 */
int index_gather(struct index_search *s, struct index_hull *h, size_t most);

#endif
