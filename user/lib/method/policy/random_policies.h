/* SPDX-License-Identifier: GPL-2.0 */
/*
 * random_policies.h - the search among random policies. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_RANDOM_POLICIES_H
#define PROBE_PHYS_METHOD_POLICY_RANDOM_POLICIES_H

#include "method/policy/cycle_pool.h"
#include "method/policy/cycle_means.h"
#include "method/policy/mean_misses.h"
#include "method/policy/search.h"

/**
 * struct candidate - a random policy that may explain all answers
 * @hypothesis: the policy
 * @decoy: it has no name: its lots are rarer or more frequent than those of a
 *         named one
 * @means_of: simulated means, by number of the cycle
 * @rounds: simulated rounds of each; 0: none yet
 * @strain: contradiction with all answers; more than 1: more than chance makes
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
 * @search: the search that it is a part of
 * @pool: cycles that can be measured
 * @means: cycles that are measured
 * @looked_at: cycles of @pool that were considered
 * @all: remaining candidates, @count of them
 */
struct random_search {
	struct policy_search *search;
	struct cycle_pool pool;
	struct cycle_means means;
	size_t looked_at;
	struct candidate *all;
	size_t count;
};

/** RANDOM_SEARCH_FEW - candidates among which cycles are chosen, at least */
#define RANDOM_SEARCH_FEW 12

/**
 * RANDOM_SIFT_ALPHA - error of one sift: a candidate is tested at most three
 * times, with simulations of 1, 4 and 16 times MEAN_LEAST_ROUNDS
 */
#define RANDOM_SIFT_ALPHA (3 * MEAN_ALPHA)

/**
 * random_search_sift() - keep the candidates that explain all answers
 *
 * A candidate is simulated longer as long as the error of its simulation, not
 * that of the answers, keeps it.
 * Return: 0 or -ENOMEM.
 */
int random_search_sift(struct random_search *d);

/**
 * random_search_choose() - add cycles that distinguish most candidates which
 * the measured ones do not
 * @count: of them; fewer when there is no room or all were measured
 * Return: 0 or -ENOMEM.
 */
int random_search_choose(struct random_search *d, size_t count);

#endif
