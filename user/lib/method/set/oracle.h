/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oracle.h - what can be asked of one set of a cache.
 *
 * A machine walks in circles. So the question is always a circle of accesses to
 * the set, and the answer is what one round of it misses when it has gone
 * round for long. What a hypothesis predicts is the same number for the same
 * circle, so that nothing has to be assumed of what a set is like in the
 * beginning.
 */
#ifndef PROBE_PHYS_METHOD_SET_ORACLE_H
#define PROBE_PHYS_METHOD_SET_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * struct cycle_flush - a line that is flushed on the way
 * @at: before the access of this number; the length of the cycle: at its end
 * @block: which line
 */
struct cycle_flush {
	size_t at;
	unsigned int block;
};

/**
 * struct cycle - accesses to one set, over and over
 * @blocks: numbers of lines of the set, in order
 * @length: accesses of a round
 * @cold: all lines of the cycle are flushed before each round
 * @flushes: lines that are flushed in each round, in the order of @at;
 *           @flush_count of them, 0 where the oracle does not flush_lines
 */
struct cycle {
	const unsigned int *blocks;
	size_t length;
	bool cold;
	const struct cycle_flush *flushes;
	size_t flush_count;
};

/**
 * struct set_oracle - one set, open for questions
 * @ways: its associativity
 * @blocks: lines that there are; numbers are below
 * @most_visits: how often a line may come in a cycle
 * @most_accesses: longest cycle
 * @fits: whether a cycle can be asked; NULL: all within the limits above
 * @flushes: cold cycles can be asked
 * @flushes_lines: cycles can flush single lines on the way
 * @misses: misses of one round, the mean of several. Return: 0; -EAGAIN: too
 *          disturbed this time; -EINTR; or another -errno with @f set
 * @average: the same of sets that throw dice: a mean that every round counts in
 *           alike; NULL: @misses says as much
 * @scale_error: share by which all answers may be off; 0: misses are counted
 * @context: first argument of both
 */
struct set_oracle {
	unsigned int ways;
	unsigned int blocks;
	unsigned int most_visits;
	size_t most_accesses;
	bool flushes;
	bool flushes_lines;
	bool (*fits)(void *context, const struct cycle *c);
	int (*misses)(void *context, const struct cycle *c, double *per_round,
		      struct failure *f);
	int (*average)(void *context, const struct cycle *c, double *per_round,
		       struct failure *f);
	double scale_error;
	void *context;
};

#endif
