/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evset_blocks.h - the oracle of evset.h for whole blocks of memory instead of
 * single lines: all lines of a block are walked.
 *
 * A block is as long as a way of the levels above, a page as a rule, so that its
 * lines are one of each of their sets. Where the index is linear over GF(2) in
 * the bits of the offset, whatever it is in the rest, two blocks meet in each of
 * their sets or in none, so that blocks sort like lines do. There are fewer
 * classes, as bits of the offset that are folded onto others no longer tell
 * lines apart; and a class that overflows does so in all of its sets at once,
 * which neither drift nor somebody else's lines in one of them can hide or feign.
 */
#ifndef PROBE_PHYS_EVSET_BLOCKS_H
#define PROBE_PHYS_EVSET_BLOCKS_H

#include "evset_machine.h"

/** EVSET_MOST_BLOCKS - of a list */
#define EVSET_MOST_BLOCKS 2048

/**
 * struct evset_blocks - blocks of a level
 * @o: the oracle, whose context this is: "lines" are offsets of blocks. Answers
 *     are quick ones, @surely or not
 * @e: the level
 * @line_bytes: its line size
 * @per_block: lines of a block
 * @most_tests: lists that may be asked for before it counts as too noisy
 * @most_accesses: blocks of all of them
 * @ticks: that walks have taken
 * @pauses: taken because somebody else disturbed
 * @usual: ticks per load of lines that hit, by number of blocks, lately
 */
struct evset_blocks {
	struct evset_oracle o;
	struct evset_machine *e;
	uint64_t line_bytes;
	size_t per_block;
	uint64_t most_tests;
	uint64_t most_accesses;
	double ticks;
	int pauses;
	double usual[EVSET_BUCKETS];
};

/** evset_blocks_begin() - what can be asked of blocks
 * Return: false where a block is too few lines to be worth it.
 */
bool evset_blocks_begin(struct evset_blocks *b, struct evset_machine *e,
			uint64_t line_bytes);

/** evset_blocks_allow() - as many tests as at the beginning may be asked for again
 */
void evset_blocks_allow(struct evset_blocks *b);

#endif
