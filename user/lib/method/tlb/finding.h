/* SPDX-License-Identifier: GPL-2.0 */
/* finding.h - the search for one level's geometry. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_TLB_FINDING_H
#define PROBE_PHYS_METHOD_TLB_FINDING_H

#include "method/tlb/search.h"
#include "result/outcome.h"

/**
 * struct tlb_finding - the search under way
 * @x: the level, and how its pages are laid out
 * @g: (out) the answer
 * @stride: distance at which pages were found slow, pages
 * @slow: number of pages that were slow
 * @untried: number of pages that a view could not show
 * @ways: ways, as far as strides that are powers of two show them
 * @sets: sets, likewise
 * @group: adjacent pages that share a set
 */
struct tlb_finding {
	struct tlb_search *x;
	struct tlb_geometry *g;
	uint64_t stride;
	size_t slow;
	size_t untried;
	size_t ways;
	uint64_t sets;
	uint64_t group;
};

/** TLB_MOST_WAYS - no array is known with more (Apple M1: 192) */
#define TLB_MOST_WAYS 512

/**
 * tlb_compact() - whether @count pages @stride apart fit
 * @verdict: (out) VERDICT_UNDECIDED: with the reason in s->g
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int tlb_compact(struct tlb_finding *s, uint64_t stride, size_t count,
		enum verdict *verdict, struct failure *f);

/**
 * tlb_find_ways() - how many pages of one set fit
 * @outcome: (out) OUTCOME_DECIDED: s->ways holds, at s->stride; OUTCOME_OPEN:
 *           there is a reason in s->g, or no such level
 * Return: 0; -ERANGE: a view has too few pages; -EINTR; or another -errno with
 * @f set.
 */
int tlb_find_ways(struct tlb_finding *s, enum outcome *outcome,
		  struct failure *f);

/** tlb_leave_open() - set the reason why the geometry is undecided */
void tlb_leave_open(struct tlb_finding *s, uint64_t stride, size_t count,
		    const char *why);

/**
 * tlb_find_group() - adjacent pages that share a set, each with an entry
 * @outcome: (in and out) OUTCOME_OPEN: there is a reason in s->g
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int tlb_find_group(struct tlb_finding *s, enum outcome *outcome,
		   struct failure *f);

/**
 * tlb_check_capacity() - whether a row of pages fills all sets
 *
 * As many pages as entries must fit, and one more per set must not. Sets the
 * answer, or the reason why there is none.
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int tlb_check_capacity(struct tlb_finding *s, struct failure *f);

#endif
