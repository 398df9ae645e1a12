/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oracle.h - questions to one set of a cache.
 *
 * A machine walks cycles. So each question is a cycle of accesses to the set,
 * and the answer is the number of misses of one round after many rounds. A
 * hypothesis predicts the same number for the same cycle, so nothing has to be
 * assumed about the initial state of the set.
 */
#ifndef PROBE_PHYS_METHOD_SET_ORACLE_H
#define PROBE_PHYS_METHOD_SET_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * struct cycle_flush - a line that is flushed within a round
 * @at: before the access of this number; the length of the cycle: at its end
 * @block: number of the line
 */
struct cycle_flush {
	size_t at;
	unsigned int block;
};

/**
 * struct cycle - accesses to one set, repeated
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
 * cycle_repeat() - lines @first to @first + @count - 1, each @times in a row
 * @numbers: (out) their numbers
 * Return: number of accesses.
 */
static inline size_t cycle_repeat(unsigned int *numbers, unsigned int first,
				  unsigned int count, unsigned int times)
{
	size_t length = 0;

	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < times; j++)
			numbers[length++] = first + i;
	return length;
}

/**
 * struct set_oracle - one set, and how to question it
 * @ways: its associativity
 * @blocks: number of lines; cycles use numbers below it
 * @most_visits: most visits of one line in a cycle
 * @most_accesses: length of the longest cycle
 * @fits: whether a cycle is possible; NULL: all within the limits above
 * @flushes: cold cycles are possible
 * @flushes_lines: cycles can flush single lines
 * @misses: misses of one round, a median of several. Return: 0; -EAGAIN: too
 *          disturbed this time; -EINTR; or another -errno with @f set
 * @average: as @misses, for random policies: a mean in which every round
 *           counts; NULL: @misses is one already
 * @scale_error: relative error of all answers; 0: misses are counted
 * @context: first argument of all three
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
