/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - the search for leader sets, under way. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_DUELING_SEARCH_H
#define PROBE_PHYS_METHOD_DUELING_SEARCH_H

#include "method/dueling/dueling.h"

/**
 * DUEL_SEEN_ALPHA - error of one test whether any set follows; at most ten
 * tests
 */
#define DUEL_SEEN_ALPHA 1e-7
/** DUEL_ROLES_ALPHA - error of the roles of all sets together */
#define DUEL_ROLES_ALPHA 1e-6

/** enum duel_push - accesses for which one kind of policy is better */
enum duel_push {
	/* a cycle that misses always under recency */
	DUEL_THRASH,
	/*
	 * bursts that hit under recency, and miss under policies that resist
	 * thrashing
	 */
	DUEL_REUSE,
	DUEL_PUSHES,
};

/**
 * struct duel_search - a search under way
 * @oracle: the cache
 * @budget: tests draw their errors from it
 * @rng: of all random choices
 * @found: (out) the finding
 * @sentinel: a set that follows
 * @shown: its reading after each kind of push
 * @groups: room for a choice of groups to push
 * @blocks: room for duel_circle()
 */
struct duel_search {
	const struct duel_oracle *oracle;
	struct budget *budget;
	struct rng *rng;
	struct duel_finding *found;
	uint64_t sentinel;
	double shown[DUEL_PUSHES];
	bool *groups;
	unsigned int *blocks;
};

/** duel_read() - with retries. Return: as oracle.read */
int duel_read(struct duel_search *s, uint64_t set, double *misses,
	      struct failure *f);

/**
 * duel_push() - move the selector, by accesses to the groups in
 * duel_search.groups
 *
 * Selectors saturate, and all leaders of one kind may come after those of the
 * other. So each pass over the groups is short, and each has another order.
 */
int duel_push(struct duel_search *s, enum duel_push kind, struct failure *f);

/**
 * duel_sample() - test a few sets; found.verdict says whether to go on, and
 * then there is a sentinel
 */
int duel_sample(struct duel_search *s, struct failure *f);

/** duel_sample_set() - test one set */
int duel_sample_set(struct duel_search *s, uint64_t set, struct failure *f);

/** duel_scan() - the role of each set */
int duel_scan(struct duel_search *s, struct failure *f);

/** duel_say() - set the reason why something is undecided */
void duel_say(struct duel_search *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
