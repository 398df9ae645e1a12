/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dueling.h - set dueling: sets whose policy is chosen by the misses of leader
 * sets.
 *
 * Knows cycles and oracles of set/, no replacement policy, and prints nothing.
 * Called by cmd/policy.c. Findings are in result/dueling_finding.h; functions
 * return 0 or -errno with @f set, and an undecided cache is no error.
 *
 * A few leader sets always use one of two policies. A selector counts the
 * misses of both kinds; all other sets follow the better policy (Qureshi et
 * al., ISCA 2007; Jaleel et al., ISCA 2010). Leaders are found as by nanoBench
 * (Abel and Reineke, ISPASS 2020, setDueling.py): accesses to other sets push
 * the selector to either side, and the misses of a cycle of one line more than
 * there are ways then change in followers, not in leaders.
 */
#ifndef PROBE_PHYS_METHOD_DUELING_DUELING_H
#define PROBE_PHYS_METHOD_DUELING_DUELING_H

#include "base/error.h"
#include "base/rng.h"
#include "method/set/oracle.h"
#include "observe/budget.h"
#include "result/dueling_finding.h"

/** DUELING_LINES_PER_WAY - lines of a set that are needed */
#define DUELING_LINES_PER_WAY 4

/** DUELING_MOST_ROUNDS, DUELING_LEAST_ROUNDS - rounds of a reading */
#define DUELING_MOST_ROUNDS 8
#define DUELING_LEAST_ROUNDS 3

/**
 * dueling_circle() - the accesses of a reading, after all lines of the set were
 * flushed
 * @rounds: visits to each of one line more than there are ways; the remaining
 *          lines come once at the end, so that they are flushed the next time
 * @blocks: (out) numbers of lines; room for @rounds + DUELING_LINES_PER_WAY per
 *          way, and
 * @rounds more
 * Return: number of accesses.
 */
size_t dueling_circle(unsigned int ways, unsigned int rounds,
		      unsigned int *blocks);

/**
 * dueling_burst_lines() - lines of a burst: between two visits to a line come all
 * others
 */
unsigned int dueling_burst_lines(unsigned int ways);

/**
 * struct dueling_oracle - a cache each of whose sets can be read
 * @ways: associativity
 * @sets: number of sets
 * @groups: set s belongs to group s % @groups; groups are walked at once,
 *          because their sets share those of the levels above
 * @rounds: most visits of a line, at most DUELING_MOST_ROUNDS
 * @contrast: readings of one set that differ by less are equal
 * @walk: walk a cycle once in all sets of the groups for which @groups is true,
 *        in random order. Return: as @read
 * @read: misses of dueling_circle() in a set, in any unit that is the same for all
 *        sets. Return: 0; -EAGAIN: too disturbed this time; -EINTR; or another
 *        -errno with
 * @f set
 * @context: first argument of both
 */
struct dueling_oracle {
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

/** dueling_contrast() - a share of the misses that resisting thrashing can save */
double dueling_contrast(unsigned int ways, unsigned int rounds);

/**
 * dueling_look() - test a few sets, and if one follows, find the leaders
 * @budget: each test draws its error from it
 * @rng: of the choice of sets, and of all orders
 * @found: (out) dueling_finding_free() in any case
 * Return: 0; -EINTR; or another -errno with @f set. An undecided cache is a
 * finding.
 */
int dueling_look(const struct dueling_oracle *oracle, struct budget *budget,
		 struct rng *rng, struct dueling_finding *found,
		 struct failure *f);

/**
 * dueling_follows() - test one set, without looking for leaders
 * @set: the only set that is read; its group is never pushed
 * Return: as dueling_look().
 */
int dueling_follows(const struct dueling_oracle *oracle, struct budget *budget,
		    struct rng *rng, uint64_t set,
		    struct dueling_finding *found, struct failure *f);

#endif
