/* SPDX-License-Identifier: GPL-2.0 */
/*
 * share.h - questions that are answered by "none of these lines misses" or
 * "most of them do": write allocation, split or unified, replacement. Private
 * to this folder.
 */
#ifndef PROBE_PHYS_METHOD_AMP_SHARE_H
#define PROBE_PHYS_METHOD_AMP_SHARE_H

#include "method/amp/level.h"

/**
 * struct amp_share - such a question
 * @space: of the level
 * @geometry: of the level
 * @take: one placement: misses as shares of the lines, in @b as test and
 *        control.
 * Return: 0; -EAGAIN: this machine cannot, with the reason in @f; or another
 * -errno
 * @context: for @take
 */
struct amp_share {
	struct amp_space *space;
	const struct amp_geometry *geometry;
	int (*take)(struct amp_share *s, struct trial_block *b,
		    struct failure *f);
	void *context;
};

/**
 * amp_share_decide() - decide by the sequential test, and by votes
 * @votes: (out) 1: most missed, 0: they did not; @cast of them; NULL: none
 * @verdict: (out) VERDICT_COMPACT: none misses; VERDICT_NON_COMPACT: a quarter
 *           or more
 * Return: 0, or the error of @take.
 */
int amp_share_decide(struct amp_share *s, int votes[AMP_VOTES], size_t *cast,
		     enum verdict *verdict, struct failure *f);

/**
 * amp_lines() - lines in a row, in random order, at a random place
 * @bytes: from the first to the end of the last
 * Return: 0; -EAGAIN: they do not fit; -ENOMEM with @f set.
 */
int amp_lines(struct amp_space *space, uint64_t bytes, struct sequence *s,
	      struct failure *f);

/**
 * amp_misses() - share of the lines that one round misses
 * @after: the steps before each sample, and the number of samples, at most
 *         PROBER_BLOCK_SAMPLES
 * @r: (out) shares
 */
int amp_misses(struct amp_space *space, const struct sequence *s,
	       const struct walk_plan *after, struct readings *r,
	       struct failure *f);

/** amp_find_write_allocate() - section 3.4. Return: as amp_measure(). */
int amp_find_write_allocate(const struct amp_run *run, struct amp_space *space,
			    const struct amp_geometry *g, struct amp_row *row,
			    struct failure *f);

/** amp_find_write_back() - of the first level
 * @space, @g: of the second
 * @first: row of the first
 * Return: as amp_measure().
 */
int amp_find_write_back(const struct amp_run *run, struct amp_space *space,
			const struct amp_geometry *g, struct amp_row *first,
			struct failure *f);

/** amp_find_replacement() - section 3.5 */
int amp_find_replacement(const struct amp_run *run, struct amp_space *space,
			 const struct amp_geometry *g, struct amp_row *row,
			 struct failure *f);

/**
 * amp_decide_unified() - section 3.6, for caches and TLBs
 * @by_other: data after code, or code after data
 * @by_same: data after more data, or code after more code. If that evicts
 *           nothing, the policy keeps old lines, or the machine loads them
 *           again before they are measured
 * @row: its type becomes "unified", except for code
 */
int amp_decide_unified(const struct amp_run *run,
		       const struct amp_share *by_other,
		       const struct amp_share *by_same, struct amp_row *row,
		       struct failure *f);

/** amp_find_unified() - section 3.6; row->type becomes "unified" */
int amp_find_unified(const struct amp_run *run, struct amp_space *space,
		     const struct amp_geometry *g, struct amp_row *row,
		     struct failure *f);

#endif
