/* SPDX-License-Identifier: GPL-2.0 */
/*
 * search.h - the state of a search for an index: repeated tests, and the
 * differences known so far. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_INDEX_SEARCH_H
#define PROBE_PHYS_METHOD_INDEX_SEARCH_H

#include "base/gf2.h"
#include "method/index/find.h"

/** INDEX_MOST_LINES - most known lines of one set */
#define INDEX_MOST_LINES 128

/**
 * struct index_search - state of a search
 * @oracle: tests lists of lines
 * @rng: of the order of tests
 * @f: the failure, if any
 * @most_lines: most lines of one test; reduced when larger tests are undecided
 * @false_yes: assumed rate of wrong yes answers
 * @false_no: assumed rate of wrong no answers
 * @answered: number of results of repeated tests, by [truth][result]
 * @measured: number of tests by the oracle
 * @checking: number of them that confirmed a result
 * @confirming: the current tests confirm a result
 * @drawn: sum of the errors of tests
 * @known: (K) differences of lines of one set
 * @free: bits that no sum of higher bits cancels; @free_count of them, highest
 *        first
 * @set: number of the current eviction set
 * @lines: known lines of that set, those of the oracle first
 * @line_count: their number
 * @violations: differences that hold from one line of a set but not from
 *              another
 * @unanswered: a test stayed undecided
 * @why: why the search is undecided
 */
struct index_search {
	const struct index_oracle *oracle;
	struct rng rng;
	struct failure *f;
	size_t most_lines;
	double false_yes;
	double false_no;
	uint64_t answered[2][2];
	uint64_t measured;
	uint64_t checking;
	bool confirming;
	double drawn;
	struct gf2_space known;
	unsigned int free[GF2_BITS];
	size_t free_count;
	size_t set;
	uint64_t lines[INDEX_MOST_LINES];
	size_t line_count;
	size_t violations;
	bool unanswered;
	char why[256];
};

/* How a part of a search ends, apart from errors below 0. */
enum index_end {
	INDEX_GOES_ON = 0,
	INDEX_OPEN,   /* undecided: the reason is in @why */
	INDEX_AGAIN,  /* the oracle errs more often than assumed */
	INDEX_CURVED, /* not linear: whether a difference holds depends on the
		       * line
		       */
};

/** INDEX_ALPHA - most error of a test */
#define INDEX_ALPHA 1e-6

/**
 * index_open() - leave the index undecided for a printf-like reason. Return:
 * INDEX_OPEN
 */
int index_open(struct index_search *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * index_settle() - repeat a test until its error is at most what it has drawn:
 * INDEX_ALPHA or less
 * @least: least number of results
 * @yes: (out) at least one line belongs to the set
 * Return: INDEX_GOES_ON, INDEX_OPEN or -errno.
 */
int index_settle(struct index_search *s, size_t set, const uint64_t *lines,
		 size_t count, unsigned int least, bool *yes);

/** index_is_member() - index_settle() for one line and the current set */
int index_is_member(struct index_search *s, uint64_t line, bool *yes);

/**
 * index_pick_member() - find one of many lines that belongs to the current set
 * @lines: any number, in groups as large as allowed
 * @which: (out) its index in @lines; @count: none does
 * Return: as index_settle().
 */
int index_pick_member(struct index_search *s, const uint64_t *lines,
		      size_t count, size_t *which);

/**
 * index_errs_more() - whether results contradict the assumed error rates
 *
 * If so, the rates are raised to the measured ones.
 */
bool index_errs_more(struct index_search *s);

/** index_keep_line() - remember a line of the set */
void index_keep_line(struct index_search *s, uint64_t line);

/** index_line() - a random line of the set other than @other */
uint64_t index_line(struct index_search *s, uint64_t other);

/** index_bits() - the bits that lines may differ in */
uint64_t index_bits(const struct index_oracle *oracle);

/**
 * index_load_lines() - the lines given that differ only in bits that may vary
 */
void index_load_lines(struct index_search *s);

/**
 * index_take_lines() - differences of the lines given, each confirmed (null
 * space method)
 * Return: enum index_end or -errno.
 */
int index_take_lines(struct index_search *s);

/** index_search_columns() - all of K, bit by bit. Return: as above. */
int index_search_columns(struct index_search *s);

/**
 * index_confirm() - whether a difference also holds from other lines of the set
 * @base: the line that it was found from
 * Return: INDEX_GOES_ON: it holds, or no other line is known; INDEX_CURVED if
 * it is decided that it does not hold; or as above.
 */
int index_confirm(struct index_search *s, uint64_t base, uint64_t difference);

/** index_try_held_out() - test K on lines that the search has not used
 *
 * Return: as above; INDEX_AGAIN also when K had to grow.
 */
int index_try_held_out(struct index_search *s);

/** index_describe_curved() - modulo, or a base sequence and its positions
 * Return: INDEX_GOES_ON, INDEX_OPEN or -errno.
 */
int index_describe_curved(struct index_search *s, struct index_function *found);

/**
 * index_describe_modulo() - whether all lines of the current set lie at
 * multiples of a distance that is no power of two
 * @found: kind and modulus, if they are
 * Return: INDEX_GOES_ON, INDEX_OPEN or -errno.
 */
int index_describe_modulo(struct index_search *s, struct index_function *found);

/**
 * index_find_always() - differences that hold from every line of a set
 * @from: tests found s->lines from this index on
 * @always: (out)
 * Return: INDEX_GOES_ON; INDEX_OPEN, also when nothing contradicts a linear
 * index; or -errno.
 */
int index_find_always(struct index_search *s, size_t from,
		      struct gf2_space *always);

/** index_find_sequence() - positions and their slices
 * @hull: sums of differences of lines of a set
 * Return: INDEX_GOES_ON, INDEX_OPEN or -errno.
 */
int index_find_sequence(struct index_search *s, const struct gf2_space *hull,
			const struct gf2_space *always,
			struct index_function *found);

/** index_write_masks() - masks and rank from K */
int index_write_masks(struct index_search *s, const struct gf2_space *known,
		      struct index_function *found);

#endif
