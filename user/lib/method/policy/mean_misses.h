/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mean_misses.h - what a policy that throws dice misses on average, and how
 * well a simulation knows it.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_MEAN_MISSES_H
#define PROBE_PHYS_METHOD_POLICY_MEAN_MISSES_H

#include "method/policy/cycles.h"
#include "method/policy/known_policies.h"

/** AVERAGE_LEAST_ROUNDS - simulated at least; more are multiples of it */
#define AVERAGE_LEAST_ROUNDS 512

/**
 * struct average - misses of one round of a cycle, on average
 * @low: least that it may be, but for @error
 * @high: most. The same, where what was in the set before makes no difference
 * @error: standard error of both
 * @freedom: degrees of freedom that @error was had with
 */
struct average {
	double low;
	double high;
	double error;
	double freedom;
};

/** average_is_vague() - what was in the set before makes a difference */
static inline bool average_is_vague(const struct average *a)
{
	return a->high > a->low;
}

/**
 * zoo_average() - simulate a random hypothesis
 *
 * Several sets go round, each after some other circle, and the averages of
 * batches of rounds are compared within and between them.
 * @circle: of @circles
 * @rounds: in all, from AVERAGE_LEAST_ROUNDS
 * @seed: of the dice
 * Return: 0 or -ENOMEM.
 */
int zoo_average(const struct hypothesis *h, unsigned int ways,
		const struct circles *circles, size_t circle,
		unsigned int rounds, uint64_t seed, struct average *a);

/**
 * zoo_same_dice() - two hypotheses miss the same as long as the dice fall alike
 *
 * Then no number of answers tells them apart, only how they fill free ways may.
 * @circles: that are tried
 * Return: 1, 0 or -ENOMEM.
 */
int zoo_same_dice(const struct hypothesis *one, const struct hypothesis *other,
		  unsigned int ways, const struct circles *circles,
		  uint64_t seed);

/**
 * average_deviation() - how many standard deviations a mean is off
 * @off: by so much; 0 or less: not at all
 * @error_one, @error_other: standard errors of the two that are compared
 * @freedom_one, @freedom_other: degrees of freedom of these
 * Return: of a normal distribution, so that few degrees of freedom make it
 * smaller (Welch 1947; Wallace 1959).
 */
double average_deviation(double off, double error_one, double freedom_one,
			 double error_other, double freedom_other);

/** AVERAGE_ALPHA - how often chance exceeds average_most_squares() */
#define AVERAGE_ALPHA 1e-5

/**
 * average_most_squares() - what squares of @count deviations come to, at most
 *
 * Exceeded with probability AVERAGE_ALPHA (Wilson and Hilferty 1931).
 */
double average_most_squares(size_t count);

#endif
