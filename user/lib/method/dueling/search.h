/* SPDX-License-Identifier: GPL-2.0 */
/* search.h - between the files of dueling.h */
#ifndef PROBE_PHYS_METHOD_DUELING_SEARCH_H
#define PROBE_PHYS_METHOD_DUELING_SEARCH_H

#include "method/dueling/dueling.h"

/** DUEL_SEEN_ALPHA - error of one test whether a set follows: of up to ten */
#define DUEL_SEEN_ALPHA 1e-7
/** DUEL_ROLES_ALPHA - error of the roles of all sets together */
#define DUEL_ROLES_ALPHA 1e-6

/** enum duel_push - accesses that one kind of policy serves better */
enum duel_push {
	/* a circle that recency loses all of */
	DUEL_THRASH,
	/* bursts that recency keeps, and what resists thrashing does not */
	DUEL_REUSE,
	DUEL_PUSHES,
};

/**
 * struct duel_search - a search under way
 * @oracle: is asked
 * @budget: of errors
 * @rng: of everything that is random
 * @found: what is found
 * @sentinel: a set that follows
 * @shown: what it shows after each kind of push
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
 * duel_push() - move the selector, in duel_search.groups
 *
 * Selectors saturate, and leaders of one kind may all come after those of the
 * other: so each pass over the groups is short, and the order is another one
 * each time.
 */
int duel_push(struct duel_search *s, enum duel_push kind, struct failure *f);

/** duel_sample() - try a few sets; found.verdict says whether to go on, and
 * then there is a sentinel
 */
int duel_sample(struct duel_search *s, struct failure *f);

/** duel_sample_set() - try one set */
int duel_sample_set(struct duel_search *s, uint64_t set, struct failure *f);

/** duel_scan() - the role of each set */
int duel_scan(struct duel_search *s, struct failure *f);

/** duel_say() - why something is open */
void duel_say(struct duel_search *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
