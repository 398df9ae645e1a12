// SPDX-License-Identifier: GPL-2.0
#include "method/policy/mean_misses.h"

#include <errno.h>
#include <math.h>

/* Number of sets that are simulated, and of batches of rounds of each. */
#define CHAINS 16
#define BATCHES 8
/* Rounds of another cycle that come before. */
#define BEFORE_ROUNDS 3
/*
 * Rounds after which a set has forgotten its beginning: this many, and a share
 * of the measured ones.
 */
#define FORGET_ROUNDS 40
#define FORGET_ONE_IN 8
/* Numbers of blocks that are in no cycle. */
#define FOREIGN 100000
/*
 * If the means of chains vary by this factor more than batches do, chains
 * differ: by chance once in a million times.
 */
#define UNLIKE 8
/* Least standard error, of a mean without chance. */
#define LEAST_ERROR 1e-3
/* Rounds in which two hypotheses are compared. */
#define SAME_ROUNDS 40
/* Quantile of the normal distribution, at 1 - MEAN_ALPHA. */
#define ALPHA_QUANTILE 4.265

struct chain {
	double batches[BATCHES];
	double mean;
};

static unsigned int round_of(struct policy_set *s, const struct cycle *c)
{
	unsigned int misses = 0;

	for (size_t i = 0; i < c->length; i++)
		misses += policy_set_access(s, c->blocks[i]);
	return misses;
}

/* Begin with its lines in the ways, or with lines that never come again. */
static int begin(struct policy_set *s, const struct hypothesis *h,
		 unsigned int ways, unsigned int start, uint64_t seed)
{
	struct profile_policy policy = h->policy;
	int error;

	policy.seed = seed + start;
	error = policy_set_begin(s, &policy, h->habit, ways);
	if (error)
		return error;
	if (h->rarity > 0)
		s->policy.rare = (uint64_t)(h->rarity * (double)s->policy.rare);
	for (unsigned int i = 0; i < ways; i++)
		policy_set_place(s, i, start % 2 ? FOREIGN + i : i);
	return 0;
}

static void run(struct policy_set *s, const struct cycle *c,
		const struct cycle *before, unsigned int rounds,
		struct chain *chain)
{
	unsigned int forget = FORGET_ROUNDS + rounds / FORGET_ONE_IN;
	unsigned int batch = rounds / BATCHES;

	chain->mean = 0;
	for (unsigned int i = 0; i < BEFORE_ROUNDS; i++)
		round_of(s, before);
	for (unsigned int i = 0; i < forget; i++)
		round_of(s, c);
	for (unsigned int i = 0; i < BATCHES; i++) {
		double misses = 0;

		for (unsigned int j = 0; j < batch; j++)
			misses += round_of(s, c);
		chain->batches[i] = misses / batch;
		chain->mean += chain->batches[i] / BATCHES;
	}
}

/* Variance of a batch. @common: (out) correlation of neighbouring batches */
static double spread(const struct chain *chains, double *common)
{
	double squares = 0, products = 0;

	for (unsigned int i = 0; i < CHAINS; i++) {
		double before = 0;

		for (unsigned int j = 0; j < BATCHES; j++) {
			double off = chains[i].batches[j] - chains[i].mean;

			squares += off * off;
			products += off * before;
			before = off;
		}
	}
	*common = squares > 0 ? fmax(0, products / squares) : 0;
	return squares / (CHAINS * (BATCHES - 1));
}

static void summarise(const struct chain *chains, struct mean_misses *a)
{
	double common, within = spread(chains, &common);
	double mean = 0, between = 0, least = INFINITY, most = -INFINITY;

	for (unsigned int i = 0; i < CHAINS; i++) {
		mean += chains[i].mean / CHAINS;
		least = fmin(least, chains[i].mean);
		most = fmax(most, chains[i].mean);
	}
	for (unsigned int i = 0; i < CHAINS; i++)
		between += (chains[i].mean - mean) * (chains[i].mean - mean) /
			   (CHAINS - 1);
	within *= 1 + 2 * common;
	*a = (struct mean_misses){ .low = mean,
				   .high = mean,
				   .freedom = CHAINS - 1 };
	/* Batches may be correlated over longer distances. */
	a->error = fmax(sqrt(fmax(within / BATCHES, between) / CHAINS),
			LEAST_ERROR);
	/* Other initial states may lead elsewhere. */
	if (between > UNLIKE * (within / BATCHES + LEAST_ERROR * LEAST_ERROR)) {
		a->low = least - 1 - (most - least);
		a->high = most + 1 + (most - least);
	}
}

int hypothesis_mean(const struct hypothesis *h, unsigned int ways,
		    const struct cycle_pool *pool, size_t circle,
		    unsigned int rounds, uint64_t seed, struct mean_misses *a)
{
	struct chain chains[CHAINS];
	struct rng rng = { seed };

	for (unsigned int i = 0; i < CHAINS; i++) {
		struct policy_set s;
		int error = begin(&s, h, ways, i, seed);

		if (!error)
			run(&s, &pool->cycles[circle],
			    &pool->cycles[rng_below(&rng, pool->count)],
			    rounds / CHAINS, &chains[i]);
		policy_set_end(&s);
		if (error)
			return error;
	}
	summarise(chains, a);
	return 0;
}

static int same_cycle(struct policy_set *one, struct policy_set *other,
		      const struct cycle *c)
{
	for (unsigned int i = 0; i < FORGET_ROUNDS; i++) {
		round_of(one, c);
		round_of(other, c);
	}
	for (unsigned int i = 0; i < SAME_ROUNDS; i++)
		if (round_of(one, c) != round_of(other, c))
			return 0;
	return 1;
}

int hypothesis_same_draws(const struct hypothesis *one,
			  const struct hypothesis *other, unsigned int ways,
			  const struct cycle_pool *pool, uint64_t seed)
{
	int same = 1;

	for (size_t i = 0; same == 1 && i < pool->count; i++) {
		struct policy_set a, b;
		int error = begin(&a, one, ways, (unsigned int)i, seed);
		int other_error = begin(&b, other, ways, (unsigned int)i, seed);

		same = error	   ? error :
		       other_error ? other_error :
				     same_cycle(&a, &b, &pool->cycles[i]);
		policy_set_end(&a);
		policy_set_end(&b);
	}
	return same;
}

double mean_deviation(double off, double error_one, double freedom_one,
		      double error_other, double freedom_other)
{
	double one = error_one * error_one, other = error_other * error_other;
	double freedom, t;

	if (off <= 0)
		return 0;
	freedom = (one + other) * (one + other) /
		  (one * one / freedom_one + other * other / freedom_other);
	t = off / sqrt(one + other);
	return sqrt(freedom * log1p(t * t / freedom)) * (8 * freedom + 1) /
	       (8 * freedom + 3);
}

double mean_most_squares(size_t count)
{
	double part = 2 / (9 * (double)count);
	double root = 1 - part + ALPHA_QUANTILE * sqrt(part);

	return (double)count * root * root * root;
}
