// SPDX-License-Identifier: GPL-2.0
#include "method/evset/oracle/misses_below.h"

#include <errno.h>
#include <math.h>

#include "method/evset/oracle/list_walk.h"
#include "method/evset/oracle/miss_penalty.h"

/* Share of the misses that are misses of the next level, too. */
#define MOST_BELOW 0.5

/* Misses of a round of lines of a set, by any counter; 0: by time. */
static int misses_by(struct evset_machine *e, const struct evset_set *set,
		     const uint64_t *lines, size_t count, unsigned int counter,
		     double *misses, struct failure *f)
{
	uint64_t list[2 * EVSET_MOST_WAYS + EVSET_MOST_EVICTORS];
	const size_t all = evset_with_evictors(set, lines, count, list);
	const unsigned int own = e->x->reference.counter;
	const double usual = e->scale.penalty;
	double share = 0;
	int error;

	e->x->reference.counter = counter;
	e->scale.penalty = counter ? 1 : e->scale.counted_penalty;
	error = evset_list_misses(e, list, all, set->evictor_count ? count : 0,
				  &share, f);
	e->x->reference.counter = own;
	e->scale.penalty = usual;
	*misses = share * (double)all;
	return error;
}

/* Below the last level that a counter knows lies memory, no inclusive level:
 * time proves nothing. If the next level is counted, its counter is surer than
 * time.
 */
static bool asks_time(const struct evset_machine *e)
{
	return xray_counter(e->x) && !xray_counter_below(e->x) &&
	       !xray_is_last_counted(e->x);
}

int evset_misses_below_learn(struct evset_machine *e, const uint64_t *lines,
			     size_t count, struct failure *f)
{
	const unsigned int own = e->x->reference.counter;
	enum outcome slow = OUTCOME_OPEN;
	int error;

	e->scale.counted_penalty = 0;
	if (!asks_time(e))
		return 0;
	e->x->reference.counter = 0;
	error = evset_miss_penalty(e, lines, count, &slow, f);
	e->x->reference.counter = own;
	if (!error && slow == OUTCOME_DECIDED)
		e->scale.counted_penalty =
			fmax(e->scale.penalty, e->scale.whole_penalty);
	e->scale.penalty = 1;
	e->scale.whole_penalty = 0;
	if (error != -EAGAIN)
		return error;
	f->text[0] = '\0';
	return 0;
}

/* By the counter of the next level. */
static int ask_counter(struct evset_machine *e, const struct evset_set *set,
		       const uint64_t *lines, size_t count, unsigned int next,
		       bool *below, struct failure *f)
{
	double here = 0, there = 0;
	int error;

	error = misses_by(e, set, lines, count, xray_counter(e->x), &here, f);
	if (!error)
		error = misses_by(e, set, lines, count, next, &there, f);
	*below = !error && there >= 1 && there > MOST_BELOW * here;
	return error;
}

int evset_misses_below(struct evset_machine *e, const struct evset_set *set,
		       const uint64_t *lines, size_t count, bool *below,
		       struct failure *f)
{
	const unsigned int next = xray_counter_below(e->x);
	double misses = 0;
	int error;

	*below = false;
	if (!xray_counter(e->x))
		return 0;
	if (next)
		return ask_counter(e, set, lines, count, next, below, f);
	if (e->scale.counted_penalty <= 0)
		return 0;
	error = misses_by(e, set, lines, count, 0, &misses, f);
	*below = !error && misses > EVSET_BELOW_TIMES * (double)count;
	return error;
}
