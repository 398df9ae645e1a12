/* SPDX-License-Identifier: GPL-2.0 */
/*
 * set.h - one set of the last array of translations, opened for questions of set/.
 *
 * Its blocks are pages at the distance that the search for ways has found. An access
 * to a page misses where page tables are walked for it. Accesses that the array above
 * serves never reach the set. So pages of other sets, several times as many as that
 * array has entries, are touched before a page comes again.
 */
#ifndef PROBE_PHYS_METHOD_ACCESSED_SET_H
#define PROBE_PHYS_METHOD_ACCESSED_SET_H

#include "method/accessed/array.h"
#include "method/set/oracle.h"

/**
 * struct accessed_set - the oracle of one set
 * @oracle: its functions and limits
 * @v: the pages
 * @stride: distance of pages that share the set
 * @columns: adjacent pages that lie in sets of their own
 * @clearing: pages of other sets that are touched before a page comes again
 */
struct accessed_set {
	struct set_oracle oracle;
	const struct kept_view *v;
	uint64_t stride;
	uint64_t columns;
	size_t clearing;
};

/**
 * accessed_set_open() - the set that the first page of a view belongs to
 * @a: found, with its ways
 * @above: entries of the array above, or an upper bound on them; 0: there is none
 * @why: (out) why it answers no questions; empty: it does
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int accessed_set_open(struct accessed_set *s, const struct kept_view *v,
		      const struct accessed_array *a, size_t above, char *why,
		      size_t size, struct failure *f);

#endif
