// SPDX-License-Identifier: GPL-2.0
#include "evset_ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evset_below.h"
#include "evset_control.h"
#include "evset_larger.h"
#include "evset_pools.h"
#include "pieces.h"
#include "time_limit.h"

#define SETS_TRIED 24
#define APART_MS 15
/* Of each set so many more. Where somebody uses the first sets that it is moved to it is
 * moved to others.
 */
#define MOVED_EACH 1
#define MOVES 8
/* Of sets that were found by themselves so many are of different pages. Who keeps a
 * whole page in the level, all the time, has a line in each set that a set of those
 * pages is moved to (a Zen 5 guest: 15 ways, once in 400 runs).
 */
#define OWN_LEAST 3
/* Where nobody disturbs sets take a tenth of that. */
#define DEAR_NS 1e9
#define PENALTY_LINES 131072
/* In a guest beside others one answer is wrong by a half: the middle one of so many,
 * unless the first two differ by less.
 */
#define PENALTIES 3
#define PENALTIES_ALIKE 0.1
#define PENALTY_TRIES 5
/* Candidates are dealt out so often, each time at another offset. */
#define DEALS 7

static int check_ways(struct evset_machine *e, struct evset_found *r,
		      struct evset_set *sets, struct failure *f)
{
	bool late = false;
	int error = evset_cross_check(e, sets, EVSET_AGREED, &r->ways,
				      r->reason, sizeof(r->reason), f);

	if (!error && r->ways && !e->contiguous && sets[0].padding_count)
		error = evset_control_misses(e, sets, &late, f);
	r->set = sets[0];
	e->found_ns = time_limit_now_ns(e->x->prober);
	/* Why it was not told before. */
	if (r->ways)
		r->reason[0] = 0;
	if (late) {
		r->ways = 0;
		snprintf(
			r->reason, sizeof(r->reason),
			"lines that should hit in this level take longer than half of a minimal set: chance puts too many of them into one set (repeat with another --seed)");
	}
	memcpy(r->agreed, sets, sizeof(r->agreed));
	e->agreed = r->agreed;
	e->agreed_count = EVSET_AGREED;
	return error;
}

/* A set out of random candidates may take longer than to sort them. */
static int try_set(struct evset_machine *e, struct evset_set *set,
		   struct failure *f)
{
	struct prober *p = e->x->prober;
	struct time_limit before;
	int error;

	time_limit_set(p, evset_pools_try_ns(e), &before);
	error = evset_find(e, set, f);
	if (time_limit_ended(p, &before, error)) {
		set->count = 0;
		error = 0;
	}
	return error;
}

/* What the sets take that are still wanted, if they come as those did before. */
static double left_ns(double spent_ns, int agreeing)
{
	return spent_ns * (EVSET_AGREED - agreeing) /
	       (agreeing ? agreeing : 1 + MOVED_EACH);
}

/**
 * struct tally - minimal sets by their number of lines
 * @sets: the last ones of those that have most lines
 * @agreeing: so many of these have been found
 * @others: of fewer lines
 * @own: of those that agree, the first ones that were found by themselves, each of
 *       other pages
 * @own_count: their number
 */
struct tally {
	struct evset_set sets[EVSET_AGREED];
	int agreeing;
	int others;
	struct evset_set own[OWN_LEAST];
	int own_count;
};

static bool is_enough(const struct evset_machine *e, const struct tally *t)
{
	return t->agreeing >= EVSET_AGREED && t->agreeing > t->others &&
	       (!e->pieces || t->own_count >= OWN_LEAST);
}

/*
 * What others keep in a set (page tables, interrupts) makes it look smaller,
 * never larger: the largest sets count, if there are no fewer of them.
 */
static void count_set(struct evset_found *r, struct tally *t,
		      const struct evset_set *set)
{
	if (set->count > r->set.count) {
		t->others += t->agreeing;
		t->agreeing = 0;
		t->own_count = 0;
		r->set = *set;
	}
	if (set->count == r->set.count)
		t->sets[t->agreeing++ % EVSET_AGREED] = *set;
	else
		t->others++;
}

/* Where bits of a page select sets, lines that share one share another when all are
 * moved: one that others may be using, or not. Searching for it takes longer.
 */
static int count_moved(struct evset_machine *e, struct evset_found *r,
		       struct tally *t, const struct evset_set *set,
		       struct failure *f)
{
	int error = 0, moves = 0;

	if (!e->pieces)
		return 0;
	for (int i = 0;
	     !error && moves < MOVED_EACH && i < MOVES && !is_enough(e, t);
	     i++) {
		const uint64_t by = evset_draw_move(e);
		struct evset_set moved;
		bool good = false;

		evset_move_set(e, set, by, &moved);
		if (by)
			error = evset_verify(&e->o, &moved, &good, f);
		if (good)
			count_set(r, t, &moved);
		moves += good;
	}
	return error;
}

/* Is a line of it, moved to where the other one's are in their pages, of the same set? */
static int are_same(struct evset_machine *e, const struct evset_set *a,
		    const struct evset_set *b, bool *same, struct failure *f)
{
	const uint64_t by =
		((a->lines[0] - e->window) ^ (b->lines[0] - e->window)) %
		e->low_bytes;
	const uint64_t line = evset_move_line(e, b->lines[0], by);
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	*same = evset_holds(a->lines, a->count, line);
	/* In other pages of the host, where those of a way of L1 are several. */
	if (*same || by >= PIECES_BYTES)
		return 0;
	error = evset_congruent(&e->o, a, line, true, &verdict, f);
	*same = verdict != VERDICT_COMPACT;
	return error;
}

/* Is it one more of other pages? */
static int count_own(struct evset_machine *e, const struct evset_found *r,
		     struct tally *t, const struct evset_set *set,
		     struct failure *f)
{
	bool same = false;
	int error = 0;

	if (!e->pieces || set->count != r->set.count ||
	    t->own_count == OWN_LEAST)
		return 0;
	for (int i = 0; !error && !same && i < t->own_count; i++)
		error = are_same(e, &t->own[i], set, &same, f);
	if (!error && !same)
		t->own[t->own_count++] = *set;
	return error;
}

/* Sets of more lines than those that agree, of the same pages. */
static int count_larger(struct evset_machine *e, struct evset_found *r,
			struct tally *t, struct failure *f)
{
	const struct tally before = *t;
	int error = 0;

	for (int i = 0; !error && i < before.own_count; i++) {
		struct evset_set larger;

		error = evset_larger(e, &before.own[i], &larger, f);
		if (!error && larger.count)
			count_set(r, t, &larger);
	}
	return error;
}

/* All that a set that has just been found says. */
static int count_all(struct evset_machine *e, struct evset_found *r,
		     struct tally *t, const struct evset_set *set,
		     struct failure *f)
{
	int error;

	count_set(r, t, set);
	error = count_own(e, r, t, set, f);
	if (!error)
		error = count_moved(e, r, t, set, f);
	if (!error && is_enough(e, t))
		error = count_larger(e, r, t, f);
	return error;
}

/* Sets until enough agree, so many tries gave none, or others come sooner. */
static int try_sets(struct evset_machine *e, struct evset_found *r,
		    struct tally *t, int *tried, struct failure *f)
{
	struct prober *p = e->x->prober;
	const double begun_ns = time_limit_now_ns(p);
	const int before = t->agreeing + t->others;
	int error = 0;

	for (*tried = 0; !error && *tried < SETS_TRIED && !is_enough(e, t);
	     ++*tried) {
		const double spent_ns = time_limit_now_ns(p) - begun_ns;
		struct evset_set set;

		if (evset_pools_wanted(e, t->agreeing + t->others - before,
				       *tried, spent_ns,
				       left_ns(spent_ns, t->agreeing)))
			break;
		error = try_set(e, &set, f);
		if (error)
			break;
		/* Not all of them in one disturbance. */
		p->m->ops->pause(p->m, APART_MS);
		if (set.count)
			error = count_all(e, r, t, &set, f);
	}
	return error;
}

static int find_ways(struct evset_machine *e, struct evset_found *r,
		     struct failure *f)
{
	const double begun_ns = time_limit_now_ns(e->x->prober);
	struct tally t = { .agreeing = 0 };
	int tried = 0, error = 0;

	/* What others do changes: each time at another offset, too. */
	for (int i = 0;
	     !error && !is_enough(e, &t) && tried < SETS_TRIED && i < DEALS;
	     i++) {
		error = evset_pools_begin(e, f);
		if (!error)
			error = try_sets(e, r, &t, &tried, f);
	}
	e->dear = time_limit_now_ns(e->x->prober) - begun_ns > DEAR_NS;
	if (error)
		return error;
	if (is_enough(e, &t))
		return check_ways(e, r, t.sets, f);
	if (t.others)
		snprintf(
			r->reason, sizeof(r->reason),
			"%d minimal sets have %zu lines, %d have fewer: others keep lines there, too",
			t.agreeing, r->set.count, t.others);
	else
		snprintf(
			r->reason, sizeof(r->reason),
			"%d of %d tries gave an eviction set that passes its controls",
			t.agreeing, tried);
	return 0;
}

/** struct penalty - what evset_penalty() leaves in the machine */
struct penalty {
	double penalty;
	double whole_ticks;
};

static int compare_penalties(const void *a, const void *b)
{
	const struct penalty *x = a, *y = b;

	return (x->penalty > y->penalty) - (x->penalty < y->penalty);
}

static bool are_alike(const struct penalty *a, const struct penalty *b)
{
	return fabs(a->penalty - b->penalty) <= PENALTIES_ALIKE * a->penalty;
}

static int learn_penalty(struct evset_machine *e, const uint64_t *lines,
			 size_t count, bool *slow, struct failure *f)
{
	struct penalty all[PENALTIES];
	size_t found = 0;
	int error = 0;

	if (!e->pieces)
		return evset_penalty(e, lines, count, slow, f);
	for (int i = 0; !error && found < PENALTIES && i < PENALTY_TRIES; i++) {
		error = evset_penalty(e, lines, count, slow, f);
		if (!error && *slow)
			all[found++] =
				(struct penalty){ e->penalty, e->whole_ticks };
		if (found == 2 && are_alike(&all[0], &all[1]))
			break;
	}
	*slow = found;
	if (error || !found)
		return error;
	qsort(all, found, sizeof(*all), compare_penalties);
	e->penalty = all[found / 2].penalty;
	e->whole_ticks = all[found / 2].whole_ticks;
	return 0;
}

int evset_measure_ways(struct evset_machine *e, struct evset_found *r,
		       struct failure *f)
{
	uint64_t *lines = NULL;
	size_t count = 0;
	bool slow = false;
	int error = evset_candidates(e, PENALTY_LINES, &lines, &count, f);

	if (!error)
		error = learn_penalty(e, lines, count, &slow, f);
	if (!error)
		error = evset_below_learn(e, lines, count, f);
	free(lines);
	if (!error && slow)
		error = find_ways(e, r, f);
	if (!error && !slow)
		snprintf(r->reason, sizeof(r->reason),
			 "no number of lines up to %zu is slow", count);
	return error;
}
