/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stride.h - ways, way size and line of a level, from lines at fixed strides
 * (X-Ray, section 4.1), and what such lines show of it beyond. Knows neither eviction
 * sets nor results of levels. Called by method/levels, by the search for the
 * instruction cache and by the map of compactness. Returns findings.
 * Errors: 0; -EINTR when stopped; -EAGAIN when no sample was undisturbed; -ERANGE
 * when memory is too short; another -errno with the failure set.
 */
#ifndef PROBE_PHYS_METHOD_STRIDE_STRIDE_H
#define PROBE_PHYS_METHOD_STRIDE_STRIDE_H

#include "method/level/geometry.h"

/**
 * xray_find_geometry() - associativity and way size (section 4.1.2)
 *
 * The length of the shortest non-compact sequence falls to A + 1 as the
 * stride grows to T and stays there. Looked for from above: first where it
 * stays, then the smallest stride where it still is. Needs the control of
 * x->reference and x->hit_ticks; sets its penalty. Where lines so far apart
 * miss translations, the search for the first level begins at smaller strides,
 * at which several lines share a page: below T, the length halves with each
 * doubling until it settles at T.
 * Return: 0, or -errno with @f set (-EINTR when stopped).
 */
int xray_find_geometry(struct xray *x, struct xray_geometry *g,
		       struct failure *f);

/**
 * xray_find_slow() - a number of lines that is clearly slow at a stride
 * @stride: S
 * @slow_count: (out) that number, a power of two; 0: none is
 * @most_tried: (out) the most lines that were tried
 * Return: as xray_find_geometry().
 */
int xray_find_slow(struct xray *x, uint64_t stride, size_t *slow_count,
		   size_t *most_tried, struct failure *f);

/**
 * xray_find_slow_pair() - a stride at which two lines are not compact: of one way, as
 * long as memory allows. Where fewer lines fit into it, no others are tried.
 * @stride: the first one; (out) that stride, at which it ended
 * @slow_count: (out) 2; 0: at none
 * Return: as xray_find_geometry().
 */
int xray_find_slow_pair(struct xray *x, uint64_t *stride, size_t *slow_count,
			struct failure *f);

/**
 * xray_find_penalty() - what a miss costs at least: x->reference's penalty_ticks
 * @stride: S, and shorter ones are looked at
 * @slow_count: as xray_find_slow() found it
 * Return: as xray_find_geometry(); a penalty of 0: slow only now and then.
 */
int xray_find_penalty(struct xray *x, uint64_t stride, size_t slow_count,
		      struct failure *f);

/**
 * xray_find_line() - line size (section 4.1.3)
 * @g: found before; found no more where more lines fit into a set of the first
 *     level than it says, once they were visited in other orders
 * @line_bytes: (out) the decided size
 * Return: as xray_find_geometry().
 */
int xray_find_line(struct xray *x, struct xray_geometry *g,
		   struct parameter *line_bytes, struct failure *f);

/** XRAY_LONGEST_LINE_FIRST - no first level has longer lines, in bytes */
#define XRAY_LONGEST_LINE_FIRST 256

/** xray_is_timed_code() - does the time of code decide what hits? */
bool xray_is_timed_code(const struct xray *x);

/**
 * xray_apart() - a control for lines of one set: as much code, spread over sets
 *
 * How long code takes depends on how long its elements are, and on whether what has
 * been decoded is kept: a few elements conflict there when they lie whole ways apart,
 * whereas many short ones in a row may all be kept. So the control has as many as
 * the test, as long ones, in the same rows.
 * @level: all of a set fit into it, as far as is known
 * @w: elements of one set: several of each row, or one, skewed from row to row
 * Return: the same with these in sets of their own; where there are too few sets, and
 * where no time of code decides, the control of x->reference.
 */
struct shape xray_apart(const struct xray *x, const struct xray_level *level,
			const struct shape *w);

/**
 * xray_check_capacity() - whether as much really fits as A * T says
 * @line_bytes: distance of the lines, at most the line size
 * @outcome: (out) OUTCOME_DECIDED: it does; OUTCOME_OPEN: the index is hashed, or other
 *           work takes its room
 *
 * An index that folds high address bits onto low ones looks linear to strides
 * beyond the folded bits, with too long a way. Then A * T adjacent bytes do
 * not fit, and at least half of the lines miss under any policy.
 * Where that takes too long to stay undisturbed, all lines of some sets have to
 * do, chosen at random.
 * Return: as xray_find_geometry(); -ERANGE when the memory is too short, -EAGAIN
 * when nothing was undisturbed.
 */
int xray_check_capacity(struct xray *x, const struct xray_level *level,
			uint64_t line_bytes, enum outcome *outcome,
			struct failure *f);

/**
 * xray_find_own_ways() - the level's own ways when another has the same sets
 * @level: own is set where it is known
 * @reason: (out) otherwise
 */
int xray_find_own_ways(struct xray *x, struct xray_level *level, char *reason,
		       size_t size, struct failure *f);

/**
 * xray_find_clearing() - how many lines surely clear a set
 * @level: clearing is set
 * @outcome: (out) OUTCOME_OPEN: the policy keeps some whatever comes
 */
int xray_find_clearing(struct xray *x, struct xray_level *level,
		       enum outcome *outcome, struct failure *f);

/** xray_compact() - prober_compact() of xray_shape(); undecided where the
 * conditions of the transformation do not hold
 */
int xray_compact(struct xray *x, uint64_t stride, size_t count,
		 enum verdict *verdict, struct evidence *e, struct failure *f);

/**
 * struct xray_recheck - how the geometry of a level was found, to test it later
 * @x: the measurement
 * @level: what was found; ways 0: nothing that can be tested again
 * @arena_offset: of its prober, at that time
 * @arena_bytes: the same
 * @found_ns: when it was, by the machine's clock
 */
struct xray_recheck {
	struct xray x;
	struct xray_level level;
	uint64_t arena_offset;
	uint64_t arena_bytes;
	double found_ns;
};

/** xray_remember() - @level, as just found by @x */
void xray_remember(const struct xray *x, const struct xray_level *level,
		   struct xray_recheck *recheck);

/**
 * xray_look_later() - does one line more than its ways fit into a level?
 *
 * Then other load held room in each set while it was measured. Two looks, one of
 * them some time after all levels were found, as the load may last.
 * @recheck: of one prober, nearest first
 * @doubted: (out) the first level into which it does; @count: none
 * Return: 0, -EINTR, other -errno with @f set.
 */
int xray_look_later(const struct xray_recheck *recheck, size_t count,
		    size_t *doubted, struct failure *f);

/** xray_look_once() - one such look, now */
int xray_look_once(const struct xray_recheck *recheck, size_t count,
		   size_t *doubted, struct failure *f);

/** XRAY_ATTEMPTS - so often a level is measured that has more room later */
#define XRAY_ATTEMPTS 2

/**
 * xray_agree_on_geometry() - xray_find_geometry() until it is reproduced
 *
 * Several searches, tens of milliseconds apart: the answer counts when it
 * comes out three times and no other one does.
 * Return: as xray_find_geometry().
 */
int xray_agree_on_geometry(struct xray *x, struct xray_geometry *g,
			   struct failure *f);

/** XRAY_USED_AGAIN - why a level is open that new lines hardly get into */
#define XRAY_USED_AGAIN \
	"a level lets new lines in only when they are used again: "

/**
 * xray_check_reuse() - a level may have more ways than show
 *
 * Its A + 1 lines are used twice, each time past the levels above; sets of few
 * ways are emptied first. By a quarter of the samples all of them are there then:
 * never in a level of A ways. Below a hashed level nothing is tested.
 * @g: found; found no more where they are
 * @line: its size in bytes, as far as known
 * Return: as xray_find_geometry().
 */
int xray_check_reuse(struct xray *x, struct xray_geometry *g,
		     const struct parameter *line, struct failure *f);

/**
 * xray_is_hiding() - is there a level that the control is not let into?
 *
 * Lines that miss above and would be at home here if only they were used twice:
 * what looks like this level is the one below.
 */
int xray_is_hiding(struct xray *x, bool *hiding, struct failure *f);

/**
 * xray_find_contention() - look at as many lines as fit in many sets
 * @x: its measurement, by time; the penalty of a miss is known
 * @level: it
 * @doubted: there was contention a moment ago: more sets have to show none
 * @reason: (out) why its ways are open; empty: there is no contention
 * Return: 0, -EINTR when stopped, or another -errno with @f set.
 */
int xray_find_contention(struct xray *x, const struct xray_level *level,
			 bool doubted, char *reason, size_t size,
			 struct failure *f);

#endif
