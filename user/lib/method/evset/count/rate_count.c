// SPDX-License-Identifier: GPL-2.0
/* rate_count.c - what part of all lines is of one set? */
#include "method/evset/count/rate_count.h"

#include <math.h>
#include <stdio.h>

#include "method/evset/count/congruence_rate.h"
#include "method/evset/count/occupancy.h"
#include "method/level/host_pages.h"

/* Lines of a page. */
#define MOST_OFFSETS 256
/* Groups of a set in a row, between two looks at whether it is told right. */
#define TURN 24
/* Groups in a row that told nothing, before it is looked at in between. */
#define UNCLEAR_MOST 2
#define OWN_GROUPS 48
#define OWN_TRIES 8
/* Who uses a set is let have it for some rounds, more each time: two to the power of
 * the number of failures, up to this one.
 */
#define MOST_FAILURES 5
/* A place has lines of the set, as many as its own one has, or an eighth of that at
 * most, by error: Wald's sequential test; one in 500, of places that are a space of
 * bits, or else are asked on until one in 250,000 is told wrong.
 */
#define STRANGE_PART 8
#define CERTAINLY 6.2
#define MOST_CERTAINLY (2 * CERTAINLY)
/* In turns that say how many lines there are, every so many groups are of a place
 * that has none, or have a line for sure.
 */
#define STRANGE_EACH 8
#define PLANTED_EACH 8
#define CONFIRM_TRIES 12
#define CONFIRM_APART_MS 50
/* Of all sets; a look takes 40 microseconds on a Zen 3. */
#define MOST_LOOKS 400000

/**
 * struct rates - sets being asked
 * @e: the level
 * @seen: what came of it
 * @each: of each set
 * @failures: turns in a row of each set that were not told right
 * @rests: rounds for which it is not asked
 * @line_bytes: line size
 * @meets: distances in a page at which sets have lines, too
 * @likely: of each distance, by how much that is more likely than not: logarithm
 * @certainly: what is enough of that
 */
struct rates {
	struct evset_machine *e;
	struct evset_rates_seen seen;
	struct evset_rate each[EVSET_RATES_SETS];
	unsigned int failures[EVSET_RATES_SETS];
	unsigned int rests[EVSET_RATES_SETS];
	uint64_t line_bytes;
	bool meets[MOST_OFFSETS];
	double likely[MOST_OFFSETS];
	double certainly;
};

/**
 * struct turn - groups held against one set in a row
 * @distance: of each, or of one that is planted
 * @planted: a line of the set is walked beside it
 * @verdict: (out)
 * @count: of them
 * @right: (out) before and after them the set told what is known
 */
struct turn {
	size_t distance[TURN];
	bool planted[TURN];
	enum verdict verdict[TURN];
	size_t count;
	bool right;
};

static void count_group(struct evset_tally *t, enum verdict verdict)
{
	t->unclear += verdict == VERDICT_UNDECIDED;
	t->groups += verdict != VERDICT_UNDECIDED;
	t->meeting += verdict == VERDICT_NON_COMPACT;
}

static int begin_sets(struct rates *r, struct failure *f)
{
	size_t group = 0;
	int error = 0;

	for (size_t i = 0; !error && i < r->e->agreed_count &&
			   r->seen.count < EVSET_RATES_SETS;
	     i++) {
		struct evset_rate *each = &r->each[r->seen.count];
		bool clear = false;

		error = evset_rate_begin(each, r->e, &r->e->agreed[i], group,
					 &clear, f);
		if (error || !clear)
			continue;
		group = each->group;
		r->seen.of[r->seen.count++].lines = group;
	}
	return error;
}

/* Nothing is drawn for an answer: those to groups that are known say how often one is
 * wrong, which is taken off, and the bounds on the number draw what they may err.
 */
static int ask_group(struct evset_rate *s, uint64_t by, bool planted,
		     enum verdict *verdict, struct failure *f)
{
	uint64_t lines[EVSET_RATE_GROUP];

	if (planted)
		return evset_rate_ask(s, s->beside, s->beside_count, true,
				      verdict, f);
	evset_rate_draw(s, by, lines);
	return evset_rate_ask(s, lines, s->group, false, verdict, f);
}

/* Who comes to use the set in the middle of a turn is not waited for with each group
 * that is left.
 */
static int ask_groups(struct evset_rate *s, uint64_t line_bytes, struct turn *t,
		      struct failure *f)
{
	size_t unclear = 0;
	int error = 0;

	for (size_t i = 0; !error && t->right && i < t->count; i++) {
		error = ask_group(s, t->distance[i] * line_bytes, t->planted[i],
				  &t->verdict[i], f);
		unclear = t->verdict[i] == VERDICT_UNDECIDED ? unclear + 1 : 0;
		if (error || unclear < UNCLEAR_MOST)
			continue;
		error = evset_rate_check(s, &t->right, f);
		unclear = 0;
	}
	return error;
}

static int ask_turn(struct rates *r, size_t k, struct turn *t,
		    struct failure *f)
{
	struct evset_rate *s = &r->each[k];
	int error = evset_rate_check(s, &t->right, f);

	if (!error)
		error = ask_groups(s, r->line_bytes, t, f);
	if (!error && t->right)
		error = evset_rate_check(s, &t->right, f);
	if (t->right)
		r->failures[k] = 0;
	else if (r->failures[k] < MOST_FAILURES)
		r->failures[k]++;
	r->rests[k] = t->right ? 0 : 1U << r->failures[k];
	return error;
}

static bool may_ask(const struct rates *r)
{
	uint64_t looks = 0;

	for (size_t k = 0; k < r->seen.count; k++)
		looks += r->each[k].looks;
	return looks < MOST_LOOKS;
}

/* Is it a set's turn, in this round? */
static bool is_next(struct rates *r, size_t k)
{
	if (r->rests[k])
		return !--r->rests[k];
	return true;
}

/* What part of groups meets a set at its own place; 0: somebody uses it. */
static int find_own(struct rates *r, size_t k, double *own, struct failure *f)
{
	struct evset_tally all = { .groups = 0 };
	int error = 0;

	for (int i = 0; !error && i < OWN_TRIES && all.groups < OWN_GROUPS;
	     i++) {
		struct turn t = { .count = TURN };

		error = ask_turn(r, k, &t, f);
		for (size_t j = 0; !error && t.right && j < TURN; j++)
			count_group(&all, t.verdict[j]);
	}
	/* Clear of 1. */
	*own = all.groups < OWN_GROUPS ?
		       0 :
		       (double)all.meeting / (double)(all.groups + 1);
	return error;
}

/* The next distances after @from that are not told yet, in a circle. */
static size_t choose_open(const struct rates *r, size_t from, struct turn *t)
{
	for (size_t i = 1; t->count < TURN && i <= r->seen.offsets; i++) {
		size_t at = (from + i) % r->seen.offsets;

		if (at && fabs(r->likely[at]) < r->certainly)
			t->distance[t->count++] = at;
	}
	return t->count ? t->distance[t->count - 1] : 0;
}

/* A turn's groups, of which a part of @own meets the set at places that have its
 * lines.
 */
static void weigh(struct rates *r, const struct turn *t, double own)
{
	const double strange = own / STRANGE_PART;

	for (size_t i = 0; i < t->count; i++) {
		double *likely = &r->likely[t->distance[i]];

		if (t->verdict[i] == VERDICT_NON_COMPACT)
			*likely += log(own / strange);
		else if (t->verdict[i] == VERDICT_COMPACT)
			*likely += log((1 - own) / (1 - strange));
	}
}

/* Whatever two distances are of them, their sum is. */
static bool is_space(const struct rates *r)
{
	for (size_t i = 0; i < r->seen.offsets; i++)
		for (size_t j = 0; j < i; j++)
			if (r->meets[i] && r->meets[j] && !r->meets[i ^ j])
				return false;
	return true;
}

/* A round of all sets that are told; *open: distances are left. */
static int ask_distances(struct rates *r, const double *own, size_t *from,
			 bool *open, struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && *open && k < r->seen.count; k++) {
		struct turn t = { .count = 0 };

		if (own[k] <= 0 || !is_next(r, k))
			continue;
		*from = choose_open(r, *from, &t);
		*open = t.count;
		if (*open)
			error = ask_turn(r, k, &t, f);
		if (!error && *open && t.right)
			weigh(r, &t, own[k]);
	}
	return error;
}

/* *told: all of them, by as much as is enough. */
static int tell_distances(struct rates *r, const double *own, bool *told,
			  struct failure *f)
{
	bool open = true;
	size_t from = 0;
	int error = 0;

	while (!error && open && may_ask(r))
		error = ask_distances(r, own, &from, &open, f);
	r->likely[0] = INFINITY;
	r->seen.meeting = 0;
	for (size_t i = 0; i < r->seen.offsets; i++) {
		r->meets[i] = r->likely[i] >= r->certainly;
		r->seen.meeting += r->meets[i];
	}
	*told = !error && !open &&
		budget_draw(&r->e->x->prober->budget,
			    (double)(r->seen.offsets - 1) * exp(-r->certainly));
	return error;
}

static int find_distances(struct rates *r, bool *known, struct failure *f)
{
	double own[EVSET_RATES_SETS], any = 0;
	bool told, space = false;
	int error = 0;

	for (size_t k = 0; !error && k < r->seen.count; k++) {
		error = find_own(r, k, &own[k], f);
		any = fmax(any, own[k]);
	}
	told = !error && any > 0;
	for (r->certainly = CERTAINLY;
	     told && !space && r->certainly <= MOST_CERTAINLY;
	     r->certainly *= 2) {
		error = tell_distances(r, own, &told, f);
		told = told && !error;
		space = is_space(r);
	}
	r->e->all_meet = told && r->seen.meeting == r->seen.offsets;
	*known = told && space && !r->e->all_meet;
	return error;
}

/* Any distance that has lines of the set, or one that has none: there is one. */
static size_t draw_distance(struct rates *r, bool meeting)
{
	size_t i;

	do
		i = rng_below(&r->e->x->prober->rng, r->seen.offsets);
	while (r->meets[i] != meeting);
	return i;
}

static struct turn deal_turn(struct rates *r)
{
	struct turn t = { .count = TURN };

	for (size_t i = 0; i < TURN; i++) {
		t.distance[i] = draw_distance(r, i % STRANGE_EACH);
		t.planted[i] = i % PLANTED_EACH == 1;
	}
	return t;
}

static int ask_in_turn(struct rates *r, struct failure *f)
{
	int error = 0;

	for (size_t k = 0; !error && k < r->seen.count; k++) {
		struct turn t = deal_turn(r);

		if (!is_next(r, k))
			continue;
		error = ask_turn(r, k, &t, f);
		for (size_t i = 0; !error && t.right && i < TURN; i++)
			count_group(t.planted[i]     ? &r->seen.planted :
				    i % STRANGE_EACH ? &r->seen.of[k] :
						       &r->seen.strange,
				    t.verdict[i]);
	}
	return error;
}

static int measure(struct rates *r, uint64_t *number, char *reason, size_t size,
		   struct failure *f)
{
	double low = 0, high = INFINITY;
	bool alike = true;
	int error = 0;

	/* Each look at what there is so far may be wrong. */
	while (!error && alike && !*number && may_ask(r) &&
	       budget_draw(&r->e->x->prober->budget, EVSET_RATES_WRONG)) {
		error = ask_in_turn(r, f);
		alike = evset_rates_between(&r->seen, &low, &high);
		*number = !error && alike ? evset_rates_number(low, high) : 0;
	}
	if (!alike)
		snprintf(
			reason, size,
			"random lines are more often of some sets than others, or groups that are known are told wrong");
	else if (isinf(high))
		snprintf(
			reason, size,
			"too few groups of random lines are clear, or too many that are known are told wrong");
	else if (!*number)
		snprintf(
			reason, size,
			"random lines are of a set as if there were %.0f to %.0f",
			low, high);
	return error;
}

/* Bits of a page of the host that lead to the same sets again. */
static bool is_folded(const struct rates *r)
{
	for (size_t i = 1;
	     i < r->seen.offsets && i * r->line_bytes < PIECES_BYTES; i++)
		if (r->meets[i])
			return true;
	return false;
}

/* What memory as it comes says of that number; a disturbed moment denies any. */
static int confirm(struct rates *r, uint64_t *number, char *reason, size_t size,
		   struct failure *f)
{
	struct evset_machine *e = r->e;
	struct machine *m = e->x->prober->m;
	bool denied = true;
	int error = 0;

	for (int i = 0; !error && denied && i < CONFIRM_TRIES; i++) {
		if (i)
			m->ops->pause(m, i * CONFIRM_APART_MS);
		error = evset_chance(e, *number, r->each[0].moved.count - 1,
				     r->line_bytes, &denied, f);
	}
	if (!error && denied)
		snprintf(
			reason, size,
			"%llu sets by how often random lines are of them, but random pages fill others than so many",
			(unsigned long long)*number);
	if (error || denied)
		*number = 0;
	return error;
}

/* Where all have lines, nothing says how often a group is told wrong. */
static void say_unknown(const struct evset_machine *e, char *reason,
			size_t size)
{
	snprintf(
		reason, size, "%s",
		e->all_meet ?
			"sets have lines at all offsets in pages, so that nothing tells how often one is told wrong" :
			"offsets in pages are not told apart by what meets");
}

static int find_sets(struct rates *r, uint64_t *number, char *reason,
		     size_t size, struct failure *f)
{
	bool known = false;
	int error = find_distances(r, &known, f);

	if (!error && !known)
		say_unknown(r->e, reason, size);
	if (!error && known)
		error = measure(r, number, reason, size, f);
	if (!error && *number)
		error = confirm(r, number, reason, size, f);
	return error;
}

int evset_rates_sets(struct evset_machine *e, uint64_t line_bytes,
		     uint64_t *number, bool *folded, char *reason, size_t size,
		     struct failure *f)
{
	struct rates r = { .e = e, .line_bytes = line_bytes };
	int error;

	*number = 0;
	*folded = false;
	r.seen.offsets = e->low_bytes / line_bytes;
	r.seen.places = (double)(e->window_bytes / e->low_bytes);
	if (!r.seen.offsets || r.seen.offsets > MOST_OFFSETS)
		return 0;
	if (e->all_meet) {
		say_unknown(e, reason, size);
		return 0;
	}
	prober_progress(e->x->prober, "L%zu: how many lines a set has",
			e->x->upper_count + 1);
	error = begin_sets(&r, f);
	if (!error && r.seen.count < EVSET_RATES_LEAST)
		snprintf(
			reason, size,
			"only %zu of %zu sets look different when one line more is walked",
			r.seen.count, e->agreed_count);
	if (error || r.seen.count < EVSET_RATES_LEAST)
		return error;
	error = find_sets(&r, number, reason, size, f);
	*folded = *number && is_folded(&r);
	if (!error && *number)
		error = evset_rates_masks(e, r.each, r.seen.count, line_bytes,
					  f);
	return error;
}
