/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rank.h - the rank of a level's index over the address bits of a block of
 * contiguous memory, and lists that fill all sets.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_RANK_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_RANK_H

#include "method/evset/count/count.h"

/** LINEAR_VECTORS - of a basis, at most */
#define LINEAR_VECTORS 32
/** LINEAR_MOST_LINES - of one list */
#define LINEAR_MOST_LINES ((size_t)1 << 21)

/**
 * struct linear - what is known of the index
 * @e: the level
 * @set: congruent lines, of any blocks
 * @base: offset of one of them in the window
 * @block_bytes: of contiguous memory, aligned to its length: address bits below
 *               can be varied
 * @basis: bits that distinguish sets, @basis_count of them; the first
 *         @high_count keep the sets of the levels above
 * @null: every other bit, with those of @basis that undo it; @null_count of
 *        them
 * @lines: room for two lists of LINEAR_MOST_LINES
 */
struct linear {
	struct evset_machine *e;
	const struct evset_set *set;
	uint64_t base;
	uint64_t block_bytes;
	uint64_t basis[LINEAR_VECTORS];
	size_t basis_count;
	size_t high_count;
	uint64_t null[LINEAR_VECTORS];
	size_t null_count;
	uint64_t *lines;
};

/** linear_is_long() - do all sets of the basis have more lines than a list has
 * room for?
 */
bool linear_is_long(const struct linear *l);

/**
 * linear_fits() - are there as many sets as the basis distinguishes?
 * @outcome: (out) OUTCOME_DECIDED: lists with three quarters of A lines in each of them fit, and
 *         lists with more than A do not
 * Return: 0, -EAGAIN, other -errno with @f set.
 */
int linear_fits(struct linear *l, enum outcome *outcome, struct failure *f);

/** evset_linear_sets() - number of sets of an index that is linear over GF(2)
 * in each block: 2^rank
 * @c: (in, out) 0 sets: its reason says why
 * Return: 0 or -errno with @f set.
 */
int evset_linear_sets(struct evset_machine *e, struct evset_count *c,
		      struct failure *f);

#endif
