/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - the oracle of oracle.h on a machine: lists of lines of one level,
 * by counters or by time; and where its candidates come from.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_SESSION_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_SESSION_H

#include "method/evset/oracle/oracle.h"

/** EVSET_BUCKETS - lengths of lists that have a hit time of their own */
#define EVSET_BUCKETS 256

/** evset_bucket() - which of these lengths a list of @count lines has */
size_t evset_bucket(size_t count);

struct evset_pools;

/**
 * struct evset_machine - lines of one level, and how to ask about them
 * @x: the level's hits, and the levels above
 * @o: the oracle, whose context this is
 * @low_bytes: lines this far apart share the sets of all levels above
 * @window: offset where candidates begin, a multiple of @low_bytes
 * @window_bytes: their room
 * @phys: physical address of @window, if the window is contiguous and aligned
 *        to its length
 * @contiguous: it is
 * @block_bytes: of each aligned piece of the window that is contiguous
 * @pieces: that are pages of the host, each of which lies anywhere
 *          (method/level/host_pages.h)
 * @linear: in each of them the index has been seen to be linear over GF(2)
 * @cubes: candidates come from address bits, not at random
 * @penalty: ticks of a miss; 1 by counter
 * @whole_ticks: what it costs by whole blocks (evset_level_whole()); 0: not told
 * @counted_ticks: where misses are counted, what one takes; 0: not told
 * @patience: factor on the rounds that warm up quick tests
 * @fit_slow: looks in a row at a list that turned out to fit that missed all the
 *            same, the most of them lately
 * @doubts: so many looks at least have to miss before a list does not fit, quickly
 * @late_lines: so many candidates were looked at each lately until some sets had
 *              overflowed (method/evset/minimal/self_conflicts.h); 0: not known
 * @late_failures: times in a row that no good set came of them
 * @dear: to find sets takes long, as beside somebody who uses the level
 * @pools: lines that are likely of one set
 *         (method/evset/minimal/cluster_pools.h), or NULL
 * @agreed: sets that said how many ways there are, each with a line more
 * @agreed_count: their number; 0: there are none yet
 * @most_tests: lists that may be asked for before it counts as too noisy
 * @most_accesses: lines of all of them
 * @walked_ticks: that walks of whole blocks have taken since the last set was
 *                looked for; more time has passed
 * @found_ns: when the last set was found, by the machine's clock
 * @all_meet: sets have lines at all offsets of pages (evset_rates_sets())
 * @inside: of pieces: masks over the bits inside of one; rank 0: none
 * @hit: ticks per load of a list that hits, by length; 0: not known
 * @hit_uses: how often each has been used
 */
struct evset_machine {
	struct xray *x;
	struct evset_oracle o;
	uint64_t low_bytes;
	uint64_t window;
	uint64_t window_bytes;
	uint64_t phys;
	bool contiguous;
	uint64_t block_bytes;
	bool pieces;
	bool linear;
	bool cubes;
	double penalty;
	double whole_ticks;
	double counted_ticks;
	unsigned int patience;
	double fit_slow;
	size_t doubts;
	size_t late_lines;
	unsigned int late_failures;
	bool dear;
	struct evset_pools *pools;
	const struct evset_set *agreed;
	size_t agreed_count;
	uint64_t most_tests;
	uint64_t most_accesses;
	double walked_ticks;
	double found_ns;
	bool all_meet;
	struct index_function inside;
	double hit[EVSET_BUCKETS];
	unsigned int hit_uses[EVSET_BUCKETS];
};

/**
 * evset_machine_begin() - what can be asked of a level
 * @possible: (out) false: candidates cannot be made to share the sets of the
 *            levels above
 */
void evset_machine_begin(struct evset_machine *e, struct xray *x,
			 bool *possible);

/** evset_allow() - as many tests as at the beginning may be asked for again */
void evset_allow(struct evset_machine *e);

/** evset_candidates() - random ones of the window
 * @most: of them at most
 * @lines: (out) the caller frees
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_candidates(struct evset_machine *e, size_t most, uint64_t **lines,
		     size_t *count, struct failure *f);

/**
 * evset_random_places() - random places of the window, out of a part of it
 * @at: offset of each behind a multiple of e->low_bytes
 * @count: wanted
 * @sparse: one out of so many is taken, so that the part is small
 * @lines: (out) allocated, the caller's
 * @made: (out) their number, less than @count where the window has no more
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_random_places(struct evset_machine *e, uint64_t at, size_t count,
			size_t sparse, uint64_t **lines, size_t *made,
			struct failure *f);

/** evset_move_line() - a line of the window whose address bits @by are turned over */
static inline uint64_t evset_move_line(const struct evset_machine *e,
				       uint64_t line, uint64_t by)
{
	return e->window + ((line - e->window) ^ by);
}

/** evset_span() - @line and all that differ from it in combinations of @bits
 * @lines: (out) 2^@count of them
 * Return: their number.
 */
size_t evset_span(const struct evset_machine *e, uint64_t line,
		  const uint64_t *bits, size_t count, uint64_t *lines);

/** evset_move_set() - a set whose lines are moved by so much in their pages
 * @by: less than e->low_bytes
 * @moved: (out) one if bits of a page select sets by themselves or in parities; it has
 *         to be verified
 */
void evset_move_set(const struct evset_machine *e, const struct evset_set *set,
		    uint64_t by, struct evset_set *moved);

/** evset_draw_move() - any such distance that stays in a page of the host */
uint64_t evset_draw_move(const struct evset_machine *e);

/**
 * evset_window() - the largest block of the arena that is aligned to its
 * length, up to what eviction sets need
 * @window: (out) its offset
 * @bytes: (out) its length
 * @phys: (out) its physical address
 * Return: false when the arena is not known to be contiguous.
 */
bool evset_window(const struct prober *p, uint64_t *window, uint64_t *bytes,
		  uint64_t *phys);

#endif
