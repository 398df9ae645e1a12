/* SPDX-License-Identifier: GPL-2.0 */
/* miss_penalty.h - what a miss of a level costs. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_MISS_PENALTY_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_MISS_PENALTY_H

#include "method/evset/oracle/session.h"

/**
 * struct evset_list_cost - the penalty, from lists each twice as long
 * @ticks: per load above a hit, so far
 * @hit: per load of the control of the last slow list
 * @slow: slow lengths in a row
 */
struct evset_list_cost {
	double ticks;
	double hit;
	size_t slow;
};

/**
 * evset_list_cost_add() - the next length
 * @ticks: per load of a list above its control
 * @hit: per load of the control
 *
 * All sets overflow by the second slow length. Longer lists may miss in the
 * level below, too, under contention there: a cost that jumps is no miss of
 * this level alone. If control lines miss, too, the difference falls.
 *
 * Return: whether c->ticks is as good as it gets.
 */
bool evset_list_cost_add(struct evset_list_cost *c, double ticks, double hit);

/**
 * struct evset_page_cost - the penalty, from whole pages, each time some more
 * @slow: a size that costs at least this misses
 * @enough: half of this penalty is enough
 * @before: ticks of the last size
 * @first: ticks of the first size that misses; 0: none has
 * @sizes: sizes in a row that cost about the same, up to the last one
 * @ticks: the penalty; 0: not known
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

/** evset_page_cost_whole() - miss penalty from whole pages. Valid only if the
 * cost jumps from no line to all lines between two sizes (all sets overflow at
 * once); 0 if it rises gradually
 */
double evset_page_cost_whole(const struct evset_page_cost *l);

/**
 * evset_page_cost_add() - the next size
 * @ticks: per load above that of few lines in each page
 *
 * Return: whether larger sizes add nothing: l->ticks is enough, or the next
 * level is missed from here on.
 */
bool evset_page_cost_add(struct evset_page_cost *l, double ticks);

/**
 * evset_page_cost_past() - two sizes in a row cost half of what is enough, and
 * more than the first size that missed
 *
 * Larger sizes cost no less: none of them shows that the penalty of candidates
 * is too large, nor that all lines missed from the first size on.
 */
bool evset_page_cost_past(const struct evset_page_cost *l);

/** evset_miss_penalty() - e->scale.penalty, from lists that grow; at most twice
 * that of whole pages, where that is clear
 * @lines: candidates; enough of them overflow the level
 * @outcome: (out) OUTCOME_OPEN: no list was slow
 * Return: 0 or -errno with @f set.
 */
int evset_miss_penalty(struct evset_machine *e, const uint64_t *lines,
		       size_t count, enum outcome *outcome, struct failure *f);

#endif
