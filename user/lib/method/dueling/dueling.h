/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dueling.h - set dueling: sets whose policy is chosen by what others miss.
 *
 * A few leader sets always play one of two policies, and a selector counts
 * their misses against each other; all other sets follow the winner (Qureshi
 * et al., ISCA 2007; Jaleel et al., ISCA 2010). Leaders are found as nanoBench
 * finds them (Abel and Reineke, ISPASS 2020, setDueling.py): the selector is
 * pushed to either side by accesses to other sets, and what a circle of one
 * line more than there are ways misses changes in followers, not in leaders.
 */
#ifndef PROBE_PHYS_METHOD_DUELING_DUELING_H
#define PROBE_PHYS_METHOD_DUELING_DUELING_H

#include "base/error.h"
#include "base/rng.h"
#include "method/set/oracle.h"
#include "observe/budget.h"
#include "result/dueling_finding.h"

/** DUEL_LINES_PER_WAY - lines of a set that are needed */
#define DUEL_LINES_PER_WAY 4

/** DUEL_MOST_ROUNDS, DUEL_LEAST_ROUNDS - of a circle */
#define DUEL_MOST_ROUNDS 8
#define DUEL_LEAST_ROUNDS 3

/**
 * duel_circle() - what a reading visits in a set, from which all its lines are
 * flushed before
 * @rounds: of one line more than there are ways; the other lines come once in
 *          the end, so that they are flushed the next time
 * @blocks: (out) numbers of lines, room for @rounds + DUEL_LINES_PER_WAY a way,
 *          and @rounds more
 * Return: accesses.
 */
size_t duel_circle(unsigned int ways, unsigned int rounds,
		   unsigned int *blocks);

/** duel_burst_lines() - lines that are used again soon: between two visits to
 * a line there is one less
 */
unsigned int duel_burst_lines(unsigned int ways);

/**
 * struct duel_oracle - a cache of which each set can be asked
 * @ways: associativity
 * @sets: their number
 * @groups: set s belongs to group s % @groups: what is walked at once, because
 *          these sets share those of the levels above
 * @rounds: how often a line can be visited, at most DUEL_MOST_ROUNDS
 * @contrast: readings of one set that differ by less are alike
 * @walk: a cycle once in all sets of the groups for which @groups is true; in
 *        which order is tossed
 * @read: misses of duel_circle() in a set, in any unit that is the same for all
 *        sets
 *        Both return 0; -EAGAIN: too disturbed this time; -EINTR; or another
 *        -errno with @f set.
 * @context: first argument of both
 */
struct duel_oracle {
	unsigned int ways;
	uint64_t sets;
	uint64_t groups;
	unsigned int rounds;
	double contrast;
	int (*walk)(void *context, const bool *groups, const struct cycle *c,
		    struct failure *f);
	int (*read)(void *context, uint64_t set, double *misses,
		    struct failure *f);
	void *context;
};

/** duel_contrast() - a part of what resisting thrashing saves at best */
double duel_contrast(unsigned int ways, unsigned int rounds);

/**
 * duel_look() - try a few sets, and if one follows, find the leaders
 * @budget: each test draws its error from it
 * @rng: which sets, and in which order everything happens
 * @found: (out) duel_finding_free() in any case
 * Return: 0; -EINTR; or another -errno with @f set. That nothing could be
 * decided is a finding.
 */
int duel_look(const struct duel_oracle *oracle, struct budget *budget,
	      struct rng *rng, struct duel_finding *found, struct failure *f);

/**
 * duel_follows() - try one set, and look for no leaders
 * @set: the only one that is read; its group is pushed never
 * Return: as duel_look().
 */
int duel_follows(const struct duel_oracle *oracle, struct budget *budget,
		 struct rng *rng, uint64_t set, struct duel_finding *found,
		 struct failure *f);

#endif
