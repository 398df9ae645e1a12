/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - an array that is being searched for. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_ACCESSED_SEARCH_H
#define PROBE_PHYS_METHOD_ACCESSED_SEARCH_H

#include "method/accessed/array.h"

/**
 * struct accessed_search - how far it is
 * @v: the pages
 * @a: what was found
 * @above: as of accessed_find_array()
 * @lost: most of what an array holds that is lost before it is tested, share
 * @lost_rows: the same of rows far apart, with their page tables
 * @all: what was kept of more pages than there are entries
 * @columns: of rows that share sets, in sets of their own; 0: none were found
 * @half: what was kept there
 */
struct accessed_search {
	const struct kept_view *v;
	struct accessed_array *a;
	double above;
	double lost;
	double lost_rows;
	struct kept all;
	uint64_t columns;
	struct kept half;
};

/** accessed_find_ways() - ways, sets and index where @all is known
 * Return: 0, also where nothing was found; -EINTR; or another -errno with @f set.
 */
int accessed_find_ways(struct accessed_search *s, struct failure *f);

#endif
