// SPDX-License-Identifier: GPL-2.0
/* random_policies.c - random policies against averages. */
#include "method/policy/random_policies.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Contradictions that no better simulation removes. */
#define SURELY 4
/* Circles that may be misjudged: one, and one more in this many. */
#define SPARED_ONE_IN 12
/* Rounds simulated at most, and times as many in each step. */
#define MOST_ROUNDS (16 * AVERAGE_LEAST_ROUNDS)
#define MORE_ROUNDS 4
/* A simulation that is so much better than the answers is good enough. */
#define GOOD_ENOUGH 0.5
#define SIGMAS 5
/* Squared deviations, of short simulations, that tell a pair apart for good; of
 * one circle at most; and such as chance makes.
 */
#define APART 80.0
#define APART_ONCE 16.0
#define CHANCE 4.0
/* Circles that are looked at, one after the other, in each choice. */
#define LOOKED_AT 64

static int simulate(const struct dice *d, struct candidate *c, size_t cycle,
		    unsigned int rounds)
{
	const struct policy_book *b = d->search->book;

	if (c->rounds[cycle] >= rounds)
		return 0;
	c->rounds[cycle] = rounds;
	return zoo_average(&c->hypothesis, b->zoo.ways, &d->circles, cycle,
			   rounds, b->seed + rounds, &c->averages[cycle]);
}

static double deviation(const struct candidate *c,
			const struct panel_mean *mean, size_t cycle)
{
	const struct average *a = &c->averages[cycle];

	return average_deviation(fmax(mean->low - a->high, a->low - mean->high),
				 mean->error, mean->freedom, a->error,
				 a->freedom);
}

static double square(const struct dice *d, const struct candidate *c, size_t at)
{
	struct panel_mean mean;
	double off;

	panel_mean(&d->panel, at, &mean);
	off = deviation(c, &mean, d->panel.cycles[at].number);
	return off * off;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/*
 * Where a set seldom leaves what it has come to, a simulation may have missed
 * it: the circles that speak most against a candidate do not count. Return: more
 * than 1: it does not explain the others.
 */
static double contradiction(const struct dice *d, struct candidate *c)
{
	double squares[PANEL_CYCLES] = { 0 }, most = 0, rest = 0;
	size_t count = d->panel.count, spared = 1 + count / SPARED_ONE_IN;

	for (size_t i = 0; i < count; i++)
		squares[i] = square(d, c, i);
	qsort(squares, count, sizeof(*squares), by_size);
	for (size_t i = 0; i < count; i++)
		*(i + spared < count ? &most : &rest) += squares[i];
	c->strain = (most + rest) / average_most_squares(count);
	return most / average_most_squares(count - spared);
}

/* So well within what was answered that no better simulation brings it out. */
static bool is_within(const struct panel_mean *mean, const struct average *a)
{
	double room = SIGMAS * a->error;

	return a->low - room >= mean->low && a->high + room <= mean->high;
}

/* Simulations that are not good enough yet are made so. */
static int refine(const struct dice *d, struct candidate *c, bool *refined)
{
	*refined = false;
	for (size_t i = 0; i < d->panel.count; i++) {
		size_t circle = d->panel.cycles[i].number;
		const struct average *a = &c->averages[circle];
		unsigned int rounds = MORE_ROUNDS * c->rounds[circle];
		struct panel_mean mean;
		int error;

		panel_mean(&d->panel, i, &mean);
		if (rounds > MOST_ROUNDS || is_within(&mean, a) ||
		    (a->error < GOOD_ENOUGH * mean.error &&
		     !average_is_vague(a) &&
		     c->rounds[circle] > AVERAGE_LEAST_ROUNDS))
			continue;
		error = simulate(d, c, circle, rounds);
		if (error)
			return error;
		*refined = true;
	}
	return 0;
}

/* Once more with better ones, before one is struck out. */
static int explains_all(const struct dice *d, struct candidate *c)
{
	bool refined = true, before = false;
	int error = 0;

	for (size_t i = 0; !error && i < d->panel.count; i++)
		error = simulate(d, c, d->panel.cycles[i].number,
				 AVERAGE_LEAST_ROUNDS);
	while (!error && refined) {
		double against = contradiction(d, c);

		if (against > SURELY || (against > 1 && before))
			return 0;
		before = against > 1;
		error = refine(d, c, &refined);
	}
	return error ? error : contradiction(d, c) <= 1;
}

int dice_sift(struct dice *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < d->count; i++) {
		int explained = explains_all(d, &d->all[i]);

		if (explained < 0)
			return explained;
		if (!explained)
			continue;
		if (kept != i)
			d->all[kept] = d->all[i];
		kept++;
	}
	d->count = kept;
	return 0;
}

static double gain(const struct candidate *one, const struct candidate *other,
		   size_t circle)
{
	const struct average *a = &one->averages[circle];
	const struct average *b = &other->averages[circle];
	double off = fmax(a->low - b->high, b->low - a->high);

	if (off <= 0 || !one->rounds[circle] || !other->rounds[circle])
		return 0;
	off *= off / (a->error * a->error + b->error * b->error);
	return fmin(fmax(off - CHANCE, 0), APART_ONCE);
}

/* Of very many candidates any circle tells most apart: some stand for all. */
static size_t step_of(const struct dice *d)
{
	return d->count > 4 * DICE_FEW ? d->count / DICE_FEW : 1;
}

/* How well a circle, on top of the panel, tells them apart. */
static double telling(const struct dice *d, size_t circle)
{
	size_t step = step_of(d);
	double sum = 0;

	for (size_t i = 0; i < d->count; i += step)
		for (size_t j = 0; j < i; j += step) {
			const struct candidate *a = &d->all[i], *b = &d->all[j];
			double had = 0;

			/* Shadows need not be told from each other. */
			if (a->shadow && b->shadow)
				continue;
			for (size_t k = 0; k < d->panel.count && had < APART;
			     k++)
				had += gain(a, b, d->panel.cycles[k].number);
			sum += fmin(fmax(APART - had, 0), gain(a, b, circle));
		}
	return sum;
}

static bool is_asked(const struct dice *d, size_t circle)
{
	for (size_t i = 0; i < d->panel.count; i++)
		if (d->panel.cycles[i].number == circle)
			return true;
	return false;
}

/* Of few, which are much alike, longer. */
static int simulate_some(const struct dice *d, size_t circle)
{
	size_t step = step_of(d);
	unsigned int rounds = AVERAGE_LEAST_ROUNDS;
	int error = 0;

	if (d->count <= DICE_FEW)
		rounds *= MORE_ROUNDS;
	for (size_t i = 0; !error && d->count > 1 && i < d->count; i += step)
		error = simulate(d, &d->all[i], circle, rounds);
	return error;
}

static void add(struct dice *d, size_t circle)
{
	struct panel_cycle *c = &d->panel.cycles[d->panel.count++];

	c->number = circle;
	c->cycle = &d->circles.cycles[circle];
	c->count = 0;
}

static void add_best(struct dice *d, size_t first, size_t end)
{
	size_t best = d->circles.count;
	double most = -1;

	for (size_t i = first; i < end; i++) {
		double told = is_asked(d, i) ? -1 : telling(d, i);

		if (told <= most)
			continue;
		most = told;
		best = i;
	}
	if (best < d->circles.count)
		add(d, best);
}

int dice_choose(struct dice *d, size_t count)
{
	size_t first = d->looked_at % d->circles.count;
	size_t end = first + LOOKED_AT;

	if (end > d->circles.count)
		end = d->circles.count;
	d->looked_at = end;
	for (size_t i = first; i < end; i++) {
		int error = simulate_some(d, i);

		if (error)
			return error;
	}
	for (size_t i = 0; i < count && d->panel.count < PANEL_CYCLES; i++)
		add_best(d, first, end);
	return 0;
}
