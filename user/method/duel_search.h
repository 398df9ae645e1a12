/* SPDX-License-Identifier: GPL-2.0 */
/* duel_search.h - between the files of duel.h */
#ifndef PROBE_PHYS_DUEL_SEARCH_H
#define PROBE_PHYS_DUEL_SEARCH_H

#include "duel.h"

/** DUEL_MOST_WRONG - bound on the probability of a wrong finding */
#define DUEL_MOST_WRONG 1e-6

/**
 * struct duel_search - a search under way
 * @oracle: is asked
 * @rng: of everything that is random
 * @found: what is found
 * @sentinel: a set that follows
 * @shown: what it shows after each kind of push
 * @groups: room for a choice of groups to push
 */
struct duel_search {
	const struct duel_oracle *oracle;
	struct rng *rng;
	struct duel_finding *found;
	uint64_t sentinel;
	double shown[DUEL_PUSHES];
	bool *groups;
};

/** duel_read() - with retries. Return: as oracle.read */
int duel_read(struct duel_search *s, uint64_t set, double *misses,
	      struct failure *f);

/** duel_do_push() - in duel_search.groups */
int duel_do_push(struct duel_search *s, enum duel_push kind,
		 struct failure *f);

/** duel_sample() - try a few sets; found.verdict says whether to go on, and
 * then there is a sentinel
 */
int duel_sample(struct duel_search *s, struct failure *f);

/** duel_scan() - the role of each set */
int duel_scan(struct duel_search *s, struct failure *f);

/** duel_say() - why something is open */
void duel_say(struct duel_search *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
