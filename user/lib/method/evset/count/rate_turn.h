/* SPDX-License-Identifier: GPL-2.0 */
/* rate_turn.h - groups of random lines held against several sets in turn. */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_RATE_TURN_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_RATE_TURN_H

#include "method/evset/count/congruence_rate.h"
#include "method/evset/count/rate_bounds.h"
#include "result/outcome.h"

/** EVSET_RATE_OFFSETS - lines of a page, at most */
#define EVSET_RATE_OFFSETS 256
/** EVSET_RATE_TURN - groups of one set in a row, between two checks of its
 * controls
 */
#define EVSET_RATE_TURN 24

/**
 * struct rates - sets that groups are held against in turn
 * @e: the level
 * @seen: counts so far
 * @each: of each set
 * @failures: turns in a row of each set that failed its controls
 * @rests: rounds for which a set is left alone
 * @line_bytes: line size
 * @congruent: distances in a page at which sets have lines, too
 */
struct rates {
	struct evset_machine *e;
	struct evset_rate_counts seen;
	struct evset_rate each[EVSET_RATE_MOST_SETS];
	unsigned int failures[EVSET_RATE_MOST_SETS];
	unsigned int rests[EVSET_RATE_MOST_SETS];
	uint64_t line_bytes;
	bool congruent[EVSET_RATE_OFFSETS];
};

/**
 * struct turn - groups held against one set in a row
 * @distance: of each group from the set's place in pages, in lines
 * @positive: a line of the set is walked beside the group: a positive control
 * @verdict: (out)
 * @count: of groups
 * @controls: (out) OUTCOME_DECIDED: the set passed its controls before and after
 *            them
 */
struct turn {
	size_t distance[EVSET_RATE_TURN];
	bool positive[EVSET_RATE_TURN];
	enum verdict verdict[EVSET_RATE_TURN];
	size_t count;
	enum outcome controls;
};

/** rates_count_group() - one verdict more */
void rates_count_group(struct evset_tally *t, enum verdict verdict);

/** rates_may_ask() - may more samples be taken? */
bool rates_may_sample(const struct rates *r);

/** rates_is_next() - is it the turn of set @k in this round? */
bool rates_is_next(struct rates *r, size_t k);

/** rates_ask_turn() - hold groups against set @k
 * Return: as evset_rate_begin().
 */
int rates_ask_turn(struct rates *r, size_t k, struct turn *t,
		   struct failure *f);

/**
 * rates_find_distances() - distances in a page at which sets have lines,
 * r->congruent
 * @outcome: (out) DECIDED: each is decided, and they are a space of bits; or OPEN
 * Return: as evset_rate_begin().
 */
int rates_find_distances(struct rates *r, enum outcome *outcome,
			 struct failure *f);

#endif
