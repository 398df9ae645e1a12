/* SPDX-License-Identifier: GPL-2.0 */
/* rate_count.h - the number of sets, by the share of random lines of some sets.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_RATE_COUNT_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_RATE_COUNT_H

#include "method/evset/count/congruence_rate.h"
#include "method/evset/count/count.h"

/**
 * evset_rate_sets() - number of sets
 * @c: (in) c->agreed. (out) 0 sets: its reason says why; c->page_masks if there
 *     is a number
 * @folded: (out) lines at several offsets of a page of the host share sets,
 *          which single bits would not do
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_rate_sets(struct evset_machine *e, struct evset_count *c,
		    bool *folded, struct failure *f);

/**
 * evset_rate_members() - the set's lines, and more lines of it out of random
 * ones
 * @wanted: number of lines in all
 * @lines: (out) r->moved's first; room for @wanted
 * @count: (out) less than @wanted: some groups gave none, or the set is
 *         contended
 * Return: as evset_rate_begin().
 */
int evset_rate_members(struct evset_rate *r, size_t wanted, uint64_t *lines,
		       size_t *count, struct failure *f);

/**
 * evset_rate_masks() - masks over the bits of a page, by a few sets and more
 * lines of them
 * @each: @count sets
 * @found: (out) as of evset_page_masks()
 * Return: as evset_rate_sets().
 */
int evset_rate_masks(struct evset_machine *e, struct evset_rate *each,
		     size_t count, uint64_t line_bytes,
		     struct index_function *found, struct failure *f);

#endif
