/* SPDX-License-Identifier: GPL-2.0 */
/*
 * level.h - X-Ray (Yotov, Pingali, Stodghill: Automatic Measurement of Memory
 * Hierarchy Parameters) on a compactness criterion that survives today's
 * replacement policies.
 *
 * Section numbers in these files are those of the paper.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_LEVEL_H
#define PROBE_PHYS_METHOD_LEVEL_LEVEL_H

#include "base/gf2.h"
#include "method/probe/prober.h"
#include "result/outcome.h"
#include "result/result.h"

/** XRAY_LEVEL_SHARE - of the progress; most machines have three levels */
#define XRAY_LEVEL_SHARE 0.3
/** XRAY_NEARLY_ALL - a set is cleared when so large a share of its lines miss
 * as of several times as many
 */
#define XRAY_NEARLY_ALL 0.93
/** XRAY_LEAST_STRIDE - no way of any cache is shorter */
#define XRAY_LEAST_STRIDE 16

/**
 * struct xray_level - a level whose geometry is known
 * @ways: A: lines of one set that are compact, with what levels above add
 * @way_bytes: T = C / A, the stride of the level
 * @line_bytes: B, 0: not known
 * @own: the level's own ways; 0: not known apart from what levels above add
 * @clearing: lines in one set that leave none of them there; 0: @ways + 1,
 *            which is true of LRU
 * @masks: of a hashed level: its index, which is known; @way_bytes then is
 *         capacity / @ways and no stride. NULL: linear
 * @keeps: the policy keeps some lines of a set whatever comes: only lines that are evicted
 *         one by one get past it (method/evict); @masks are there of a linear level, too
 * @bytes: capacity, where @way_bytes is the period of a hash of few low bits:
 *         as far apart lines share a set, but sets are fewer; 0: @ways of
 *         @way_bytes
 */
struct xray_level {
	size_t ways;
	uint64_t way_bytes;
	uint64_t line_bytes;
	size_t own;
	size_t clearing;
	const struct index_function *masks;
	bool keeps;
	uint64_t bytes;
};

/** xray_level_bytes() - capacity of a level */
uint64_t xray_level_bytes(const struct xray_level *level);

/** xray_clearing() - lines in one set that leave none of them there */
size_t xray_clearing(const struct xray_level *level);

/**
 * struct xray - the measurement of one level
 * @prober: runs the tests
 * @upper: the levels above, nearest first
 * @upper_count: their number, 0 for the first level
 * @reference: hit and miss of this level
 * @hit_ticks: ticks per load of the control
 * @most_penalty_ticks: a miss is taken to cost that much at most, as other work only adds
 *                      to what is measured; 0: as much as it is seen to
 * @begin: stride with which the search for a geometry begins at least
 * @near: stride with which it begins while translations are missed at the
 *        usual one; 0: at that one
 * @denied: the level's own counter counts misses where it is to hit
 * @narrow: the level holds less than three times what is above: lists have as few
 *          lines as clear the levels above
 * @drawn_before: alpha_drawn of the prober's budget when no test of this level had
 *                begun
 */
struct xray {
	struct prober *prober;
	const struct xray_level *upper;
	size_t upper_count;
	struct reference reference;
	double hit_ticks;
	double most_penalty_ticks;
	uint64_t begin;
	uint64_t near;
	bool denied;
	bool narrow;
	double drawn_before;
};

/** xray_bound() - sum of the errors of all tests of this level so far */
static inline double xray_bound(const struct xray *x)
{
	return budget_bound(&x->prober->budget, x->drawn_before);
}

/**
 * xray_prepare() - the measurement of the level below @count known levels, but for
 * its hit_ticks and counter
 * @known: those, nearest first
 */
void xray_prepare(struct xray *x, struct prober *p,
		  const struct xray_level *known, size_t count);

/** xray_lines_in_set() - of @count lines @stride apart, how many at least share a set of
 * a level
 */
size_t xray_lines_in_set(uint64_t stride, size_t count, uint64_t way_bytes);

/**
 * xray_shape() - <m0, S, N> made to miss in all upper levels
 *
 * Section 5.1: <<m0, s, n>, S, N> with s = min T_j and
 * n = max ceil((A_j + 1) / N) * T_j / s over the upper levels j; n = 1 for
 * the first level. Where the policy of level j is not LRU, xray_clearing()
 * stands for A_j + 1; where S < T_j, only the rows that share a set count.
 * s is a larger T_j where that takes fewer copies.
 */
struct shape xray_shape(const struct xray *x, uint64_t stride, size_t count);

/**
 * xray_shape_holds() - the conditions of the transformation, as far as known
 *
 * Theorem 2: (n - 1) * s < min(T, S) and B <= s, for what is known of @level
 * (0 otherwise); Lemma 6 (b): not compact in any level above, counted set by
 * set rather than through (N - 1) * S > 2 * C_i, which serves a search from
 * below. @why: (out) in words, when it returns false
 */
bool xray_shape_holds(const struct xray *x, const struct shape *w,
		      const struct xray_level *level, char *why, size_t size);

/**
 * xray_control() - lines that miss in all upper levels and hit in this one
 * @multiple: how many times the ways of the level above
 *
 * That many lines in each of as few sets of the level above as make for as
 * many in one set of all levels above that one too, spread over this one.
 */
struct shape xray_control(const struct xray *x, size_t multiple);

/**
 * xray_narrow() - fewer lines in each list, as few as clear the levels above
 *
 * A level of less than three times the capacity above holds no more of them.
 * @outcome: (out) OUTCOME_DECIDED: the control is faster then, so that more of it hits
 *           nearer, and @x is changed; else nothing is
 * Return: as prober_time().
 */
int xray_narrow(struct xray *x, enum outcome *outcome, struct failure *f);

/** xray_counter() - the counter that decides this level, as a bit; 0: time */
unsigned int xray_counter(const struct xray *x);

/** xray_counter_below() - the counter of the next level, as a bit; 0: there is none.
 * Nothing has shown yet that it counts what it is to count.
 */
unsigned int xray_counter_below(const struct xray *x);

/** xray_is_last_counted() - no counter is known for any level below this one */
bool xray_is_last_counted(const struct xray *x);

/**
 * xray_choose_counter() - the counter of this level, if it counts nothing for
 * the control, which hits here
 * Return: as xray_find_geometry().
 */
int xray_choose_counter(struct xray *x, struct failure *f);

/**
 * xray_try_missing() - whether a shape clearly misses, by the counter
 *
 * Where it does not, but time decides that it does, both are compared at the
 * same places. A counter that counts nothing where lines are slow is struck off:
 * then xray_counter() is 0 and the answer means nothing.
 * @outcome: (out) OUTCOME_DECIDED: it does
 * Return: as xray_find_geometry().
 */
int xray_try_missing(struct xray *x, const struct shape *w,
		     enum outcome *outcome, struct failure *f);

/**
 * xray_excess() - misses per load of a shape, by the counter or by time
 * @flags: as of prober_time()
 * @misses: (out) by time: what a load takes above a hit, in units of the
 *          penalty that x->reference has
 * Return: as prober_time().
 */
int xray_excess(struct xray *x, const struct shape *w, unsigned int flags,
		double *misses, struct failure *f);

/**
 * xray_adding_levels() - how many levels above, from the nearest on, add all their ways
 * to the sets of an exclusive level; 0: none does, or not all of them
 */
size_t xray_adding_levels(const struct xray *x, const struct xray_level *level);

/** xray_added_ways() - ways that exclusive levels above add to a set, all of them */
size_t xray_added_ways(const struct xray *x);

/**
 * xray_added_lines() - the same, to lines @stride apart: they share one set of a level
 * whose way is as long, or several of one whose way is longer
 */
size_t xray_added_lines(const struct xray *x, uint64_t stride);

/**
 * xray_effective_bytes() - capacity with that of exclusive levels above
 * Return: 0 when what the levels above add is not all of some of them.
 */
uint64_t xray_effective_bytes(const struct xray *x,
			      const struct xray_level *level);

/** XRAY_MORE_ROOM - why a level is open that other load has used, and what to do */
#define XRAY_MORE_ROOM                                                          \
	"one more than its ways fits later: other load held room while it was " \
	"measured (choose an idle --cpu, or take the core's other threads offline)"

/** XRAY_ENDED - why a level is open without a later look */
#define XRAY_ENDED \
	"ended before it was known whether other load held room there"

/** LEVEL_END_SHARE - a level whose time comes this close to memory's is memory */
#define LEVEL_END_SHARE 0.7

/** LEVEL_LEAST_MISS - what a miss of a level costs at least, as a share of its hit
 *
 * A level whose miss is served in less than one and a half times the time of its hit
 * would not have been distinguished from the one below.
 */
#define LEVEL_LEAST_MISS 0.5

#endif
