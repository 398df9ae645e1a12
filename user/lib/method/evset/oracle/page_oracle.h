/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_oracle.h - the oracle of oracle.h for whole blocks of memory instead of
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
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_PAGE_ORACLE_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_PAGE_ORACLE_H

#include "method/evset/oracle/session.h"

/** EVSET_MOST_PAGES - of a list */
#define EVSET_MOST_PAGES 2048
/** EVSET_WATCHED - blocks by which others are noticed, few translations */
#define EVSET_WATCHED 40
/** EVSET_PAGE_LINES - of a block */
#define EVSET_PAGE_LINES 1024

/**
 * struct evset_page_oracle - blocks of a level
 * @o: the oracle, whose context this is: "lines" are offsets of blocks. Answers
 *     are quick ones, @final or not
 * @e: the level
 * @line_bytes: its line size
 * @places: offsets in a block of the lines that are walked
 * @lines_per_page: their number
 * @lines_each: in each set of the levels above of lists that have to miss there
 * @most_tests: lists that may be asked for before it counts as too noisy
 * @most_accesses: blocks of all of them
 * @walked_ticks: that walks have taken; more time has passed
 * @pauses: taken because somebody else disturbed
 * @misses: of the list that overflowed last
 * @typical_misses: of a set that overflows by one line, in a round; 0: not known
 * @watched: some blocks that fit, @watched_count of them
 * @samples: at them
 * @typical: ticks per load of some of their lines when nobody disturbs
 * @hits: ticks per load of lists that fit, by evset_bucket() of their length; 0:
 *        not known
 */
struct evset_page_oracle {
	struct evset_oracle o;
	struct evset_machine *e;
	uint64_t line_bytes;
	uint64_t places[EVSET_PAGE_LINES];
	size_t lines_per_page;
	size_t lines_each;
	uint64_t most_tests;
	uint64_t most_accesses;
	double walked_ticks;
	int pauses;
	double misses;
	double typical_misses;
	uint64_t watched[EVSET_WATCHED];
	size_t watched_count;
	uint64_t samples;
	double typical;
	double hits[EVSET_BUCKETS];
};

/** evset_page_oracle_begin() - what can be asked of blocks
 * Return: false where a block is too few lines to be worth it.
 */
bool evset_page_oracle_begin(struct evset_page_oracle *b,
			     struct evset_machine *e, uint64_t line_bytes);

/** evset_page_oracle_watch() - tell by these whether somebody else uses the level
 * @pages: random ones, of which a few are taken
 */
void evset_page_oracle_watch(struct evset_page_oracle *b, const uint64_t *pages,
			     size_t count);

/** evset_page_oracle_forget() - other lines of the blocks will be walked from now on */
void evset_page_oracle_forget(struct evset_page_oracle *b);

/** evset_page_oracle_allow() - as many tests as at the beginning may be asked for again
 */
void evset_page_oracle_allow(struct evset_page_oracle *b);

#endif
