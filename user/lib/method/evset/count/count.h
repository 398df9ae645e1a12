/* SPDX-License-Identifier: GPL-2.0 */
/* count.h - how many sets a level has, and which index it shows.
 * Must not know how a level is reported, nor what comes before or after.
 * Called by the top of evset.
 * Returns a number of sets, or a reason; masks over the bits of a page.
 * Errors: those of the oracle; -EINTR when stopped.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_COUNT_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_COUNT_H

#include "method/evset/oracle/session.h"

/**
 * struct evset_count - the number of sets, from what is known of a level
 * @set: a verified set, of A + 1 lines
 * @line_bytes: line size
 * @agreed: sets that agree on the ways, of A + 1 lines each; @agreed_count of
 *          them
 * @costly: finding sets took long, as it does under contention
 * @sets: (out) 0: @reason says why
 * @index: (out) what the count shows of the index; INDEX_UNKNOWN: nothing
 * @linear: (out) in each block of the window the index is linear over GF(2)
 * @all_offsets: (out) sets have lines at all offsets of pages, so that no group
 *               of lines is a negative control: the congruence rate is not
 *               tried again
 * @page_masks: (out) of a guest: masks over the bits inside a page; rank 0:
 *              none
 * @reason: (out) why there is no number
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

/**
 * evset_occupancy() - do whole random pages contradict a number of sets?
 * @sets: of @ways lines of @line_bytes each, as counted
 * @outcome: (out) OUTCOME_OPEN: pages of half the capacity miss as if there were
 *           half as many sets, or pages of one and a half hardly miss, as if
 *           there were twice as many; OUTCOME_VOID: all samples were disturbed;
 *           OUTCOME_DECIDED also if pages are too few, or ways less than four
 *
 * Lines of random pages fall into sets like balls into boxes: with a mean of A
 * / 2 few sets get more than A, with a mean of 3 A / 2 nearly all do. The check
 * does not depend on how sets were sorted, so that it repeats none of its
 * errors.
 *
 * Return: 0 or -errno with @f set.
 */
int evset_occupancy(struct evset_machine *e, uint64_t sets, size_t ways,
		    uint64_t line_bytes, enum outcome *outcome,
		    struct failure *f);

#endif
