/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evict.h - what lies below a hashed level that lets lines in on reuse only.
 *
 * Rounds of folds (method/level/xor_copies.c) do not get past such a level: it
 * keeps some of them whatever comes. Here lines are pushed out of it one by
 * one, in steps before each sample: others of their set come, each used twice,
 * and the second time it has left the levels above, so that the hashed level
 * sees a reuse. A set full of lines that were reused has no room for one that
 * was not. What is timed then is one round of the lines themselves, against as
 * many lines of the same pages that share no set. (The sequence is ours.)
 */
#ifndef PROBE_PHYS_METHOD_EVICT_EVICT_H
#define PROBE_PHYS_METHOD_EVICT_EVICT_H

#include "base/gf2.h"
#include "method/level/level.h"

/** PUSHED_LINES - at a time, at most */
#define PUSHED_LINES 64
/** PUSHED_MOST - lines that push one out, at most */
#define PUSHED_MOST 256
/** PUSHED_CLEAR - lines that clear the levels above the hashed one, at most */
#define PUSHED_CLEAR 64
/** PUSHED_SAMPLES - of one observation */
#define PUSHED_SAMPLES 4

/**
 * struct pushed - how lines are pushed out of a hashed level
 * @p: asks the machine, in a window aligned to its length
 * @same: XORed into a line it stays in its set of that level
 * @push: such vectors; none leaves a line in its set of a level with ways of
 *        @least_bytes or longer ones
 * @push_count: those used; twice as many are there
 * @clear: vectors that keep a line in its sets of all levels above, but not in
 *         that of the hashed one
 * @clear_count: as many clear those levels
 * @upper_bytes: longest way of these; 0: there is none
 * @least_bytes: the shortest way that can be told
 * @line_bytes: of the hashed level
 * @set_bytes: so many hold a line of each set of it
 * @above_ticks: of a line in the hashed level
 * @hit_ticks: (out) of a line that was pushed out
 * @memory_ticks: of one that is nowhere
 */
struct pushed {
	struct prober *p;
	struct gf2_space same;
	uint64_t push[PUSHED_MOST];
	size_t push_count;
	uint64_t clear[PUSHED_CLEAR];
	size_t clear_count;
	uint64_t upper_bytes;
	uint64_t least_bytes;
	uint64_t line_bytes;
	uint64_t set_bytes;
	double above_ticks;
	double hit_ticks;
	double memory_ticks;
};

/**
 * struct pushed_rows - lines that may share a set
 * @stride: bytes from one to the next, a power of two
 * @count: their number, PUSHED_LINES at most
 * @shift: every second one lies so many bytes further; less than a page
 * @anywhere: random multiples of the stride instead of consecutive ones
 */
struct pushed_rows {
	uint64_t stride;
	size_t count;
	uint64_t shift;
	bool anywhere;
};

/**
 * struct pushed_walk - what is done before lines are timed
 * @lines: @count that are pushed out, in several rounds
 * @kept: @kept_count of these, the first ones, come back then and stay in the
 *        hashed level
 * @time_kept: these are timed, and nothing else; otherwise all but these
 * @late: @late_count that are pushed out after that
 * @touch: translations of all of them are there
 * @rounds: that many
 */
struct pushed_walk {
	const uint64_t *lines;
	size_t count;
	size_t kept_count;
	bool time_kept;
	const uint64_t *late;
	size_t late_count;
	bool touch;
	unsigned int rounds;
};

/**
 * pushed_prepare() - out of the level right above what @x measures
 * @above_ticks: what a load takes there
 * @memory_ticks: what a load of memory takes
 * Return: why it cannot be done, or NULL.
 */
const char *pushed_prepare(struct pushed *pu, const struct xray *x,
			   double above_ticks, double memory_ticks);

/** pushed_out() - add the loads that push a line out; room for
 * pushed_loads() is there
 */
void pushed_out(const struct pushed *pu, uint64_t line, struct sequence *s);
size_t pushed_loads(const struct pushed *pu);

/** pushed_spares() - does pushing @line out leave the hashed level's set of
 * @other alone?
 */
bool pushed_spares(const struct pushed *pu, uint64_t line, uint64_t other);

/** pushed_clean() - flush the lines of the window that share a set with one of
 * these, where ways are not much shorter than the window
 */
int pushed_clean(struct pushed *pu, const uint64_t *lines, size_t count,
		 struct failure *f);

/** pushed_observe() - ticks per line, one value per undisturbed sample
 * Return: 0, -EINTR, other -errno with @f set.
 */
int pushed_observe(struct pushed *pu, const struct pushed_walk *w,
		   struct readings *r, struct failure *f);

/** pushed_trial() - a question about @lines timed lines */
struct trial pushed_trial(struct pushed *pu, const struct trial_ops *ops,
			  void *context, size_t lines);

/**
 * pushed_compact() - do all lines stay in the level below?
 * @e: (out)
 * Return: 0; -ERANGE: too little memory; -EINTR; other -errno with @f set.
 */
int pushed_compact(struct pushed *pu, const struct pushed_rows *rows,
		   enum verdict *verdict, struct evidence *e,
		   struct failure *f);

/** pushed_place() - a placement of rows, and of as many lines of the same pages
 * that share no set
 * Return: false: too little memory.
 */
bool pushed_place(struct pushed *pu, const struct pushed_rows *rows,
		  uint64_t *test, uint64_t *control);

/**
 * pushed_measure_latency() - of the level below
 * @c: (out) latency_cycles and latency_ns
 * @steady: (out) as many lines again that push out change nothing, and it is
 *          slower than the hashed level
 * Return: as pushed_compact().
 */
int pushed_measure_latency(struct pushed *pu, struct cache_result *c,
			   bool *steady, struct failure *f);

/** pushed_find_geometry() - as xray_find_geometry() */
int pushed_find_geometry(struct xray *x, struct xray_geometry *g,
			 struct failure *f);

/**
 * pushed_takes_victims() - as xray_takes_victims()
 *
 * As many lines as there are ways are pushed out; some come back, and others of
 * the set are pushed out instead. All of those that are below fit only if those
 * that came back are not there any more.
 */
int pushed_takes_victims(struct pushed *pu, const struct xray_level *level,
			 enum verdict *takes, struct failure *f);

/**
 * pushed_look_later() - does one line more than its ways fit into a level?
 * @more: (out) it does: somebody else held room there while it was measured
 * Return: as xray_find_geometry().
 */
int pushed_look_later(struct xray *x, const struct xray_level *level,
		      bool *more, struct failure *f);

/** pushed_find_line() - as xray_find_line(), of no longer lines than above */
int pushed_find_line(struct xray *x, const struct xray_geometry *g,
		     struct parameter *line_bytes, struct failure *f);

/**
 * pushed_check_capacity() - as xray_check_capacity()
 *
 * All ways of sets chosen at random, against half of the ways of twice as many:
 * where two sets really are one, the former do not fit, and the latter do.
 */
int pushed_check_capacity(struct pushed *pu, const struct xray_level *level,
			  uint64_t line_bytes, bool *fits, struct failure *f);

/** pushed_ends() - does memory lie below that level? */
int pushed_ends(struct pushed *pu, const struct xray_level *level, bool *ends,
		struct failure *f);

#endif
