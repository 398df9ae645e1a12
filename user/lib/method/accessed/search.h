/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - an array that is being searched for. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_ACCESSED_SEARCH_H
#define PROBE_PHYS_METHOD_ACCESSED_SEARCH_H

#include "method/accessed/array.h"
#include "method/accessed/column.h"

/** FIT_MOST - most ways that are known of a last array */
#define FIT_MOST 24

/**
 * struct accessed_search - how far it is
 * @v: the pages
 * @a: what was found
 * @lost: most of what an array holds that is lost before it is tested, share
 * @all: what was kept of more pages than there are entries
 * @columns: of rows that share sets, in sets of their own; 0: none were found
 * @stride: distance of the rows
 * @half: what was kept there
 * @looks: at single sets, where clearing the bits disturbs
 * @fit: how often all of some pages of a set were kept, by their number, of as many looks
 * @ambiguous: more than one number of ways is possible
 */
struct accessed_search {
	const struct kept_view *v;
	struct accessed_array *a;
	double lost;
	struct kept all;
	uint64_t columns;
	uint64_t stride;
	struct kept half;
	struct column_looks looks;
	unsigned int fit[FIT_MOST + 2];
	bool ambiguous;
};

/*
 * Others hold less than half of the entries, those of the kernel that clears the bits
 * among them, or twice as many sets could keep as many. What is left of that half is
 * for the noise of what is kept. Seen: 2 to 8 % where others are away (Zen 3, Zen 5),
 * and 18 to 36 % on an Emerald Rapids with another thread on its core.
 */
#define MOST_HELD 0.4

/** LEAST_LOST - where nothing takes them, tests take some from each other: PARTS in trials.c */
#define LEAST_LOST 0.005

/** FEWEST - pages of the shortest row, which any array keeps if clearing leaves any */
#define FEWEST 16

/** accessed_find_row() - a row of more pages than the array holds, but not many
 * @most: (out) the most that were kept of any row
 * Return: 0; -ERANGE: no such row can be seen; or another -errno with @f set.
 */
int accessed_find_row(const struct kept_view *v, struct kept_shape *w,
		      double *most, struct failure *f);

/** accessed_fits_bounds() - whether @ways fit both numbers of pages that are kept, where
 * nothing disturbs
 * @above: pages may be in the array above alone
 */
bool accessed_fits_bounds(const struct accessed_search *s, double ways,
			  bool above);

/** accessed_least() - entries that an array has at least, of which @k was kept */
double accessed_least(const struct accessed_search *s, const struct kept *k);

/** accessed_is_only_one() - whether what is kept of @k fits @entries, and neither half
 * nor twice as many: others may hold some, and all the time
 */
bool accessed_is_only_one(const struct accessed_search *s, const struct kept *k,
			  double entries);

/** accessed_look_at_sets() - look at single sets, where clearing the bits disturbs
 * @pages: of each set
 * Return: as column_look()
 */
int accessed_look_at_sets(struct accessed_search *s, double pages,
			  struct failure *f);

/** accessed_try_fits() - try which numbers of pages of a set fit, where clearing disturbs
 * Return: as column_fit()
 */
int accessed_try_fits(struct accessed_search *s, struct failure *f);

/** accessed_try_one_more() - try whether one page more than @ways fits, which would
 * exceed these
 * Return: as column_fit()
 */
int accessed_try_one_more(struct accessed_search *s, unsigned int ways,
			  struct failure *f);

/** accessed_is_known() - whether last arrays of that number of ways are known */
bool accessed_is_known(unsigned int ways);

/** accessed_is_exceeded() - whether more pages of a set fit too often for so few ways */
bool accessed_is_exceeded(const struct accessed_search *s, unsigned int ways);

/** accessed_allows() - whether that number of ways is what single sets show */
bool accessed_allows(const struct accessed_search *s, double ways);

/** accessed_find_ways() - ways, sets and index where @all is known
 * Return: 0, also where nothing was found; -EINTR; or another -errno with @f set.
 */
int accessed_find_ways(struct accessed_search *s, struct failure *f);

#endif
