/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_oracle.h - the oracle of oracle.h for whole pages instead of single
 * lines: all lines of a page are walked.
 *
 * A "page" is as long as a way of the levels above, so that it has one line in
 * each of their sets; often that is a page of memory. If the index is linear
 * over GF(2) in the bits of the offset, whatever it is in the rest, two pages
 * share all of their sets or none, so that pages sort like lines do. There are
 * fewer classes than of lines, as bits of the offset that are folded onto
 * others do not matter; and a class overflows in all of its sets at once, which
 * neither drift nor a neighbour's lines in one of them can hide or feign.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_PAGE_ORACLE_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_PAGE_ORACLE_H

#include "method/evset/oracle/session.h"

/** EVSET_MOST_PAGES - of a list */
#define EVSET_MOST_PAGES 2048
/** EVSET_WATCHED - pages by which contention is noticed, few translations */
#define EVSET_WATCHED 40
/** EVSET_PAGE_LINES - lines of a page, at most */
#define EVSET_PAGE_LINES 1024

/**
 * struct evset_page_oracle - pages of a level
 * @o: the oracle, whose context this is: "lines" are offsets of pages. Answers
 *     are quick ones, @final or not
 * @e: the level
 * @line_bytes: its line size
 * @places: offsets in a page of the lines that are walked
 * @lines_per_page: their number
 * @lines_each: lines in each set of the levels above of lists that have to miss
 *              there
 * @most_tests: lists that may be tested before the level counts as too
 *              noisy
 * @most_accesses: pages of all of them
 * @walked_ticks: sum over all walks; more time has passed
 * @pauses: taken because of contention
 * @misses: of the list that overflowed last
 * @typical_misses: of a set that overflows by one line, in a round; 0: not
 *                  known
 * @watched: some pages that fit, @watched_count of them
 * @samples: of the watched pages
 * @typical: ticks per load of some of their lines without contention
 * @hits: ticks per load of lists that fit, by evset_bucket() of their length;
 *        0: not known
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

/** evset_page_oracle_begin() - prepares tests of lists of pages
 * Return: false if a page has too few lines.
 */
bool evset_page_oracle_begin(struct evset_page_oracle *b,
			     struct evset_machine *e, uint64_t line_bytes);

/** evset_page_oracle_watch() - notice contention by some pages
 * @pages: random ones, of which a few are taken
 */
void evset_page_oracle_watch(struct evset_page_oracle *b, const uint64_t *pages,
			     size_t count);

/** evset_page_oracle_forget() - other lines of the pages are walked from now on
 */
void evset_page_oracle_forget(struct evset_page_oracle *b);

/** evset_page_oracle_allow() - grant the budget of the beginning again */
void evset_page_oracle_allow(struct evset_page_oracle *b);

#endif
