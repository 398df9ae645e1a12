/* SPDX-License-Identifier: GPL-2.0 */
/* mean_misses.h - mean misses of random policies, by simulation. */
#ifndef PROBE_PHYS_METHOD_POLICY_MEAN_MISSES_H
#define PROBE_PHYS_METHOD_POLICY_MEAN_MISSES_H

#include "method/policy/cycle_pool.h"
#include "method/policy/known_policies.h"

/**
 * MEAN_LEAST_ROUNDS - least rounds of a simulation; others are multiples of it
 */
#define MEAN_LEAST_ROUNDS 512

/**
 * struct mean_misses - mean misses of one round of a cycle
 * @low: lower limit, without @error
 * @high: upper limit, without @error; equal to @low if the initial state makes
 *        no difference
 * @error: standard error of both
 * @freedom: degrees of freedom of @error
 */
struct mean_misses {
	double low;
	double high;
	double error;
	double freedom;
};

/** mean_misses_is_vague() - whether the initial state makes a difference */
static inline bool mean_misses_is_vague(const struct mean_misses *a)
{
	return a->high > a->low;
}

/**
 * hypothesis_mean() - simulate a random hypothesis
 *
 * Several sets are simulated, each after another cycle. The means of batches of
 * rounds are compared within and between them.
 * @circle: number of the cycle in @pool
 * @rounds: in all, at least MEAN_LEAST_ROUNDS
 * @seed: of all draws
 * Return: 0 or -ENOMEM.
 */
int hypothesis_mean(const struct hypothesis *h, unsigned int ways,
		    const struct cycle_pool *pool, size_t circle,
		    unsigned int rounds, uint64_t seed, struct mean_misses *a);

/**
 * hypothesis_same_draws() - whether two hypotheses miss the same when they draw
 * the same lots
 *
 * Then no number of answers distinguishes them, except by the filling of free
 * ways.
 * @pool: cycles that are tried
 * Return: 1, 0 or -ENOMEM.
 */
int hypothesis_same_draws(const struct hypothesis *one,
			  const struct hypothesis *other, unsigned int ways,
			  const struct cycle_pool *pool, uint64_t seed);

/**
 * mean_deviation() - how many standard deviations two means differ by
 * @off: their difference; 0 or less: none
 * @error_one, @error_other: their standard errors
 * @freedom_one, @freedom_other: degrees of freedom of these
 * Return: deviation of a normal distribution; few degrees of freedom make it
 * smaller (Welch 1947; Wallace 1959).
 */
double mean_deviation(double off, double error_one, double freedom_one,
		      double error_other, double freedom_other);

/** MEAN_ALPHA - how often chance exceeds mean_most_squares() */
#define MEAN_ALPHA 1e-5

/**
 * mean_most_squares() - upper limit of the sum of @count squared deviations
 *
 * Exceeded with probability MEAN_ALPHA (Wilson and Hilferty 1931).
 */
double mean_most_squares(size_t count);

#endif
