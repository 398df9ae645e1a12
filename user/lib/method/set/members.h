/* SPDX-License-Identifier: GPL-2.0 */
/*
 * members.h - from a minimal eviction set to the lines that questions about its
 * set consist of: more lines of the set, each of them checked, and lines that
 * clear the levels above without touching the set.
 *
 * A line of another set would change the answers to those of a wrong policy. So
 * each line is checked alone, and then all of them by a test that does not
 * depend on how they were found.
 */
#ifndef PROBE_PHYS_METHOD_SET_MEMBERS_H
#define PROBE_PHYS_METHOD_SET_MEMBERS_H

#include "method/evset/oracle/oracle.h"
#include "result/outcome.h"

/** SET_MEMBERS_MOST - most lines of one set that are checked */
#define SET_MEMBERS_MOST 256

/**
 * struct set_members - an eviction set and its oracle
 * @o: the oracle
 * @set: verified, of A + 1 lines
 * @rng: of all random orders
 */
struct set_members {
	struct evset_oracle *o;
	const struct evset_set *set;
	struct rng *rng;
};

/**
 * set_members_confirm() - keep lines that certainly belong to the set
 * @lines: (in, out) other lines are taken out; those of the set itself stay
 * @count: (in, out) their number
 * Return: 0 or the oracle's -errno.
 */
int set_members_confirm(struct set_members *s, uint64_t *lines, size_t *count,
			struct failure *f);

/**
 * set_members_check() - controls that lines of one set have to pass together
 * @lines: at least A + 1 lines
 * @outcome: (out) OUTCOME_DECIDED: any A of them are compact, any A + 1 are not; each line was in
 *        several random choices of both kinds
 * Return: 0 or the oracle's -errno.
 */
int set_members_check(struct set_members *s, const uint64_t *lines,
		      size_t count, enum outcome *outcome, struct failure *f);

/**
 * set_members_clear() - lines of other sets that all fit into the level, together
 * with A lines of the set
 * @members: checked lines of the set; @member_count of them, at least A
 * @candidates: lines that share the sets of the levels above with the set's, in
 *              random order; @candidate_count of them
 * @lines: (out) the padding of the set first; room for @most
 * @most: most lines
 * @count: (out) their number; 0: the final check evicted some
 * Return: 0 or the oracle's -errno.
 */
int set_members_clear(struct set_members *s, const uint64_t *members,
		      size_t member_count, const uint64_t *candidates,
		      size_t candidate_count, uint64_t *lines, size_t most,
		      size_t *count, struct failure *f);

#endif
