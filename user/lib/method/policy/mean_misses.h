/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mean_misses.h - what a policy that throws dice misses on average, and how
 * well a simulation knows it.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_MEAN_MISSES_H
#define PROBE_PHYS_METHOD_POLICY_MEAN_MISSES_H

#include "method/policy/cycle_pool.h"
#include "method/policy/known_policies.h"

/** MEAN_LEAST_ROUNDS - simulated at least; more are multiples of it */
#define MEAN_LEAST_ROUNDS 512

/**
 * struct mean_misses - misses of one round of a cycle, on average
 * @low: least that it may be, but for @error
 * @high: most. The same, where what was in the set before makes no difference
 * @error: standard error of both
 * @freedom: degrees of freedom that @error was had with
 */
struct mean_misses {
	double low;
	double high;
	double error;
	double freedom;
};

/** mean_misses_is_vague() - what was in the set before makes a difference */
static inline bool mean_misses_is_vague(const struct mean_misses *a)
{
	return a->high > a->low;
}

/**
 * hypothesis_mean() - simulate a random hypothesis
 *
 * Several sets go round, each after some other circle, and the means_of of
 * batches of rounds are compared within and between them.
 * @circle: of @circles
 * @rounds: in all, from MEAN_LEAST_ROUNDS
 * @seed: of the dice
 * Return: 0 or -ENOMEM.
 */
int hypothesis_mean(const struct hypothesis *h, unsigned int ways,
		    const struct cycle_pool *pool, size_t circle,
		    unsigned int rounds, uint64_t seed, struct mean_misses *a);

/**
 * hypothesis_same_draws() - two hypotheses miss the same as long as the dice fall alike
 *
 * Then no number of answers tells them apart, only how they fill free ways may.
 * @circles: that are tried
 * Return: 1, 0 or -ENOMEM.
 */
int hypothesis_same_draws(const struct hypothesis *one,
			  const struct hypothesis *other, unsigned int ways,
			  const struct cycle_pool *pool, uint64_t seed);

/**
 * mean_deviation() - how many standard deviations a mean is off
 * @off: by so much; 0 or less: not at all
 * @error_one, @error_other: standard errors of the two that are compared
 * @freedom_one, @freedom_other: degrees of freedom of these
 * Return: of a normal distribution, so that few degrees of freedom make it
 * smaller (Welch 1947; Wallace 1959).
 */
double mean_deviation(double off, double error_one, double freedom_one,
		      double error_other, double freedom_other);

/** MEAN_ALPHA - how often chance exceeds mean_most_squares() */
#define MEAN_ALPHA 1e-5

/**
 * mean_most_squares() - what squares of @count deviations come to, at most
 *
 * Exceeded with probability MEAN_ALPHA (Wilson and Hilferty 1931).
 */
double mean_most_squares(size_t count);

#endif
