/* SPDX-License-Identifier: GPL-2.0 */
/* miss_penalty.h - what a miss of a level costs. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_MISS_PENALTY_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_MISS_PENALTY_H

#include "method/evset/oracle/session.h"

/**
 * struct evset_list_cost - what a miss costs, from lists each twice as long
 * @ticks: per load above a hit, so far
 * @hit: per load of the twin of the last list that was slow
 * @slow: lengths that were slow, without one between that was not
 */
struct evset_list_cost {
	double ticks;
	double hit;
	size_t slow;
};

/**
 * evset_list_cost_add() - the next length
 * @ticks: per load of a list above that of its twin
 * @hit: per load of the twin
 *
 * By the second length that is slow all sets overflow. Longer lists may miss
 * below as well, where others use that level: what costs so much more is no
 * miss of this one alone. Their twins miss, too, and then less is left.
 *
 * Return: whether c->ticks is as good as it gets.
 */
bool evset_list_cost_add(struct evset_list_cost *c, double ticks, double hit);

/**
 * struct evset_page_cost - what a miss costs, from blocks, each time some more
 * @slow: ticks from which on there are misses
 * @enough: it costs at least half of that, or is asked until the end
 * @before: ticks of the last size
 * @first: ticks of the first size that misses; 0: none has
 * @sizes: that cost about the same, up to the last one
 * @ticks: so much; 0: nothing as yet
 * @costly: sizes in a row, up to the last one, that cost half of @enough
 */
struct evset_page_cost {
	double slow;
	double enough;
	double before;
	double first;
	size_t sizes;
	double ticks;
	size_t costly;
};

/** evset_page_cost_whole() - what a miss costs, if all lines missed from the first size
 * on that did not fit: then no part of them did; else 0
 */
double evset_page_cost_whole(const struct evset_page_cost *l);

/**
 * evset_page_cost_add() - the next size
 * @ticks: per load above that of few lines in each block
 *
 * Return: whether nothing more is to be learnt: l->ticks is enough, or the next
 * level is missed from here on.
 */
bool evset_page_cost_add(struct evset_page_cost *l, double ticks);

/**
 * evset_page_cost_past() - two sizes in a row cost half of what is enough, and more than
 * the first one that missed
 *
 * Larger ones cost no less: none of them is a level that says that what is known of
 * candidates is too much, and not all lines missed from the first on.
 */
bool evset_page_cost_past(const struct evset_page_cost *l);

/** evset_miss_penalty() - what a miss costs, from lists that grow; not more than twice
 * what whole blocks say, where those are clear
 * @lines: candidates; enough of them overflow the level
 * @found: (out) false: no list was slow
 */
int evset_miss_penalty(struct evset_machine *e, const uint64_t *lines,
		       size_t count, bool *found, struct failure *f);

#endif
