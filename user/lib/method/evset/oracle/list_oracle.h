/* SPDX-License-Identifier: GPL-2.0 */
/*
 * list_oracle.h - the oracle of oracle.h on a machine: lists of lines of one
 * level, by counters or by time.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_LIST_ORACLE_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_LIST_ORACLE_H

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

/** evset_compact() - the oracle; @context: a struct evset_machine */
int evset_compact(void *context, const uint64_t *lines, size_t count,
		  bool surely, enum verdict *verdict, struct failure *f);

/** evset_compact_quickly() - the same by as few walks as an answer takes that
 * may be wrong now and then
 */
int evset_compact_quickly(struct evset_machine *e, const uint64_t *lines,
			  size_t count, enum verdict *verdict,
			  struct failure *f);

/** evset_machine_pause() - milliseconds for others; @context: the same */
void evset_machine_pause(void *context);

/** evset_spreads() - can a list be compared with lines of its own pages?
 * It has to be long, and its lines in two sets of the levels above at most.
 */
bool evset_spreads(const struct evset_machine *e, const uint64_t *lines,
		   size_t count);

/**
 * evset_spread() - lines of the same pages, in the same order, that hit
 * @list: for which evset_spreads() is true
 * @together: as many lines at its beginning may share a set
 * @s: (out) the caller frees
 * Return: 0 or -ENOMEM.
 */
int evset_spread(struct evset_machine *e, const struct sequence *list,
		 size_t together, struct sequence *s);

/** enum evset_against - hits that a quick look is compared with */
enum evset_against {
	EVSET_USUAL, /* of lists of that length, lately; after few rounds */
	EVSET_BRIEFLY_BESIDE, /* of the same pages, now; after few rounds */
	EVSET_BESIDE,	      /* of the same pages, now */
	EVSET_SHORT,	      /* of few lines: the level's control */
};

/**
 * evset_misses() - misses of a round of a list, looked at once
 * @misses: (out) quartile of a few samples
 * @hit: (out) ticks per load of what hits
 * Return: 0, -EAGAIN when nothing was undisturbed, other -errno with @f set.
 */
int evset_misses(struct evset_machine *e, const uint64_t *lines, size_t count,
		 enum evset_against against, double *misses, double *hit,
		 struct failure *f);

/**
 * struct evset_cost - what a miss costs, from lists each twice as long
 * @ticks: per load above a hit, so far
 * @hit: per load of the twin of the last list that was slow
 * @slow: lengths that were slow, without one between that was not
 */
struct evset_cost {
	double ticks;
	double hit;
	size_t slow;
};

/**
 * evset_cost_add() - the next length
 * @ticks: per load of a list above that of its twin
 * @hit: per load of the twin
 *
 * By the second length that is slow all sets overflow. Longer lists may miss
 * below as well, where others use that level: what costs so much more is no
 * miss of this one alone. Their twins miss, too, and then less is left.
 *
 * Return: whether c->ticks is as good as it gets.
 */
bool evset_cost_add(struct evset_cost *c, double ticks, double hit);

/**
 * struct evset_level - what a miss costs, from blocks, each time some more
 * @slow: ticks from which on there are misses
 * @enough: it costs at least half of that, or is asked until the end
 * @before: ticks of the last size
 * @first: ticks of the first size that misses; 0: none has
 * @sizes: that cost about the same, up to the last one
 * @ticks: so much; 0: nothing as yet
 * @dear: sizes in a row, up to the last one, that cost half of @enough
 */
struct evset_level {
	double slow;
	double enough;
	double before;
	double first;
	size_t sizes;
	double ticks;
	size_t dear;
};

/** evset_level_whole() - what a miss costs, if all lines missed from the first size
 * on that did not fit: then no part of them did; else 0
 */
double evset_level_whole(const struct evset_level *l);

/**
 * evset_level_add() - the next size
 * @ticks: per load above that of few lines in each block
 *
 * Return: whether nothing more is to be learnt: l->ticks is enough, or the next
 * level is missed from here on.
 */
bool evset_level_add(struct evset_level *l, double ticks);

/**
 * evset_level_past() - two sizes in a row cost half of what is enough, and more than
 * the first one that missed
 *
 * Larger ones cost no less: none of them is a level that says that what is known of
 * candidates is too much, and not all lines missed from the first on.
 */
bool evset_level_past(const struct evset_level *l);

/** evset_penalty() - what a miss costs, from lists that grow; not more than twice
 * what whole blocks say, where those are clear
 * @lines: candidates; enough of them overflow the level
 * @found: (out) false: no list was slow
 */
int evset_penalty(struct evset_machine *e, const uint64_t *lines, size_t count,
		  bool *found, struct failure *f);

/**
 * evset_fitting() - misses per load of which a list that fits has fewer
 * @share: that many where a miss costs what lines of one set are late
 *
 * By time those may come from far away, where an inclusive level has lost them,
 * and more lines than fit from the level below: they are no hits for that. Guests
 * have neighbours who disturb as much.
 */
double evset_fitting(const struct evset_machine *e, double share);

/**
 * evset_excess() - misses per load of a list, the least of some attempts
 * Return: 0, -EAGAIN, other -errno with @f set.
 */
int evset_excess(struct evset_machine *e, const uint64_t *lines, size_t count,
		 size_t together, double *misses, struct failure *f);

/** evset_share() - misses per load of a list, looked at once, above what hits
 * of few lines cost: with what its translations cost
 * @misses: (out) INFINITY: nothing was undisturbed
 */
int evset_share(struct evset_machine *e, const uint64_t *lines, size_t count,
		double *misses, struct failure *f);

/** evset_candidates() - random ones of the window
 * @most: of them at most
 * @lines: (out) the caller frees
 * Return: 0 or -ENOMEM with @f set.
 */
int evset_candidates(struct evset_machine *e, size_t most, uint64_t **lines,
		     size_t *count, struct failure *f);

/** evset_is_still_minimal() - asked at once, of an interrupted run, too */
bool evset_is_still_minimal(struct evset_machine *e,
			    const struct evset_set *set);

/** evset_move_line() - a line of the window whose address bits @by are turned over */
static inline uint64_t evset_move_line(const struct evset_machine *e,
				       uint64_t line, uint64_t by)
{
	return e->window + ((line - e->window) ^ by);
}

/** evset_move_set() - a set whose lines are moved by so much in their pages
 * @by: less than e->low_bytes
 * @moved: (out) one if bits of a page select sets by themselves or in parities; it has
 *         to be verified
 */
void evset_move_set(const struct evset_machine *e, const struct evset_set *set,
		    uint64_t by, struct evset_set *moved);

/** evset_draw_move() - any such distance that stays in a page of the host */
uint64_t evset_draw_move(const struct evset_machine *e);

/** EVSET_MORE - lines of a set beyond a minimal one, for the counts that check it */
#define EVSET_MORE 4

/** evset_gather_more() - lines of the set of a minimal one that are not in it
 * @more: (out) room for EVSET_MORE; *count of them: fewer where hardly any line is
 * Return: 0 or the oracle's -errno.
 */
int evset_gather_more(struct evset_machine *e, const struct evset_set *set,
		      uint64_t *more, size_t *count, struct failure *f);

/** evset_cross_check() - do other counts of the ways agree with a minimal set?
 * @sets: verified, of as many lines each; @count of them. Where somebody uses one
 *        set the next one may tell, or where pages are pieces one that is moved in
 *        its pages; (out) the first one is one that did
 * @ways: (out) A, also the most lines of that set that any choice of is
 *        compact, and the most that hit of longer lists; 0: @reason says why
 */
int evset_cross_check(struct evset_machine *e, struct evset_set *sets,
		      size_t count, uint64_t *ways, char *reason, size_t size,
		      struct failure *f);

/** evset_collect() - more lines of the set of a minimal one
 * @set: verified
 * @function: what is known of the index: spares questions
 * @lines: (out) those of @set first; room for @most
 * @count: (out) their number, less than @most where the window has no more
 */
int evset_collect(struct evset_machine *e, const struct evset_set *set,
		  const struct index_function *function, uint64_t *lines,
		  size_t most, size_t *count, struct failure *f);

/** evset_measure_line() - line size of the level
 * @bytes: (out) 0: @reason says why
 */
int evset_measure_line(struct evset_machine *e, const struct evset_set *set,
		       uint64_t *bytes, char *reason, size_t size,
		       struct failure *f);

/** evset_measure_sets() - number of sets
 * @set: a verified one, of A + 1 lines
 * @line_bytes: line size
 * @sets: (out) 0: @reason says why
 * @index: (out) what that has shown of the index; INDEX_UNKNOWN: nothing
 */
int evset_measure_sets(struct evset_machine *e, const struct evset_set *set,
		       uint64_t line_bytes, uint64_t *sets,
		       enum index_kind *index, char *reason, size_t size,
		       struct failure *f);

/** evset_cube_candidates() - few classes, from address bits that matter little
 * @lines: (out) not compact, as few as dropping bits allows; the caller frees
 * @count: (out) 0: no such lines
 */
int evset_cube_candidates(struct evset_machine *e, uint64_t **lines,
			  size_t *count, struct failure *f);

/** evset_find() - a verified set from random candidates, or from pools of lines that
 * are alike
 * @set: (out) count 0: none
 */
int evset_find(struct evset_machine *e, struct evset_set *set,
	       struct failure *f);

/** evset_linear_sets() - the same where the index is a linear function over
 * GF(2) in each block: 2^rank
 */
int evset_linear_sets(struct evset_machine *e, const struct evset_set *set,
		      uint64_t line_bytes, uint64_t *sets,
		      enum index_kind *index, char *reason, size_t size,
		      struct failure *f);

/** evset_page_sets() - the same in pages of which nothing is known: lines of
 * one offset sorted by set, times the offsets that have sets of their own
 */
int evset_page_sets(struct evset_machine *e, const struct evset_set *set,
		    uint64_t line_bytes, uint64_t *sets, enum index_kind *index,
		    char *reason, size_t size, struct failure *f);

#endif
