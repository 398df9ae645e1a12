/* SPDX-License-Identifier: GPL-2.0 */
/* count.h - how many sets a level has. */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_COUNT_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_COUNT_H

#include "method/evset/oracle/session.h"

/**
 * struct evset_count - the number of sets, from what is known of a level
 * @set: a verified set, of A + 1 lines
 * @line_bytes: line size
 * @agreed: sets that said how many ways there are, each with a line more;
 *          @agreed_count of them
 * @costly: to find sets took long, as beside somebody who uses the level
 * @sets: (out) 0: @reason says why
 * @index: (out) what that has shown of the index; INDEX_UNKNOWN: nothing
 * @linear: (out) in each block of the window the index has been seen to be linear
 *          over GF(2)
 * @all_offsets: (out) sets have lines at all offsets of pages, where nothing tells
 *               how often one is told wrong; not asked for again
 * @page_masks: (out) of a guest: masks over the bits inside of a page; rank 0: none
 * @reason: (out)
 */
struct evset_count {
	const struct evset_set *set;
	uint64_t line_bytes;
	const struct evset_set *agreed;
	size_t agreed_count;
	bool costly;
	uint64_t sets;
	enum index_kind index;
	bool linear;
	bool all_offsets;
	struct index_function page_masks;
	char reason[256];
};

/** evset_count_ways() - A of the level */
static inline size_t evset_count_ways(const struct evset_count *c)
{
	return c->set->count - 1;
}

/** evset_measure_sets() - number of sets
 * @c: (in, out)
 * Return: 0 or -errno with @f set.
 */
int evset_measure_sets(struct evset_machine *e, struct evset_count *c,
		       struct failure *f);

#endif
