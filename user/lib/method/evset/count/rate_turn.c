// SPDX-License-Identifier: GPL-2.0
/* rate_turn.c - turns of the sets that groups of random lines are held against.
 */
#include "method/evset/count/rate_turn.h"

#include <math.h>

/* Undecided groups in a row, before the controls of a set are checked in
 * between.
 */
#define UNCLEAR_MOST 2
/* A contended set rests for two to the power of its failures in a row, of at
 * most this number.
 */
#define MOST_FAILURES 5
/* Samples of all sets; one takes 40 microseconds on a Zen 3. */
#define MOST_SAMPLES 400000
/* Groups at a set's own place, and turns for them. */
#define OWN_GROUPS 48
#define OWN_TRIES 8
/* At a distance a set has as many lines as at its own place, or at most an
 * eighth of that, by error. Wald's sequential test, of one in a million for a
 * distance; if the distances are no space of bits, the test goes on until the
 * square of that.
 */
#define ABSENT_PART 8
#define DISTANCE_ALPHA 1e-6
#define SQUARES 2

void rates_count_group(struct evset_tally *t, enum verdict verdict)
{
	t->unclear += verdict == VERDICT_UNDECIDED;
	t->groups += verdict != VERDICT_UNDECIDED;
	t->congruent += verdict == VERDICT_NON_COMPACT;
}

bool rates_may_sample(const struct rates *r)
{
	uint64_t samples = 0;

	for (size_t k = 0; k < r->seen.count; k++)
		samples += r->each[k].samples;
	return samples < MOST_SAMPLES;
}

bool rates_is_next(struct rates *r, size_t k)
{
	if (r->rests[k])
		return !--r->rests[k];
	return true;
}

/* A verdict draws no error: verdicts on controls say how often one is wrong,
 * which is subtracted, and the bounds on the number of sets draw what they may
 * err.
 */
static int ask_group(struct evset_rate *s, uint64_t by, bool positive,
		     enum verdict *verdict, struct failure *f)
{
	uint64_t lines[EVSET_RATE_GROUP];

	if (positive)
		return evset_rate_ask(s, s->control, s->control_count, true,
				      verdict, f);
	evset_rate_draw(s, by, lines);
	return evset_rate_ask(s, lines, s->group, false, verdict, f);
}

/* A neighbour that begins to use the set in the middle of a turn ends the turn.
 */
static int ask_groups(struct evset_rate *s, uint64_t line_bytes, struct turn *t,
		      struct failure *f)
{
	size_t unclear = 0;
	int error = 0;

	for (size_t i = 0;
	     !error && t->controls == OUTCOME_DECIDED && i < t->count; i++) {
		error = ask_group(s, t->distance[i] * line_bytes,
				  t->positive[i], &t->verdict[i], f);
		unclear = t->verdict[i] == VERDICT_UNDECIDED ? unclear + 1 : 0;
		if (error || unclear < UNCLEAR_MOST)
			continue;
		error = evset_rate_check(s, &t->controls, f);
		unclear = 0;
	}
	return error;
}

int rates_ask_turn(struct rates *r, size_t k, struct turn *t, struct failure *f)
{
	struct evset_rate *s = &r->each[k];
	int error = evset_rate_check(s, &t->controls, f);

	if (!error)
		error = ask_groups(s, r->line_bytes, t, f);
	if (!error && t->controls == OUTCOME_DECIDED)
		error = evset_rate_check(s, &t->controls, f);
	if (t->controls == OUTCOME_DECIDED)
		r->failures[k] = 0;
	else if (r->failures[k] < MOST_FAILURES)
		r->failures[k]++;
	r->rests[k] = t->controls == OUTCOME_DECIDED ? 0 : 1U << r->failures[k];
	return error;
}

/**
 * struct distances - distances in a page, being decided
 * @r: the sets
 * @own: of each set, the part of groups at its own place that overflow it
 * @likely: by distance, the log-likelihood ratio of "sets have lines there"
 * @certainly: a distance is decided from this ratio on
 */
struct distances {
	struct rates *r;
	double own[EVSET_RATE_MOST_SETS];
	double likely[EVSET_RATE_OFFSETS];
	double certainly;
};

/* What part of groups overflows a set at its own place; 0: the set is
 * contended.
 */
static int find_own(struct rates *r, size_t k, double *own, struct failure *f)
{
	struct evset_tally all = { .groups = 0 };
	int error = 0;

	for (int i = 0; !error && i < OWN_TRIES && all.groups < OWN_GROUPS;
	     i++) {
		struct turn t = { .count = EVSET_RATE_TURN };

		error = rates_ask_turn(r, k, &t, f);
		for (size_t j = 0;
		     !error && t.controls == OUTCOME_DECIDED && j < t.count;
		     j++)
			rates_count_group(&all, t.verdict[j]);
	}
	/* Below 1, whose logarithm is none. */
	*own = all.groups < OWN_GROUPS ?
		       0 :
		       (double)all.congruent / (double)(all.groups + 1);
	return error;
}

/* The next undecided distances after @from, in a circle. */
static size_t choose_open(const struct distances *d, size_t from,
			  struct turn *t)
{
	const size_t all = d->r->seen.offsets;

	for (size_t i = 1; t->count < EVSET_RATE_TURN && i <= all; i++) {
		size_t at = (from + i) % all;

		if (at && fabs(d->likely[at]) < d->certainly)
			t->distance[t->count++] = at;
	}
	return t->count ? t->distance[t->count - 1] : 0;
}

/* The groups of a turn, a part of @own of which overflow the set at places that
 * have lines of it.
 */
static void weigh(struct distances *d, const struct turn *t, double own)
{
	const double negative = own / ABSENT_PART;

	for (size_t i = 0; i < t->count; i++) {
		double *likely = &d->likely[t->distance[i]];

		if (t->verdict[i] == VERDICT_NON_COMPACT)
			*likely += log(own / negative);
		else if (t->verdict[i] == VERDICT_COMPACT)
			*likely += log((1 - own) / (1 - negative));
	}
}

/* The XOR of two of the distances is one of them. */
static bool is_space(const struct rates *r)
{
	for (size_t i = 0; i < r->seen.offsets; i++)
		for (size_t j = 0; j < i; j++)
			if (r->congruent[i] && r->congruent[j] &&
			    !r->congruent[i ^ j])
				return false;
	return true;
}

/* A round of all uncontended sets; OUTCOME_OPEN: distances are undecided. */
static int ask_round(struct distances *d, size_t *from, enum outcome *outcome,
		     struct failure *f)
{
	int error = 0;

	for (size_t k = 0;
	     !error && *outcome == OUTCOME_OPEN && k < d->r->seen.count; k++) {
		struct turn t = { .count = 0 };

		if (d->own[k] <= 0 || !rates_is_next(d->r, k))
			continue;
		*from = choose_open(d, *from, &t);
		*outcome = outcome_if(!t.count, OUTCOME_OPEN);
		if (t.count)
			error = rates_ask_turn(d->r, k, &t, f);
		if (!error && t.count && t.controls == OUTCOME_DECIDED)
			weigh(d, &t, d->own[k]);
	}
	return error;
}

/* OUTCOME_DECIDED: each distance is. */
static int decide_distances(struct distances *d, enum outcome *outcome,
			    struct failure *f)
{
	struct rates *r = d->r;
	size_t from = 0;
	int error = 0;

	*outcome = OUTCOME_OPEN;
	while (!error && *outcome == OUTCOME_OPEN && isfinite(d->certainly) &&
	       rates_may_sample(r))
		error = ask_round(d, &from, outcome, f);
	d->likely[0] = INFINITY;
	r->seen.congruent = 0;
	for (size_t i = 0; i < r->seen.offsets; i++) {
		r->congruent[i] = d->likely[i] >= d->certainly;
		r->seen.congruent += r->congruent[i];
	}
	return error;
}

/* Each distance draws its error. Return: from which ratio on one is decided. */
static double draw_distances(struct rates *r, double most)
{
	double alpha = most;

	for (size_t i = 1; i < r->seen.offsets; i++)
		alpha = budget_take(&r->e->x->prober->budget, most);
	return -log(alpha);
}

int rates_find_distances(struct rates *r, enum outcome *outcome,
			 struct failure *f)
{
	struct distances d = { .r = r };
	bool space = false;
	double any = 0;
	int error = 0;

	for (size_t k = 0; !error && k < r->seen.count; k++) {
		error = find_own(r, k, &d.own[k], f);
		any = fmax(any, d.own[k]);
	}
	*outcome = outcome_if(any > 0, OUTCOME_OPEN);
	for (int i = 0;
	     !error && *outcome == OUTCOME_DECIDED && !space && i < SQUARES;
	     i++) {
		d.certainly = draw_distances(r, pow(DISTANCE_ALPHA, i + 1));
		error = decide_distances(&d, outcome, f);
		space = is_space(r);
	}
	if (!space)
		*outcome = OUTCOME_OPEN;
	return error;
}
