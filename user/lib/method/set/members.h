/* SPDX-License-Identifier: GPL-2.0 */
/*
 * members.h - from a minimal eviction set to the lines that questions
 * about its set are made of: more lines of that set, each of them checked, and
 * lines that clear the levels above and leave it alone.
 *
 * A line that is wrongly taken for one of the set, or for one of another set,
 * would make an answer that belongs to no policy, or to a wrong one. So each is
 * asked for by itself, and then all of them in a way that does not rest on how
 * they were found.
 */
#ifndef PROBE_PHYS_METHOD_SET_MEMBERS_H
#define PROBE_PHYS_METHOD_SET_MEMBERS_H

#include "method/evset/oracle/oracle.h"

/** LEVEL_MEMBERS_MOST - lines of one set that can be checked */
#define LEVEL_MEMBERS_MOST 256

/**
 * struct member_search - a set, and who answers for it
 * @o: answers
 * @set: verified, of A + 1 lines
 * @rng: order of everything
 */
struct member_search {
	struct evset_oracle *o;
	const struct evset_set *set;
	struct rng *rng;
};

/**
 * members_confirm() - those of some lines that surely are of the set
 * @lines: (in, out) others are taken out; those of the set itself stay
 * @count: (in, out) of them
 * Return: 0 or the oracle's -errno.
 */
int members_confirm(struct member_search *s, uint64_t *lines, size_t *count,
		    struct failure *f);

/**
 * members_check() - controls that lines of one set have to pass together
 * @lines: at least A + 1 of them
 * @good: (out) any A of them are compact, any A + 1 are not: each line has been
 *        among several random choices of either
 * Return: 0 or the oracle's -errno.
 */
int members_check(struct member_search *s, const uint64_t *lines, size_t count,
		  bool *good, struct failure *f);

/**
 * members_clear() - lines of other sets that all fit into the level, beside A
 * lines of the set
 * @members: lines of the set, checked; @member_count of them, at least A
 * @candidates: lines that share the sets of the levels above with the set's, in
 *              random order; @candidate_count of them
 * @lines: (out) the padding of the set first; room for @most
 * @most: of them at most
 * @count: (out) their number; 0: they did not stay when that was checked
 * Return: 0 or the oracle's -errno.
 */
int members_clear(struct member_search *s, const uint64_t *members,
		  size_t member_count, const uint64_t *candidates,
		  size_t candidate_count, uint64_t *lines, size_t most,
		  size_t *count, struct failure *f);

#endif
