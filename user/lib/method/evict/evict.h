/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evict.h - latency and geometry of the level below one that admits lines on reuse
 * only, hashed or linear, and of one that does so itself. Knows neither strides nor
 * eviction sets nor results of levels. Called by method/levels. Returns findings.
 * Errors: 0; -ERANGE when memory is too short; -EINTR when stopped; another -errno
 * with the failure set.
 *
 * Rounds of XOR copies (method/level/xor_copies.c) do not get past such a level: it
 * keeps some of them whatever comes. Here lines are evicted from it one by one, in
 * steps before each sample: other lines of their set come, each used twice, and
 * before the second use they have left the levels above, so that the hashed level
 * sees a reuse. A set full of reused lines has no room for one that was not. One
 * round of the evicted lines is timed then, against as many lines of the same pages
 * that share no set. (The sequence is ours.)
 */
#ifndef PROBE_PHYS_METHOD_EVICT_EVICT_H
#define PROBE_PHYS_METHOD_EVICT_EVICT_H

#include "base/gf2.h"
#include "method/level/geometry.h"
#include "method/level/latency.h"

/** EVICT_LINES - most lines that are evicted at a time */
#define EVICT_LINES 64
/** EVICT_MOST - most lines that evict one */
#define EVICT_MOST 256
/** EVICT_CLEAR - most lines that clear the levels above the hashed one */
#define EVICT_CLEAR 64

/**
 * struct evictor - how lines are evicted from a hashed level
 * @x: the measurement of the level below, in a window aligned to its length
 * @p: its prober
 * @same: vectors that, XORed into a line, keep it in its set of the hashed level
 * @evict: such vectors; none keeps a line in its set of a level with ways of
 *         @least_bytes or longer ones
 * @evict_count: vectors in use; twice as many are there
 * @clear: vectors that keep a line in its sets of all levels above the hashed one,
 *         but not in its set of that one
 * @clear_count: their number, enough to clear the levels above
 * @upper_bytes: longest way of the levels above; 0: there is none
 * @least_bytes: the shortest way that can be found
 * @line_bytes: of the hashed level
 * @set_bytes: bytes that hold one line of each set of the hashed level
 * @first_ticks: (out) ticks of a load that hits in the first level
 * @above_ticks: ticks of a load that hits in the hashed level
 * @hit_ticks: (out) ticks of a load of an evicted line
 * @memory_ticks: ticks of a load of memory
 * @penalty_ticks: (out) what an evicted line that misses takes more, at least
 */
struct evictor {
	struct xray *x;
	struct prober *p;
	struct gf2_space same;
	uint64_t evict[EVICT_MOST];
	size_t evict_count;
	uint64_t clear[EVICT_CLEAR];
	size_t clear_count;
	uint64_t upper_bytes;
	uint64_t least_bytes;
	uint64_t line_bytes;
	uint64_t set_bytes;
	double first_ticks;
	double above_ticks;
	double hit_ticks;
	double memory_ticks;
	double penalty_ticks;
};

/**
 * evict_prepare() - choose vectors for the level right above the one of @x
 * @above_ticks: ticks of a load that hits there
 * @memory_ticks: ticks of a load of memory
 * Return: why it cannot be done, or NULL.
 */
const char *evict_prepare(struct evictor *ev, struct xray *x,
			  double above_ticks, double memory_ticks);

/**
 * evict_measure_latency() - of the level below
 * @found: (out) steady: twice as many evicting lines change nothing, and the level
 *         is slower than the hashed one; ev->hit_ticks is set, too
 */
int evict_measure_latency(struct evictor *ev, struct latency_finding *found,
			  struct failure *f);

/** evict_find_geometry() - ways and way size; -ERANGE is an answer (cramped) */
int evict_find_geometry(struct evictor *ev, struct xray_geometry *g,
			struct failure *f);

/** evict_agree_on_geometry() - the same until it is reproduced
 * (method/level/repeat.h)
 */
int evict_agree_on_geometry(struct evictor *ev, struct xray_geometry *g,
			    struct failure *f);

/**
 * evict_takes_victims() - does the level hold what the hashed level evicts?
 * @takes: (out) as of xray_takes_victims()
 *
 * As many lines as there are ways are evicted; some come back, and other lines of the
 * set are evicted instead. All lines that are below then fit only if those that came
 * back are not there any more.
 */
int evict_takes_victims(struct evictor *ev, const struct xray_level *level,
			enum verdict *takes, struct failure *f);

/**
 * evict_look_later() - does one line more than its ways fit into a level?
 * @verdict: (out) VERDICT_COMPACT: it does; other work held room there while it was
 *           measured
 */
int evict_look_later(struct evictor *ev, const struct xray_level *level,
		     enum verdict *verdict, struct failure *f);

/** evict_find_line() - line size, if no longer than that of the hashed level
 * @line_bytes: (out) decided, or open with a reason
 */
int evict_find_line(struct evictor *ev, const struct xray_geometry *g,
		    struct parameter *line_bytes, struct failure *f);

/**
 * evict_check_capacity() - whether as much really fits as ways and way size say
 * @outcome: (out) OUTCOME_DECIDED: it does; OUTCOME_OPEN: the index is hashed, or other
 *           work takes its room
 *
 * All ways of sets chosen at random, against half of the ways of twice as many:
 * where two sets really are one, the former do not fit, and the latter do.
 * Return: and -EAGAIN when the level is too small or too large for that.
 */
int evict_check_capacity(struct evictor *ev, const struct xray_level *level,
			 uint64_t line_bytes, enum outcome *outcome,
			 struct failure *f);

/** evict_ends() - does memory lie below that level?
 * @outcome: (out) OUTCOME_DECIDED: it does
 */
int evict_ends(struct evictor *ev, const struct xray_level *level,
	       enum outcome *outcome, struct failure *f);

#endif
