/* SPDX-License-Identifier: GPL-2.0 */
/* random_policies.h - between seems_random.c and random_policies.c */
#ifndef PROBE_PHYS_METHOD_POLICY_RANDOM_POLICIES_H
#define PROBE_PHYS_METHOD_POLICY_RANDOM_POLICIES_H

#include "method/policy/cycles.h"
#include "method/policy/hypotheses.h"
#include "method/policy/mean_misses.h"
#include "method/policy/search.h"

/**
 * struct candidate - a random policy that may explain all answers
 * @hypothesis: which
 * @shadow: it has no name: another one, but rarer or more frequent
 * @averages: of a circle, by its number, from as many simulated
 *            rounds as @rounds says
 * @rounds: 0: none yet
 * @strain: how far it is off, no answer spared; more than 1: further than by
 *          chance
 */
struct candidate {
	struct hypothesis hypothesis;
	bool shadow;
	struct average averages[CIRCLES];
	unsigned int rounds[CIRCLES];
	double strain;
};

/**
 * struct dice - a search among random policies
 * @search: of which it is a part
 * @circles: what can be asked
 * @panel: what is asked
 * @looked_at: circles that have been thought of
 * @all: candidates that are left, @count of them
 */
struct dice {
	struct policy_search *search;
	struct circles circles;
	struct panel panel;
	size_t looked_at;
	struct candidate *all;
	size_t count;
};

/** DICE_FEW - candidates that circles are chosen for, at least */
#define DICE_FEW 12

/** DICE_SIFT_ALPHA - error of one sift: a candidate is tested at most three times,
 * with simulations of 1, 4 and 16 times AVERAGE_LEAST_ROUNDS
 */
#define DICE_SIFT_ALPHA (3 * AVERAGE_ALPHA)

/**
 * dice_sift() - keep those that explain all answers
 *
 * A candidate is simulated for as long as its error, not that of the answers,
 * is what keeps it.
 * Return: 0 or -ENOMEM.
 */
int dice_sift(struct dice *d);

/**
 * dice_choose() - circles for the panel: those that tell most candidates apart
 * which those of the panel do not
 * @count: of them; fewer when the panel is full or all have been asked
 * Return: 0 or -ENOMEM.
 */
int dice_choose(struct dice *d, size_t count);

#endif
