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

/**
 * struct evset_window - where candidates come from
 * @low_bytes: lines this far apart share the sets of all levels above
 * @begin: offset where candidates begin, a multiple of @low_bytes
 * @bytes: room for candidates from there on
 * @phys: physical address of @begin, if the window is contiguous and aligned to its
 *        length
 * @contiguous: it is
 * @block_bytes: of each aligned block of the window that is contiguous
 * @splintered: these blocks are pages of the host, each of which lies anywhere
 *              (method/level/host_pages.h)
 */
struct evset_window {
	uint64_t low_bytes;
	uint64_t begin;
	uint64_t bytes;
	uint64_t phys;
	bool contiguous;
	uint64_t block_bytes;
	bool splintered;
};

/**
 * struct evset_scale - what loads cost
 * @penalty: ticks of a miss; 1 by counter
 * @whole_penalty: ticks of a miss by whole pages (evset_page_cost_whole()); 0: not known
 * @counted_penalty: where misses are counted, ticks of one; 0: not known
 * @hit: ticks per load of a list that hits, by evset_bucket() of its length; 0: not
 *       known
 * @hit_uses: how often each has been used
 */
struct evset_scale {
	double penalty;
	double whole_penalty;
	double counted_penalty;
	double hit[EVSET_BUCKETS];
	unsigned int hit_uses[EVSET_BUCKETS];
};

/**
 * struct evset_effort - how long a quick test tries
 * @warmup_factor: on the rounds that warm up
 * @false_miss_streak: recent longest run of samples that missed of a list that was
 *                     later found compact
 * @samples_required: samples that have to miss, at least, before a list is quickly
 *                  called non-compact
 */
struct evset_effort {
	unsigned int warmup_factor;
	double false_miss_streak;
	size_t samples_required;
};

/**
 * struct evset_budget - what may be spent before the level counts as too noisy
 * @most_tests: lists that the oracle is asked for
 * @most_accesses: lines of all of them
 */
struct evset_budget {
	uint64_t most_tests;
	uint64_t most_accesses;
};

struct evset_cluster_pools;

/**
 * struct evset_search - how minimal sets are found
 * @cubes: candidates come from address bits, not at random
 * @pools: lines that are likely of one set
 *         (method/evset/minimal/cluster_pools.h), or NULL
 * @conflict_lines: candidates that were sampled together lately until some sets
 *                  overflowed (method/evset/minimal/self_conflicts.h); 0: not known
 * @conflict_failures: times in a row that they gave no set that passes its controls
 */
struct evset_search {
	bool cubes;
	struct evset_cluster_pools *pools;
	size_t conflict_lines;
	unsigned int conflict_failures;
};

/**
 * struct evset_machine - a level that is asked about, on a machine
 * @x: the level's hits, and the levels above
 * @o: the oracle, whose context this is
 */
struct evset_machine {
	struct xray *x;
	struct evset_oracle o;
	struct evset_window window;
	struct evset_scale scale;
	struct evset_effort effort;
	struct evset_budget budget;
	struct evset_search search;
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
 * @at: offset of each behind a multiple of e->window.low_bytes
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
	return e->window.begin + ((line - e->window.begin) ^ by);
}

/** evset_span() - @line and all that differ from it in combinations of @bits
 * @lines: (out) 2^@count of them
 * Return: their number.
 */
size_t evset_span(const struct evset_machine *e, uint64_t line,
		  const uint64_t *bits, size_t count, uint64_t *lines);

/** evset_move_set() - a set whose lines are moved by so much in their pages
 * @by: less than e->window.low_bytes
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
