/* SPDX-License-Identifier: GPL-2.0 */
/*
 * part.h - which cases of a long matrix are done, how many are left out, and how
 * many this computer cannot do. Knows nothing of the cases. Tests call is_in_part()
 * and its variants and cannot_do(), main.c the rest.
 *
 * PROBE_PHYS_PART=K does one case in K; PROBE_PHYS_TURN=N (else the seed) says
 * which, so that K turns in a row do them all. Slow checks that are no matrix
 * are all done up to K = 16; beyond that 16 in K are done each turn.
 */
#ifndef PROBE_PHYS_UNIT_KIT_PART_H
#define PROBE_PHYS_UNIT_KIT_PART_H

#include <stdbool.h>
#include <stdint.h>

/**
 * from_environment() - number of variable @name, or @otherwise if it is not set
 */
uint64_t from_environment(const char *name, uint64_t otherwise);

/** is_in_part() - whether to do case @i of a long matrix */
bool is_in_part(int i);

/** is_in_part_of() - the same of @count cases, at least one of which is done */
bool is_in_part_of(int i, unsigned long count);

/**
 * is_wanted() - @wanted; where it is false, the check counts as left out
 */
bool is_wanted(bool wanted);

/**
 * cannot_do() - this computer cannot do the check, which counts as skipped; the
 * check returns then
 * @what: is not possible, in words
 * @why: begins with "kernel cannot" or "cpu cannot"
 */
void cannot_do(const char *what, const char *why, ...)
	__attribute__((format(printf, 2, 3)));

/** is_slow_in_part() - whether to do case @i of the slow check @name */
bool is_slow_in_part(const char *name, int i);

/**
 * START_SLOW_TEST() - START_TEST() of a check that takes half a second or more
 */
#define START_SLOW_TEST(name)                   \
	static void name##_whole(int _i);       \
	START_TEST(name)                        \
	{                                       \
		if (is_slow_in_part(#name, _i)) \
			name##_whole(_i);       \
	}                                       \
	END_TEST                                \
	static void name##_whole(int _i __attribute__((unused)))

/**
 * part_step() - of what a test repeats, one in how many is done
 * @most: the largest step that leaves the test its meaning
 */
unsigned int part_step(unsigned int most);

/**
 * struct part_count - checks that were not done, or not whole
 * @skipped: checks that this computer cannot do
 * @left_out: checks of which no case was done
 * @shortened: checks of which some cases were done
 */
struct part_count {
	unsigned long skipped;
	unsigned long left_out;
	unsigned long shortened;
};

/**
 * part_count_begin() - count from now on, over the processes of all tests
 *
 * Return: the counts, which change as tests end; NULL without memory.
 */
const struct part_count *part_count_begin(void);

#endif
