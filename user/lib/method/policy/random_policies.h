/* SPDX-License-Identifier: GPL-2.0 */
/* random_policies.h - between seems_random.c and random_policies.c */
#ifndef PROBE_PHYS_METHOD_POLICY_RANDOM_POLICIES_H
#define PROBE_PHYS_METHOD_POLICY_RANDOM_POLICIES_H

#include "method/policy/cycle_pool.h"
#include "method/policy/cycle_means.h"
#include "method/policy/mean_misses.h"
#include "method/policy/search.h"

/**
 * struct candidate - a random policy that may explain all answers
 * @hypothesis: which
 * @decoy: it has no name: another one, but rarer or more frequent
 * @means_of: of a circle, by its number, from as many simulated
 *            rounds as @rounds says
 * @rounds: 0: none yet
 * @strain: how far it is off, no answer spared; more than 1: further than by
 *          chance
 */
struct candidate {
	struct hypothesis hypothesis;
	bool decoy;
	struct mean_misses means_of[CYCLE_POOL_MOST];
	unsigned int rounds[CYCLE_POOL_MOST];
	double strain;
};

/**
 * struct random_search - a search among random policies
 * @search: of which it is a part
 * @pool: what can be asked
 * @means: what is asked
 * @looked_at: circles that have been thought of
 * @all: candidates that are left, @count of them
 */
struct random_search {
	struct policy_search *search;
	struct cycle_pool pool;
	struct cycle_means means;
	size_t looked_at;
	struct candidate *all;
	size_t count;
};

/** RANDOM_SEARCH_FEW - candidates that circles are chosen for, at least */
#define RANDOM_SEARCH_FEW 12

/** RANDOM_SIFT_ALPHA - error of one sift: a candidate is tested at most three times,
 * with simulations of 1, 4 and 16 times MEAN_LEAST_ROUNDS
 */
#define RANDOM_SIFT_ALPHA (3 * MEAN_ALPHA)

/**
 * random_search_sift() - keep those that explain all answers
 *
 * A candidate is simulated for as long as its error, not that of the answers,
 * is what keeps it.
 * Return: 0 or -ENOMEM.
 */
int random_search_sift(struct random_search *d);

/**
 * random_search_choose() - circles for the panel: those that tell most candidates apart
 * which those of the panel do not
 * @count: of them; fewer when the panel is full or all have been asked
 * Return: 0 or -ENOMEM.
 */
int random_search_choose(struct random_search *d, size_t count);

#endif
