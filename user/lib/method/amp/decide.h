/* SPDX-License-Identifier: GPL-2.0 */
/*
 * decide.h - does a sequence miss? Two rules decide each question, from the
 * same samples. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_AMP_ASK_H
#define PROBE_PHYS_METHOD_AMP_ASK_H

#include "method/amp/amp.h"
#include "method/level/level.h"
#include "method/tlb/search.h"

#define AMP_METHOD "amp"

/** AMP_MOST_BLOCKS - most placements of one question */
#define AMP_MOST_BLOCKS 24

/**
 * struct amp_question - a shape and its samples so far
 * @w: the shape
 * @flags: of prober_plan()
 * @contended: of struct amp_judge
 * @blocks: @count of them, in misses per round
 */
struct amp_question {
	struct shape w;
	unsigned int flags;
	bool contended;
	struct trial_block blocks[AMP_MOST_BLOCKS];
	size_t count;
};

/**
 * struct amp_space - memory and counter of one level
 * @p: the measurement
 * @counter: counter of its misses
 * @stores: it counts stores: lines are loaded, then stored to
 * @x: levels above, of caches
 * @view: pages; NULL: a cache
 * @search: levels above, of TLBs
 * @unit: bytes of a line; for TLBs 1 page
 * @unread: observations in a row in which the counter did not run
 * @voids: number of all such observations
 * @measured: questions, @count of them, with @room
 * @accesses: number of all loads and stores
 */
struct amp_space {
	struct prober *p;
	enum machine_counter counter;
	bool stores;
	struct xray x;
	struct tlb_view *view;
	struct tlb_search search;
	uint64_t unit;
	unsigned int unread;
	unsigned int voids;
	struct amp_question **measured;
	size_t count;
	size_t room;
	uint64_t accesses;
};

/** amp_forget() - release the questions of a space */
void amp_forget(struct amp_space *s);

/**
 * amp_note_unread() - note whether the counter still runs
 * @count: values of one observation
 * @unread: undisturbed samples of it without a value
 * Return: 0; -ENODATA with @f set after many observations without any value:
 * another program uses the counters.
 */
int amp_note_unread(struct amp_space *s, size_t count, size_t unread,
		    struct failure *f);

/** amp_count() - sampler_observe() by the space's counter
 * Return: 0; -EINTR; -ENODATA as amp_note_unread(); another -errno with @f set.
 */
int amp_count(struct amp_space *s, const struct sequence *q,
	      const struct walk_plan *plan, struct readings *r,
	      struct failure *f);

/**
 * amp_take_block() - one more placement of a question
 * @b: (out) misses of a round, of control and test
 * Return: as amp_count(); -ERANGE: the shape does not fit into the memory.
 */
int amp_take_block(struct amp_space *s, struct amp_question *q,
		   struct trial_block *b, struct failure *f);

/** amp_least() - the least of the test's values; INFINITY: there is none */
double amp_least(const struct trial_block *b);

/** AMP_ALL - struct amp_judge.vote: the sequential test */
#define AMP_ALL (-1)

/**
 * struct amp_judge - a rule of decision
 * @space: the level
 * @vote: AMP_ALL, or the number of a vote, which uses only the block of that
 *        number
 * @contended: rows that fit may miss a share of their lines: counting itself
 *             takes room
 * @why: why nothing could be decided; empty: it could
 */
struct amp_judge {
	struct amp_space *space;
	int vote;
	bool contended;
	char why[160];
};

/** amp_doubt() - set @why, printf-like; the first one stays */
void amp_doubt(struct amp_judge *j, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * amp_decide() - decide whether a shape is compact
 * @expected: misses of a round if it is not (AMP's "expected failure miss
 *            rate"), for votes
 * @verdict: (out)
 * Return: as amp_count(). A shape that does not fit into the memory is
 * undecided.
 */
int amp_decide(struct amp_judge *j, const struct shape *w, double expected,
	       enum verdict *verdict, struct failure *f);

/** amp_decide_row() - the same for @units in a row; @j->contended applies */
int amp_decide_row(struct amp_judge *j, uint64_t units, double expected,
		   enum verdict *verdict, struct failure *f);

/** amp_shape() - @count blocks @stride apart that miss in all levels above
 * @stride: in bytes, of TLBs in pages
 */
struct shape amp_shape(const struct amp_space *s, uint64_t stride,
		       size_t count);

/** amp_most() - the longest stretch, bytes or pages */
uint64_t amp_most(const struct amp_space *s);

/** amp_vote() - add a vote to a parameter; NAN: none */
void amp_vote(struct amp_parameter *to, double value);

/** amp_elected() - the most common vote, the first of equals; NAN: none
 * @share: (out) how many of AMP_VOTES it has
 */
double amp_elected(const struct amp_parameter *of, size_t *share);

/** amp_elect() - decide a parameter by its votes */
void amp_elect(struct amp_parameter *of);

/**
 * struct amp_geometry - size and ways of a level
 * @size: bytes or entries; 0: not found
 * @beyond: a size that does not fit
 * @ways: 0: not found
 */
struct amp_geometry {
	uint64_t size;
	uint64_t beyond;
	size_t ways;
};

/**
 * amp_find_size() - capacity (section 3.2)
 * @first: hypothesis to begin with, in units
 * @g: (out) size; j->why otherwise
 *
 * Doubled until it misses, then steps of a quarter.
 */
int amp_find_size(struct amp_judge *j, uint64_t first, struct amp_geometry *g,
		  struct failure *f);

/**
 * amp_refine_size() - bisect between the last size that fits and the first that
 * does not, for sizes between the steps
 * @g: (in and out) size
 */
int amp_refine_size(struct amp_judge *j, struct amp_geometry *g,
		    struct failure *f);

/**
 * amp_find_ways() - associativity (section 3.3): the least divisor k of the
 * lines such that 2k of them, size / k apart, miss
 * @g: size; (out) ways
 */
int amp_find_ways(struct amp_judge *j, struct amp_geometry *g,
		  struct failure *f);

/**
 * amp_check_geometry() - whether size and ways are consistent
 *
 * Lines one way apart, and two and four ways apart, must fit up to the ways and
 * not beyond. That holds only if they all share a set: it tests the paper's
 * assumption of an index of consecutive bits. j->why says what failed.
 */
int amp_check_geometry(struct amp_judge *j, const struct amp_geometry *g,
		       struct failure *f);

/**
 * amp_line_votes() - line size from a cold row (section 3.1)
 * @to: (out) votes
 */
int amp_line_votes(struct amp_space *s, struct amp_parameter *to,
		   struct failure *f);

/** amp_check_line() - whether two halves of a set part at @line_bytes and at no
 * less (X-Ray 4.1.3); j->why says when they do not
 */
int amp_check_line(struct amp_judge *j, const struct amp_geometry *g,
		   uint64_t line_bytes, struct failure *f);

#endif
