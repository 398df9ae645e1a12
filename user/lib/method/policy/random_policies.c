// SPDX-License-Identifier: GPL-2.0
/* random_policies.c - compare random policies with measured means. */
#include "method/policy/random_policies.h"
#include "method/policy/tuning.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A contradiction that no better simulation removes. */
#define SURELY 4
/* Cycles that may be misjudged: one, and one more in this many. */
#define SPARED_ONE_IN 12
/* Most rounds of a simulation, and the factor of each step. */
#define MOST_ROUNDS (16 * MEAN_LEAST_ROUNDS)
#define MORE_ROUNDS 4
/*
 * A simulation is good enough if its error is this share of the answers' error.
 */
#define SIGMAS 5
/*
 * Squared deviations of short simulations: sum that distinguishes a pair for
 * good, limit per cycle, and what chance makes of one.
 */
#define APART 80.0
#define APART_ONCE 16.0
#define CHANCE 4.0

static int simulate(const struct random_search *d, struct candidate *c,
		    size_t cycle, unsigned int rounds)
{
	const struct policy_catalogue *b = d->search->catalogue;

	if (c->rounds[cycle] >= rounds)
		return 0;
	c->rounds[cycle] = rounds;
	return hypothesis_mean(&c->hypothesis, b->known.ways, &d->pool, cycle,
			       rounds, b->seed + rounds, &c->means_of[cycle]);
}

static double deviation(const struct candidate *c,
			const struct cycle_mean *mean, size_t cycle)
{
	const struct mean_misses *a = &c->means_of[cycle];

	return mean_deviation(fmax(mean->low - a->high, a->low - mean->high),
			      mean->error, mean->freedom, a->error, a->freedom);
}

static double square(const struct random_search *d, const struct candidate *c,
		     size_t at)
{
	struct cycle_mean mean;
	double off;

	cycle_means_of(&d->means, at, &mean);
	off = deviation(c, &mean, d->means.cycles[at].number);
	return off * off;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/*
 * A simulation may miss a state that a set seldom leaves: the cycles that
 * contradict a candidate most are not counted. Return: above 1: it does not
 * explain the others.
 */
static double contradiction(const struct random_search *d, struct candidate *c)
{
	double squares[CYCLE_MEANS_MOST] = { 0 }, most = 0, rest = 0;
	size_t count = d->means.count, spared = 1 + count / SPARED_ONE_IN;

	for (size_t i = 0; i < count; i++)
		squares[i] = square(d, c, i);
	qsort(squares, count, sizeof(*squares), by_size);
	for (size_t i = 0; i < count; i++)
		*(i + spared < count ? &most : &rest) += squares[i];
	c->strain = (most + rest) / mean_most_squares(count);
	return most / mean_most_squares(count - spared);
}

/*
 * The simulated mean is so far within the measured range that a better
 * simulation stays there.
 */
static bool is_within(const struct cycle_mean *mean,
		      const struct mean_misses *a)
{
	double room = SIGMAS * a->error;

	return a->low - room >= mean->low && a->high + room <= mean->high;
}

/* Simulate longer where the simulation is not good enough. */
static int refine(const struct random_search *d, struct candidate *c,
		  bool *refined)
{
	*refined = false;
	for (size_t i = 0; i < d->means.count; i++) {
		size_t circle = d->means.cycles[i].number;
		const struct mean_misses *a = &c->means_of[circle];
		unsigned int rounds = MORE_ROUNDS * c->rounds[circle];
		struct cycle_mean mean;
		int error;

		cycle_means_of(&d->means, i, &mean);
		if (rounds > MOST_ROUNDS || is_within(&mean, a) ||
		    (a->error < GOOD_ENOUGH * mean.error &&
		     !mean_misses_is_vague(a) &&
		     c->rounds[circle] > MEAN_LEAST_ROUNDS))
			continue;
		error = simulate(d, c, circle, rounds);
		if (error)
			return error;
		*refined = true;
	}
	return 0;
}

/*
 * Contradictions are checked with better simulations, before a candidate is
 * dropped.
 */
static int explains_all(const struct random_search *d, struct candidate *c)
{
	bool refined = true, before = false;
	int error = 0;

	for (size_t i = 0; !error && i < d->means.count; i++)
		error = simulate(d, c, d->means.cycles[i].number,
				 MEAN_LEAST_ROUNDS);
	while (!error && refined) {
		double against = contradiction(d, c);

		if (against > SURELY || (against > 1 && before))
			return 0;
		before = against > 1;
		error = refine(d, c, &refined);
	}
	return error ? error : contradiction(d, c) <= 1;
}

int random_search_sift(struct random_search *d)
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
	const struct mean_misses *a = &one->means_of[circle];
	const struct mean_misses *b = &other->means_of[circle];
	double off = fmax(a->low - b->high, b->low - a->high);

	if (off <= 0 || !one->rounds[circle] || !other->rounds[circle])
		return 0;
	off *= off / (a->error * a->error + b->error * b->error);
	return fmin(fmax(off - CHANCE, 0), APART_ONCE);
}

/* Of very many candidates every step-th one is compared. */
static size_t step_of(const struct random_search *d)
{
	return d->count > 4 * RANDOM_SEARCH_FEW ? d->count / RANDOM_SEARCH_FEW :
						  1;
}

/* How well a cycle distinguishes candidates that measured cycles do not. */
static double discrimination(const struct random_search *d, size_t circle)
{
	size_t step = step_of(d);
	double sum = 0;

	for (size_t i = 0; i < d->count; i += step)
		for (size_t j = 0; j < i; j += step) {
			const struct candidate *a = &d->all[i], *b = &d->all[j];
			double had = 0;

			/* Decoys need not be distinguished. */
			if (a->decoy && b->decoy)
				continue;
			for (size_t k = 0; k < d->means.count && had < APART;
			     k++)
				had += gain(a, b, d->means.cycles[k].number);
			sum += fmin(fmax(APART - had, 0), gain(a, b, circle));
		}
	return sum;
}

static bool is_asked(const struct random_search *d, size_t circle)
{
	for (size_t i = 0; i < d->means.count; i++)
		if (d->means.cycles[i].number == circle)
			return true;
	return false;
}

/* Few candidates are similar: they are simulated longer. */
static int simulate_some(const struct random_search *d, size_t circle)
{
	size_t step = step_of(d);
	unsigned int rounds = MEAN_LEAST_ROUNDS;
	int error = 0;

	if (d->count <= RANDOM_SEARCH_FEW)
		rounds *= MORE_ROUNDS;
	for (size_t i = 0; !error && d->count > 1 && i < d->count; i += step)
		error = simulate(d, &d->all[i], circle, rounds);
	return error;
}

static void add(struct random_search *d, size_t circle)
{
	struct cycle_samples *c = &d->means.cycles[d->means.count++];

	c->number = circle;
	c->cycle = &d->pool.cycles[circle];
	c->count = 0;
}

static void add_best(struct random_search *d, size_t first, size_t end)
{
	size_t best = d->pool.count;
	double most = -1;

	for (size_t i = first; i < end; i++) {
		double told = is_asked(d, i) ? -1 : discrimination(d, i);

		if (told <= most)
			continue;
		most = told;
		best = i;
	}
	if (best < d->pool.count)
		add(d, best);
}

int random_search_choose(struct random_search *d, size_t count)
{
	size_t first = d->looked_at % d->pool.count;
	size_t end = first + LOOKED_AT;

	if (end > d->pool.count)
		end = d->pool.count;
	d->looked_at = end;
	for (size_t i = first; i < end; i++) {
		int error = simulate_some(d, i);

		if (error)
			return error;
	}
	for (size_t i = 0; i < count && d->means.count < CYCLE_MEANS_MOST; i++)
		add_best(d, first, end);
	return 0;
}
