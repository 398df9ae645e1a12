// SPDX-License-Identifier: GPL-2.0
#include "method/evset/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/minimal/cluster_pools.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/oracle/list_walk.h"
#include "method/evset/oracle/miss_penalty.h"
#include "method/evset/oracle/misses_below.h"
#include "method/evset/tuning.h"
#include "method/level/host_pages.h"
#include "method/probe/time_limit.h"

#define SETS_TRIED 24
/* When this many tries in a row have given no set, the chance is below 1 % that all
 * of them would have given EVSET_AGREED: (1 - p)^10 times the chance of 6 or more in
 * 14 is less for any share p of tries that succeed. After a pause in which contention
 * may end, a few show whether anything has changed.
 */
#define HOPELESS_TRIES 10
#define CHANGED_TRIES 3
/* Without contention finding sets takes a tenth of this. */
#define COSTLY_NS 1e9
#define PENALTY_LINES 131072
/* A contended guest's penalty estimate can be off by 50 %: take the median of
 * 3, or stop after 2 that agree within 10 %.
 */
#define PENALTIES 3
#define PENALTIES_SIMILAR 0.1
/* Times that candidates are drawn, each time at another offset. */
#define DEALS 7
/* Two lines that share a way miss, both; in this many samples. */
#define FASTER_MISSES (-1.9)
#define CONTROL_SAMPLES (4 * EVSET_AGREED)
#define FASTER_SAMPLES EVSET_AGREED

int evset_control_misses(struct evset_machine *e, const struct evset_set *sets,
			 enum outcome *outcome, struct failure *f)
{
	uint64_t lines[EVSET_MOST_WAYS + 1 + EVSET_MOST_EVICTORS];
	const size_t kept = e->o.together;
	int error = 0, faster = 0;

	for (int i = 0; !error && i < CONTROL_SAMPLES; i++) {
		const struct evset_set *s = &sets[i % EVSET_AGREED];
		const size_t n =
			evset_with_evictors(s, s->lines, s->count / 2, lines);
		double misses = 0, hit = 0;

		e->o.together = s->count / 2;
		error = evset_sample_list(e, lines, n, EVSET_CONTROL_PAGES,
					  &misses, &hit, f);
		faster += !error && misses < FASTER_MISSES;
		/* The next sample may be undisturbed. */
		if (error == -EAGAIN) {
			f->text[0] = '\0';
			error = 0;
		}
	}
	e->o.together = kept;
	*outcome = outcome_if(error || faster < FASTER_SAMPLES, OUTCOME_VOID);
	return error;
}

static int check_ways(struct evset_machine *e, struct evset_found *r,
		      struct evset_set *sets, struct failure *f)
{
	enum outcome controls = OUTCOME_DECIDED;
	int error = evset_ways_crosscheck(e, sets, EVSET_AGREED, &r->ways,
					  r->reason, sizeof(r->reason), f);

	if (!error && r->ways && !e->window.contiguous && sets[0].evictor_count)
		error = evset_control_misses(e, sets, &controls, f);
	r->set = sets[0];
	r->found_ns = time_limit_now_ns(e->x->prober);
	/* The reason of an earlier attempt. */
	if (r->ways)
		r->reason[0] = 0;
	if (controls == OUTCOME_VOID) {
		r->ways = 0;
		snprintf(
			r->reason, sizeof(r->reason),
			"lines that should hit in this level take longer than half of a minimal set: chance puts too many of them into one set (repeat with another --seed)");
	}
	memcpy(r->agreed, sets, sizeof(r->agreed));
	return error;
}

/* A set out of random candidates may take longer than clustering does. */
static int try_set(struct evset_machine *e, struct evset_set *set,
		   struct failure *f)
{
	struct prober *p = e->x->prober;
	struct time_limit before;
	int error;

	time_limit_set(p, evset_cluster_pools_try_ns(e), &before);
	error = evset_find(e, set, f);
	if (time_limit_ended(p, &before, error)) {
		set->count = 0;
		error = 0;
	}
	return error;
}

/* Time for the sets that are still wanted, at the present rate. */
static double left_ns(double spent_ns, int agreeing)
{
	return spent_ns * (EVSET_AGREED - agreeing) / (agreeing ? agreeing : 1);
}

/**
 * struct tally - minimal sets by their number of lines
 * @sets: the last ones of those with most lines
 * @agreeing: how many of these have been found
 * @others: sets of fewer lines
 */
struct tally {
	struct evset_set sets[EVSET_AGREED];
	int agreeing;
	int others;
};

static bool is_enough(const struct tally *t)
{
	return t->agreeing >= EVSET_AGREED && t->agreeing > t->others;
}

/* OUTCOME_DECIDED: a line of @b, moved to the offset of those of @a in their pages,
 * fits there, and so is of another set. In a contended set nothing fits.
 */
static int is_distinct(struct evset_machine *e, const struct evset_set *a,
		       const struct evset_set *b, enum outcome *outcome,
		       struct failure *f)
{
	const uint64_t by = ((a->lines[0] - e->window.begin) ^
			     (b->lines[0] - e->window.begin)) %
			    e->window.low_bytes;
	enum verdict verdict = VERDICT_UNDECIDED;
	uint64_t line = 0;
	bool held = true;
	int error = 0;

	/* Another page of the host, if a way of L1 has several. */
	*outcome = outcome_if(by >= HOST_PAGES_BYTES, OUTCOME_OPEN);
	if (*outcome == OUTCOME_DECIDED)
		return 0;
	for (size_t i = 0; held && i < b->count; i++) {
		line = evset_move_line(e, b->lines[i], by);
		if (evset_holds(a->lines, a->count, line))
			return 0;
		held = evset_holds(a->evictors, a->evictor_count, line);
	}
	if (!held)
		error = evset_congruent(&e->o, a, line, true, &verdict, f);
	*outcome =
		outcome_if(!error && verdict == VERDICT_COMPACT, OUTCOME_OPEN);
	return error;
}

/* Is it a set of other pages than those that agree? In a guest, a neighbour
 * that keeps a page in the level all the time has a line wherever a set of that
 * page is moved to.
 */
static int is_other(struct evset_machine *e, const struct tally *t,
		    const struct evset_set *set, enum outcome *outcome,
		    struct failure *f)
{
	int error = 0;

	*outcome = OUTCOME_DECIDED;
	for (int i = 0;
	     e->window.splintered && !error && *outcome == OUTCOME_DECIDED &&
	     i < t->agreeing && i < EVSET_AGREED;
	     i++) {
		error = is_distinct(e, &t->sets[i], set, outcome, f);
		if (!error && *outcome != OUTCOME_DECIDED)
			error = is_distinct(e, set, &t->sets[i], outcome, f);
	}
	return error;
}

/*
 * A neighbour's line in a set (page tables, interrupts) makes it look smaller,
 * never larger: the largest sets count, if there are no fewer of them.
 */
static int count_set(struct evset_machine *e, struct evset_found *r,
		     struct tally *t, const struct evset_set *set,
		     struct failure *f)
{
	enum outcome other = OUTCOME_OPEN;
	int error;

	if (set->count < r->set.count) {
		t->others++;
		return 0;
	}
	if (set->count > r->set.count) {
		t->others += t->agreeing;
		t->agreeing = 0;
		r->set = *set;
	}
	error = is_other(e, t, set, &other, f);
	if (!error && other == OUTCOME_DECIDED)
		t->sets[t->agreeing++ % EVSET_AGREED] = *set;
	return error;
}

/* Sets of more lines than those that agree, of the same pages. */
static int count_larger(struct evset_machine *e, struct evset_found *r,
			struct tally *t, struct failure *f)
{
	const struct tally before = *t;
	int error = 0;

	for (int i = 0; !error && e->window.splintered && i < EVSET_AGREED;
	     i++) {
		struct evset_set larger;

		error = evset_ways_recheck(e, &before.sets[i], &larger, f);
		if (!error && larger.count)
			error = count_set(e, r, t, &larger, f);
	}
	return error;
}

static bool is_hopeless(const struct evset_machine *e, const struct tally *t)
{
	return !e->window.splintered && !t->agreeing && !t->others &&
	       e->search.failures >= HOPELESS_TRIES;
}

/* Sets until enough agree, enough tries failed, or clustering is faster. */
static int try_sets(struct evset_machine *e, struct evset_found *r,
		    struct tally *t, int *tried, struct failure *f)
{
	struct prober *p = e->x->prober;
	const double begun_ns = time_limit_now_ns(p);
	const int before = t->agreeing + t->others;
	int error = 0;

	for (*tried = 0; !error && *tried < SETS_TRIED && !is_enough(t) &&
			 !is_hopeless(e, t);
	     ++*tried) {
		const double spent_ns = time_limit_now_ns(p) - begun_ns;
		struct evset_set set;

		if (evset_cluster_pools_wanted(
			    e, t->agreeing + t->others - before, *tried,
			    spent_ns, left_ns(spent_ns, t->agreeing)))
			break;
		error = try_set(e, &set, f);
		if (error)
			break;
		/* Not all of them in one disturbance. */
		p->m->ops->pause(p->m, WAYS_PAUSE_MS);
		if (set.count)
			error = count_set(e, r, t, &set, f);
		if (!error && is_enough(t))
			error = count_larger(e, r, t, f);
	}
	return error;
}

static int find_ways(struct evset_machine *e, struct evset_found *r,
		     struct failure *f)
{
	const double begun_ns = time_limit_now_ns(e->x->prober);
	struct tally t = { .agreeing = 0 };
	int tried = 0, error = 0;

	if (e->search.failures >= HOPELESS_TRIES)
		e->search.failures = HOPELESS_TRIES - CHANGED_TRIES;
	/* Contention changes: each time at another offset, too. */
	for (int i = 0; !error && !is_enough(&t) && !is_hopeless(e, &t) &&
			tried < SETS_TRIED && i < DEALS;
	     i++) {
		error = evset_cluster_pools_begin(e, f);
		if (!error)
			error = try_sets(e, r, &t, &tried, f);
	}
	r->costly = time_limit_now_ns(e->x->prober) - begun_ns > COSTLY_NS;
	if (error)
		return error;
	if (is_enough(&t))
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

/** struct penalty - what evset_miss_penalty() leaves in the machine */
struct penalty {
	double penalty;
	double whole_ticks;
};

static int compare_penalties(const void *a, const void *b)
{
	const struct penalty *x = a, *y = b;

	return (x->penalty > y->penalty) - (x->penalty < y->penalty);
}

static bool are_similar(const struct penalty *a, const struct penalty *b)
{
	return fabs(a->penalty - b->penalty) <= PENALTIES_SIMILAR * a->penalty;
}

static int learn_penalty(struct evset_machine *e, const uint64_t *lines,
			 size_t count, enum outcome *outcome, struct failure *f)
{
	struct penalty all[PENALTIES];
	size_t found = 0;
	int error = 0;

	if (!e->window.splintered)
		return evset_miss_penalty(e, lines, count, outcome, f);
	for (int i = 0; !error && found < PENALTIES && i < PENALTY_TRIES; i++) {
		error = evset_miss_penalty(e, lines, count, outcome, f);
		if (!error && *outcome == OUTCOME_DECIDED)
			all[found++] =
				(struct penalty){ e->scale.penalty,
						  e->scale.whole_penalty };
		if (found == 2 && are_similar(&all[0], &all[1]))
			break;
	}
	*outcome = outcome_if(found, OUTCOME_OPEN);
	if (error || !found)
		return error;
	qsort(all, found, sizeof(*all), compare_penalties);
	e->scale.penalty = all[found / 2].penalty;
	e->scale.whole_penalty = all[found / 2].whole_ticks;
	return 0;
}

int evset_measure_ways(struct evset_machine *e, struct evset_found *r,
		       struct failure *f)
{
	uint64_t *lines = NULL;
	size_t count = 0;
	enum outcome slow = OUTCOME_OPEN;
	int error = evset_candidates(e, PENALTY_LINES, &lines, &count, f);

	if (!error)
		error = learn_penalty(e, lines, count, &slow, f);
	if (!error)
		error = evset_misses_below_learn(e, lines, count, f);
	free(lines);
	if (!error && slow == OUTCOME_DECIDED)
		error = find_ways(e, r, f);
	if (!error && slow != OUTCOME_DECIDED)
		snprintf(r->reason, sizeof(r->reason),
			 "no number of lines up to %zu is slow", count);
	return error;
}
