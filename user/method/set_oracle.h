/* SPDX-License-Identifier: GPL-2.0 */
/*
 * set_oracle.h - what can be asked of one set of a cache.
 *
 * A machine walks in circles. So the question is always a circle of accesses to
 * the set, and the answer is what one round of it misses when it has gone
 * round for long. What a hypothesis predicts is the same number for the same
 * circle, so that nothing has to be assumed of what a set is like in the
 * beginning.
 */
#ifndef PROBE_PHYS_SET_ORACLE_H
#define PROBE_PHYS_SET_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "../error.h"

/**
 * struct cycle - accesses to one set, over and over
 * @blocks: numbers of lines of the set, in order
 * @length: accesses of a round
 * @cold: all lines of the cycle are flushed before each round
 */
struct cycle {
	const unsigned int *blocks;
	size_t length;
	bool cold;
};

/**
 * struct set_oracle - one set, open for questions
 * @ways: its associativity
 * @blocks: lines that there are; numbers are below
 * @most_visits: how often a line may come in a cycle
 * @most_accesses: longest cycle
 * @fits: whether a cycle can be asked; NULL: all within the limits above
 * @flushes: cold cycles can be asked
 * @misses: misses of one round, the mean of several. Return: 0; -EAGAIN: too
 *          disturbed this time; -EINTR; or another -errno with @f set
 * @context: its first argument
 */
struct set_oracle {
	unsigned int ways;
	unsigned int blocks;
	unsigned int most_visits;
	size_t most_accesses;
	bool flushes;
	bool (*fits)(void *context, const struct cycle *c);
	int (*misses)(void *context, const struct cycle *c, double *per_round,
		      struct failure *f);
	void *context;
};

#endif
