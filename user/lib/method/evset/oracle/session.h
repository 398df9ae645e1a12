/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - a level under test on a machine: where candidates come from, what
 * loads cost, and what may be spent.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_SESSION_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_SESSION_H

#include "method/evset/oracle/oracle.h"

/** EVSET_BUCKETS - lengths of lists that have a hit time of their own */
#define EVSET_BUCKETS 256

/** evset_bucket() - the one of these lengths for a list of @count lines */
size_t evset_bucket(size_t count);

/**
 * struct evset_window - where candidates come from
 * @low_bytes: lines this far apart share the sets of all levels above
 * @begin: offset where candidates begin, a multiple of @low_bytes
 * @bytes: room for candidates from there on
 * @phys: physical address of @begin, if @contiguous
 * @contiguous: the window is contiguous and aligned to its length
 * @block_bytes: length of the aligned blocks of the window that are contiguous
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
 * @whole_penalty: ticks of a miss by whole pages (evset_page_cost_whole()); 0:
 *                 not known
 * @counted_penalty: ticks of a miss that is counted; 0: not known
 * @conflict: ticks that a miss of the first level takes longer right after one of
 *            its set; 0: by counter, or not known
 * @hit: ticks per load of a list that hits, by evset_bucket() of its length; 0:
 *       not known
 * @hit_uses: how often each has been used
 */
struct evset_scale {
	double penalty;
	double whole_penalty;
	double counted_penalty;
	double conflict;
	double hit[EVSET_BUCKETS];
	unsigned int hit_uses[EVSET_BUCKETS];
};

/**
 * struct evset_effort - how long a quick test tries
 * @warmup_factor: on the rounds that warm up
 * @false_miss_streak: recent longest run of slow samples of a list that was
 *                     later found compact; the next list needs more slow
 *                     samples than this to be called non-compact
 * @samples_required: slow samples needed for that, at least
 */
struct evset_effort {
	unsigned int warmup_factor;
	double false_miss_streak;
	size_t samples_required;
};

/**
 * struct evset_budget - what may be spent before the level counts as too noisy
 * @most_tests: lists that the oracle tests
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
 * @pools: clusters of lines that are likely of one set
 *         (method/evset/minimal/cluster_pools.h), or NULL
 * @conflict_lines: candidates that were sampled together, lately, until some
 *                  sets overflowed (method/evset/minimal/self_conflicts.h); 0:
 *                  not known
 * @conflict_failures: times in a row that these gave no set that passes its
 *                     controls
 * @failures: searches in a row that gave none, since they are done the same way
 */
struct evset_search {
	bool cubes;
	struct evset_cluster_pools *pools;
	size_t conflict_lines;
	unsigned int conflict_failures;
	unsigned int failures;
};

/**
 * struct evset_machine - a level under test, on a machine
 * @x: the level's hits, and the levels above
 * @o: the oracle, whose context this is
 * @window: where candidates come from
 * @scale: what loads cost
 * @effort: how long a quick test tries
 * @budget: what may be spent
 * @search: how minimal sets are found
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
 * evset_machine_begin() - a level under test
 * @possible: (out) false: candidates cannot be made to share the sets of the
 *            levels above
 */
void evset_machine_begin(struct evset_machine *e, struct xray *x,
			 bool *possible);

/** evset_allow() - grant the budget of the beginning again */
void evset_allow(struct evset_machine *e);

/** evset_places() - lines at one offset of consecutive pages, in random order
 * @at: offset of each behind a multiple of e->window.low_bytes
 * @first: page of the window; @count of them
 * @s: (out) the caller frees
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_places(struct evset_machine *e, uint64_t at, size_t first,
		 size_t count, struct sequence *s, struct failure *f);

/** evset_candidates() - random lines of the window, at one offset in its pages
 * @most: of them at most
 * @lines: (out) the caller frees
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_candidates(struct evset_machine *e, size_t most, uint64_t **lines,
		     size_t *count, struct failure *f);

/**
 * evset_random_places() - random lines of a part of the window
 * @at: offset of each behind a multiple of e->window.low_bytes
 * @count: wanted
 * @sparse: one out of this many places is taken, so that the part is small
 * @lines: (out) the caller frees
 * @made: (out) their number, less than @count if the window has no more
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_random_places(struct evset_machine *e, uint64_t at, size_t count,
			size_t sparse, uint64_t **lines, size_t *made,
			struct failure *f);

/** evset_move_line() - the line of the window that differs in address bits @by
 */
static inline uint64_t evset_move_line(const struct evset_machine *e,
				       uint64_t line, uint64_t by)
{
	return e->window.begin + ((line - e->window.begin) ^ by);
}

/** evset_span() - @line and all lines that differ from it in combinations of
 * @bits
 * @lines: (out) 2^@count of them
 * Return: their number.
 */
size_t evset_span(const struct evset_machine *e, uint64_t line,
		  const uint64_t *bits, size_t count, uint64_t *lines);

/** evset_move_set() - a set whose lines are moved by @by in their pages
 * @by: less than e->window.low_bytes
 * @moved: (out) a set again if the index is linear in the bits of a page; to be
 *         verified
 */
void evset_move_set(const struct evset_machine *e, const struct evset_set *set,
		    uint64_t by, struct evset_set *moved);

/** evset_draw_move() - a random distance that stays in a page of the host */
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
