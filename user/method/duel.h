/* SPDX-License-Identifier: GPL-2.0 */
/*
 * duel.h - set dueling: sets whose policy is chosen by what others miss.
 *
 * A few leader sets always play one of two policies, and a selector counts
 * their misses against each other; all other sets follow the winner (Qureshi
 * et al., ISCA 2007; Jaleel et al., ISCA 2010). Leaders are found as nanoBench
 * finds them (Abel and Reineke, ISPASS 2020, setDueling.py): the selector is
 * pushed to either side by accesses to other sets, and what a circle of one
 * line more than there are ways misses changes in followers, not in leaders.
 */
#ifndef PROBE_PHYS_DUEL_H
#define PROBE_PHYS_DUEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../error.h"
#include "../rng.h"

/** enum duel_push - accesses that one kind of policy serves better */
enum duel_push {
	/* half as many lines again as fit, in turn: recency loses all */
	DUEL_THRASH,
	/* half as many as fit, thrice in turn, then others: recency wins */
	DUEL_REUSE,
	DUEL_PUSHES,
};

/** DUEL_PUSH_LINES_PER_WAY - lines of a set that duel_pattern() uses at most;
 * DUEL_PUSH_LENGTH_PER_WAY - its accesses at most; DUEL_PUSH_VISITS - to a line
 */
#define DUEL_PUSH_LINES_PER_WAY 3
#define DUEL_PUSH_LENGTH_PER_WAY 9
#define DUEL_PUSH_VISITS 3

/**
 * duel_pattern() - a round of a push, in one set
 * @blocks: (out) numbers of lines, room for DUEL_PUSH_LENGTH_PER_WAY a way
 * Return: accesses.
 */
size_t duel_pattern(enum duel_push kind, unsigned int ways,
		    unsigned int *blocks);

/** duel_lines_reused() - of a set: lines between two visits of DUEL_REUSE */
unsigned int duel_lines_reused(unsigned int ways);

/**
 * struct duel_oracle - a cache of which each set can be asked
 * @ways: associativity
 * @sets: their number
 * @groups: set s belongs to group s % @groups: what is pushed at once, because
 *          these sets share those of the levels above
 * @contrast: readings of one set that differ by less are alike
 * @push: walk duel_pattern() for some rounds in all sets of the groups for
 *        which @groups is true
 * @read: misses of a circle of @ways + 1 lines of a set that held none of
 *        them, some rounds of it, in any unit that is the same for all sets.
 *        Return: 0; -EAGAIN: too disturbed this time; -EINTR; or another
 *        -errno with @f set
 * @context: first argument of both
 */
struct duel_oracle {
	unsigned int ways;
	uint64_t sets;
	uint64_t groups;
	double contrast;
	int (*push)(void *context, enum duel_push kind, const bool *groups,
		    struct failure *f);
	int (*read)(void *context, uint64_t set, double *misses,
		    struct failure *f);
	void *context;
};

/** enum duel_role - what a set was seen to do */
enum duel_role {
	DUEL_UNTOLD,
	DUEL_FOLLOWS,
	/* always as the others after DUEL_THRASH: resists thrashing */
	DUEL_LEADS_THRASH,
	/* always as the others after DUEL_REUSE */
	DUEL_LEADS_REUSE,
	DUEL_ROLES,
};

/** enum duel_verdict - of the whole cache */
enum duel_verdict {
	DUEL_UNDECIDED,
	/* none of the sets that were tried changes */
	DUEL_NOT_SEEN,
	DUEL_SEEN,
};

/**
 * struct duel_finding - what became of it
 * @verdict: whether sets duel
 * @tried: sets that were tried first, at random
 * @seen_bound: bound on the probability that chance alone looks like DUEL_SEEN
 * @sets: of the cache
 * @roles: enum duel_role of each set; NULL unless DUEL_SEEN
 * @counts: sets by role
 * @roles_bound: bound on the probability that the role of any set is wrong
 *               because of misread samples
 * @readings: had so far
 * @pushes: made
 * @reason: in words, why something is open
 */
struct duel_finding {
	enum duel_verdict verdict;
	size_t tried;
	double seen_bound;
	uint64_t sets;
	unsigned char *roles;
	uint64_t counts[DUEL_ROLES];
	double roles_bound;
	unsigned int readings;
	unsigned int pushes;
	char reason[256];
};

/**
 * duel_look() - try a few sets, and if one follows, find the leaders
 * @rng: which sets, and in which order everything happens
 * @found: (out) duel_finding_free() in any case
 * Return: 0; -EINTR; or another -errno with @f set. That nothing could be
 * decided is a finding.
 */
int duel_look(const struct duel_oracle *oracle, struct rng *rng,
	      struct duel_finding *found, struct failure *f);
void duel_finding_free(struct duel_finding *found);

/**
 * struct duel_range - sets that have a role, one after the other
 * @first: set
 * @last: set
 */
struct duel_range {
	uint64_t first;
	uint64_t last;
};

/**
 * duel_ranges() - the sets of a role
 * @ranges: (out) ascending, room for @most
 * Return: how many there are, which may be more than @most.
 */
size_t duel_ranges(const struct duel_finding *found, enum duel_role role,
		   struct duel_range *ranges, size_t most);

#endif
