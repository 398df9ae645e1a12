/* SPDX-License-Identifier: GPL-2.0 */
/*
 * amp_result.h - what AMP found (Coleman, Davidson: Automatic Memory Hierarchy
 * Characterization): only by counted misses, with the votes of the paper.
 */
#ifndef PROBE_PHYS_RESULT_AMP_RESULT_H
#define PROBE_PHYS_RESULT_AMP_RESULT_H

#include "result/result.h"

/** AMP_VOTES - of each parameter; each rests on minima of as many measurements
 * (section 2.2)
 */
#define AMP_VOTES 8

/** enum amp_decision - what decides a parameter */
enum amp_decision {
	AMP_SEQUENTIAL, /* the project's test; votes are reported, too */
	AMP_BY_VOTES,	/* the most common vote, as in the paper */
};

/**
 * struct amp_parameter - one parameter
 * @p: as of every method; the method is "amp"
 * @votes: values; @vote_count of them, those that could not be given left out
 * @accesses: loads and stores that it took, votes included
 */
struct amp_parameter {
	struct parameter p;
	double votes[AMP_VOTES];
	size_t vote_count;
	uint64_t accesses;
};

/**
 * struct amp_row - one level of caches or of TLBs
 * @level: 1 is nearest to the core
 * @type: "data", "instruction", or "unified" where code was seen to push data
 *        out
 * @mapped_bytes: of TLBs: size of the pages that were mapped; 0: a cache
 * @counter: role of the counter that was read, NULL: N/C
 * @block_bytes: line or page
 * @size: bytes, of TLBs entries
 * @ways: of a set
 * @write_allocate: 1: a store brings the line, 0: it does not
 * @write_back: 1: what is stored stays here until the line goes, 0: a vote for
 *              that it is written through
 * @replacement: 1: any line goes (random), 0: the same one each time (the
 *               paper's "some form of LRU"; FIFO, too)
 * @unified: 1: code pushes data out, 0: it does not
 *
 * Of a cache of code the last four are not measured, of TLBs stores are not; a
 * row of code has in @unified whether data pushes it out, and keeps its type.
 */
struct amp_row {
	int level;
	const char *type;
	uint64_t mapped_bytes;
	const char *counter;
	struct amp_parameter block_bytes;
	struct amp_parameter size;
	struct amp_parameter ways;
	struct amp_parameter write_allocate;
	struct amp_parameter write_back;
	struct amp_parameter replacement;
	struct amp_parameter unified;
};

/** AMP_MOST_ROWS - of each kind */
#define AMP_MOST_ROWS 8

/**
 * struct amp_result - everything that AMP found
 * @decision: what decided
 * @caches: nearest first, data before instructions; @cache_count of them
 * @tlbs: the same; @tlb_count of them
 * @selected: AMP was to measure at all
 * @answered: a counter was believed, so that something could be measured
 */
struct amp_result {
	enum amp_decision decision;
	struct amp_row caches[AMP_MOST_ROWS];
	size_t cache_count;
	struct amp_row tlbs[AMP_MOST_ROWS];
	size_t tlb_count;
	bool selected;
	bool answered;
};

/** AMP_NOT_MEASURED - reason of what nothing is said of yet */
#define AMP_NOT_MEASURED "not measured"

/** AMP_PARAMETERS - of a row */
#define AMP_PARAMETERS 7

/** amp_parameters() - all of a row, for what concerns every one */
void amp_parameters(struct amp_row *row,
		    struct amp_parameter *all[AMP_PARAMETERS]);

/** amp_add_row() - begin a level; everything in it is unavailable
 * @mapped_bytes: 0: a cache
 * Return: NULL when there are too many.
 */
struct amp_row *amp_add_row(struct amp_result *r, int level, const char *type,
			    uint64_t mapped_bytes);

/** amp_is_code() - is it a row of instructions only? */
bool amp_is_code(const struct amp_row *row);

/** amp_fill_hierarchy() - AMP's answers as the only ones, where no other method
 * was asked
 */
void amp_fill_hierarchy(const struct amp_result *r, struct hierarchy *h);

#endif
