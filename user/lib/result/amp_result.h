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
 * @votes: values of the @vote_count votes that gave one
 * @accesses: loads and stores spent on it, votes included
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
 * @type: "data", "instruction", or "unified": code evicts data
 * @mapped_bytes: of TLBs: size of the pages that were mapped; 0: a cache
 * @counter: role of the counter that was read, NULL: N/C
 * @block_bytes: line or page
 * @size: bytes, of TLBs entries
 * @ways: of a set
 * @write_allocate: 1: a store brings the line, 0: it does not
 * @write_back: 1: stored data reach the next level when the line is evicted, 0:
 *              with each store (a vote for write-through)
 * @replacement: 1: the victim is random, 0: it is the same line each time (the
 *               paper's "some form of LRU"; also FIFO)
 * @unified: 1: code evicts data, 0: it does not
 *
 * The last four are not measured for instruction caches, the two of stores not
 * for TLBs. In a row of instructions @unified says whether data evict code;
 * @type stays "instruction".
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
 * @decision: how the parameters were decided
 * @caches: nearest first, data before instructions; @cache_count of them
 * @tlbs: the same; @tlb_count of them
 * @selected: the user selected AMP
 * @answered: at least one miss counter passed its self-test, so AMP could
 *            measure
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

/** AMP_NOT_MEASURED - reason of parameters that are not measured yet */
#define AMP_NOT_MEASURED "not measured"

/** AMP_PARAMETERS - of a row */
#define AMP_PARAMETERS 7

/** amp_parameters() - all parameters of a row */
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

/** amp_fill_hierarchy() - fill the report with AMP's answers when AMP is the
 * only method that ran
 */
void amp_fill_hierarchy(const struct amp_result *r, struct hierarchy *h);

#endif
