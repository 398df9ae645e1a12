/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - the search for leader sets, under way. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_DUELING_SEARCH_H
#define PROBE_PHYS_METHOD_DUELING_SEARCH_H

#include "method/dueling/dueling.h"

/**
 * DUELING_SEEN_ALPHA - error of one test whether any set follows; at most ten
 * tests
 */
#define DUELING_SEEN_ALPHA 1e-7
/** DUELING_ROLES_ALPHA - error of the roles of all sets together */
#define DUELING_ROLES_ALPHA 1e-6
/** DUELING_RATE_ALPHA - probability that votes are wrong more often than the roles
 * allow for, in any of all passes: a hundredth of what a result may draw
 */
#define DUELING_RATE_ALPHA (BUDGET_RESULT / 100)

/** enum dueling_push - accesses for which one kind of policy is better */
enum dueling_push {
	/* a cycle that misses always under recency */
	DUELING_THRASH,
	/*
	 * bursts that hit under recency, and miss under policies that resist
	 * thrashing
	 */
	DUELING_REUSE,
	DUELING_PUSHES,
};

/**
 * struct dueling_search - a search under way
 * @oracle: the cache
 * @budget: tests draw their errors from it
 * @rng: of all random choices
 * @found: (out) the finding
 * @sentinel: a set that follows
 * @shown: its reading after each kind of push
 * @groups: room for a choice of groups to push
 * @blocks: room for dueling_circle()
 */
struct dueling_search {
	const struct dueling_oracle *oracle;
	struct budget *budget;
	struct rng *rng;
	struct dueling_finding *found;
	uint64_t sentinel;
	double shown[DUELING_PUSHES];
	bool *groups;
	unsigned int *blocks;
};

/** dueling_read() - with retries. Return: as oracle.read */
int dueling_read(struct dueling_search *s, uint64_t set, double *misses,
		 struct failure *f);

/**
 * dueling_push() - move the selector, by accesses to the groups in
 * dueling_search.groups
 *
 * Selectors saturate, and all leaders of one kind may come after those of the
 * other. So each pass over the groups is short, and each has another order.
 */
int dueling_push(struct dueling_search *s, enum dueling_push kind,
		 struct failure *f);

/**
 * dueling_sample() - test a few sets; found.verdict says whether to go on, and
 * then there is a sentinel
 */
int dueling_sample(struct dueling_search *s, struct failure *f);

/** dueling_sample_set() - test one set */
int dueling_sample_set(struct dueling_search *s, uint64_t set,
		       struct failure *f);

/** dueling_scan() - the role of each set */
int dueling_scan(struct dueling_search *s, struct failure *f);

/** dueling_say() - set the reason why something is undecided */
void dueling_say(struct dueling_search *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
