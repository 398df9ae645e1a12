/* SPDX-License-Identifier: GPL-2.0 */
/* finding.h - the search for one level's geometry, under way. */
#ifndef PROBE_PHYS_METHOD_TLB_FINDING_H
#define PROBE_PHYS_METHOD_TLB_FINDING_H

#include "method/tlb/search.h"

/**
 * struct tlb_finding - the search under way
 * @x: what is measured, and how
 * @g: the answer
 * @stride: pages apart
 * @slow: so many of them were slow
 * @untried: so many of them were more than a view can show
 * @ways: as far as strides that are powers of two can tell
 * @sets: the same
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
 * tlb_compact() - whether @count pages @stride apart find room
 * @verdict: (out) VERDICT_UNDECIDED: with the reason
 * Return: 0, -EINTR, or another -errno.
 */
int tlb_compact(struct tlb_finding *s, uint64_t stride, size_t count,
		enum verdict *verdict, struct failure *f);

/**
 * tlb_find_ways() - pages of one set that find room
 * @good: (out) s->ways, at s->stride; false: there is a reason, or no level
 * Return: 0; -ERANGE: a view has too few pages; -EINTR, or another -errno.
 */
int tlb_find_ways(struct tlb_finding *s, bool *good, struct failure *f);

/** tlb_leave_open() - the reason why it stays undecided */
void tlb_leave_open(struct tlb_finding *s, uint64_t stride, size_t count,
		    const char *why);

/**
 * tlb_find_group() - adjacent pages that share a set, each with an entry
 * @good: (in and out) false: there is a reason to leave it open
 * Return: 0, -EINTR, or another -errno.
 */
int tlb_find_group(struct tlb_finding *s, bool *good, struct failure *f);

/**
 * tlb_check_capacity() - a set of each group in a row: so many find room, and not
 * one of each more
 *
 * Gives the answer, or a reason. Return: 0, -EINTR, or another -errno.
 */
int tlb_check_capacity(struct tlb_finding *s, struct failure *f);

#endif
