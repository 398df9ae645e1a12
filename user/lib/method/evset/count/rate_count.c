// SPDX-License-Identifier: GPL-2.0
/* rate_count.c - what part of all lines is of one set? */
#include "method/evset/count/rate_count.h"

#include <math.h>
#include <stdio.h>

#include "method/evset/count/rate_turn.h"
#include "method/level/host_pages.h"

/* In turns that count lines, one in this many groups is a negative control, one
 * a positive control.
 */
#define NEGATIVE_EACH 8
#define POSITIVE_EACH 8
#define CONFIRM_TRIES 12
#define CONFIRM_PAUSE_MS 50

static int begin_sets(struct rates *r, const struct evset_count *c,
		      struct failure *f)
{
	size_t group = 0;
	int error = 0;

	for (size_t i = 0; !error && i < c->agreed_count &&
			   r->seen.count < EVSET_RATE_MOST_SETS;
	     i++) {
		struct evset_rate *each = &r->each[r->seen.count];
		enum outcome outcome = OUTCOME_OPEN;

		error = evset_rate_begin(each, r->e, &c->agreed[i], group,
					 &outcome, f);
		if (error || outcome != OUTCOME_DECIDED)
			continue;
		group = each->group;
		r->seen.of[r->seen.count++].lines = group;
	}
	return error;
}

/* A random distance that has lines of the set, or one that has none: there is
 * one.
 */
static size_t draw_distance(struct rates *r, bool congruent)
{
	size_t i;

	do
		i = rng_below(&r->e->x->prober->rng, r->seen.offsets);
	while (r->congruent[i] != congruent);
	return i;
}

static struct turn deal_turn(struct rates *r)
{
	struct turn t = { .count = EVSET_RATE_TURN };

	for (size_t i = 0; i < t.count; i++) {
		t.distance[i] = draw_distance(r, i % NEGATIVE_EACH);
		t.positive[i] = i % POSITIVE_EACH == 1;
	}
	return t;
}

static int ask_in_turn(struct rates *r, struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < r->seen.count; k++) {
		struct turn t = deal_turn(r);

		if (!rates_is_next(r, k))
			continue;
		error = rates_ask_turn(r, k, &t, f);
		for (size_t i = 0;
		     !error && t.controls == OUTCOME_DECIDED && i < t.count;
		     i++)
			rates_count_group(t.positive[i] ? &r->seen.positive :
					  i % NEGATIVE_EACH ? &r->seen.of[k] :
							      &r->seen.negative,
					  t.verdict[i]);
	}
	return error;
}

static int measure(struct rates *r, struct evset_count *c, struct failure *f)
{
	double low = 0, high = INFINITY, wrong;
	bool similar = true;
	int error = 0;

	while (!error && similar && !c->sets && rates_may_sample(r)) {
		wrong = budget_take(&r->e->x->prober->budget, EVSET_RATE_WRONG);
		if (!(wrong > 0))
			break;
		error = ask_in_turn(r, f);
		similar = evset_rate_bounds(&r->seen, wrong, &low, &high);
		c->sets = !error && similar ? evset_rate_number(low, high) : 0;
	}
	if (!similar)
		snprintf(
			c->reason, sizeof(c->reason),
			"random lines are more often of some sets than of others, or too many verdicts on controls are wrong");
	else if (isinf(high))
		snprintf(
			c->reason, sizeof(c->reason),
			"too few groups of random lines are decided, or too many verdicts on controls are wrong");
	else if (!c->sets)
		snprintf(
			c->reason, sizeof(c->reason),
			"random lines are of one set as often as if there were %.0f to %.0f sets",
			low, high);
	return error;
}

/* Do bits of a page of the host lead to the same sets again? */
static bool is_folded(const struct rates *r)
{
	for (size_t i = 1;
	     i < r->seen.offsets && i * r->line_bytes < HOST_PAGES_BYTES; i++)
		if (r->congruent[i])
			return true;
	return false;
}

/* Random pages may contradict the number; a disturbed moment contradicts any.
 */
static int confirm(struct rates *r, struct evset_count *c, struct failure *f)
{
	struct evset_machine *e = r->e;
	struct machine *m = e->x->prober->m;
	enum outcome outcome = OUTCOME_OPEN;
	int error = 0;

	for (int i = 0;
	     !error && outcome != OUTCOME_DECIDED && i < CONFIRM_TRIES; i++) {
		if (i)
			m->ops->pause(m, i * CONFIRM_PAUSE_MS);
		error = evset_occupancy(e, c->sets, r->each[0].moved.count - 1,
					r->line_bytes, &outcome, f);
	}
	if (!error && outcome != OUTCOME_DECIDED)
		snprintf(
			c->reason, sizeof(c->reason),
			"%llu sets by the congruence rate of random lines, but random pages contradict that number",
			(unsigned long long)c->sets);
	if (error || outcome != OUTCOME_DECIDED)
		c->sets = 0;
	return error;
}

/* If all offsets have lines, there is no negative control. */
static void say_unknown(struct evset_count *c)
{
	snprintf(
		c->reason, sizeof(c->reason), "%s",
		c->all_offsets ?
			"sets have lines at all offsets in pages, so that no group of lines is a negative control" :
			"offsets in pages are undecided by the congruence rate of their lines");
}

static int find_sets(struct rates *r, struct evset_count *c, struct failure *f)
{
	enum outcome outcome;
	int error = rates_find_distances(r, &outcome, f);

	c->all_offsets = outcome == OUTCOME_DECIDED &&
			 r->seen.congruent == r->seen.offsets;
	if (!error && (outcome != OUTCOME_DECIDED || c->all_offsets)) {
		say_unknown(c);
		return 0;
	}
	if (!error)
		error = measure(r, c, f);
	if (!error && c->sets)
		error = confirm(r, c, f);
	return error;
}

int evset_rate_sets(struct evset_machine *e, struct evset_count *c,
		    bool *folded, struct failure *f)
{
	struct rates r = { .e = e, .line_bytes = c->line_bytes };
	int error;

	c->sets = 0;
	*folded = false;
	r.seen.offsets = e->window.low_bytes / c->line_bytes;
	r.seen.places = (double)(e->window.bytes / e->window.low_bytes);
	if (!r.seen.offsets || r.seen.offsets > EVSET_RATE_OFFSETS)
		return 0;
	if (c->all_offsets) {
		say_unknown(c);
		return 0;
	}
	prober_progress(e->x->prober, "L%zu: how many lines a set has",
			e->x->upper_count + 1);
	error = begin_sets(&r, c, f);
	if (!error && r.seen.count < EVSET_RATE_LEAST_SETS)
		snprintf(
			c->reason, sizeof(c->reason),
			"only %zu of %zu sets miss clearly more with one line more",
			r.seen.count, c->agreed_count);
	if (error || r.seen.count < EVSET_RATE_LEAST_SETS)
		return error;
	error = find_sets(&r, c, f);
	*folded = c->sets && is_folded(&r);
	if (!error && c->sets)
		error = evset_rate_masks(e, r.each, r.seen.count, c->line_bytes,
					 &c->page_masks, f);
	return error;
}
