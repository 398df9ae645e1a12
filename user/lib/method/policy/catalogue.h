/* SPDX-License-Identifier: GPL-2.0 */
/*
 * catalogue.h - cycles to measure, what each hypothesis predicts for them, and
 * which hypotheses no cycle distinguishes.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_CATALOGUE_H
#define PROBE_PHYS_METHOD_POLICY_CATALOGUE_H

#include "base/rng.h"
#include "method/policy/known_policies.h"

/**
 * struct policy_catalogue - cycles and predictions for one number of ways
 * @known: the hypotheses
 * @cycles: warm ones first; POLICY_ALL_CYCLES, or only the warm ones where
 *          nothing can be flushed
 * @cycle_count: number of cycles
 * @predictions: [known.deterministic][POLICY_ALL_CYCLES]
 * @classes: of each deterministic hypothesis, the first one that no warm cycle
 *           distinguishes from it
 * @seed: of all random choices
 * @numbers: blocks of all cycles
 */
struct policy_catalogue {
	struct known_policies known;
	struct cycle cycles[POLICY_ALL_CYCLES];
	size_t cycle_count;
	struct prediction (*predictions)[POLICY_ALL_CYCLES];
	size_t *classes;
	uint64_t seed;
	unsigned int *numbers;
};

/**
 * policy_catalogue_make() - for sets like that of an oracle
 * @seed: chooses the cycles
 * Return: 0; -ERANGE: the oracle has too few lines, or its cycles are too short
 * to distinguish LRU from FIFO; -ENOMEM. policy_catalogue_free() in any case.
 */
int policy_catalogue_make(struct policy_catalogue *b,
			  const struct set_oracle *oracle, uint64_t seed);
void policy_catalogue_free(struct policy_catalogue *b);

/**
 * policy_catalogue_best() - the cycle that splits the remaining hypotheses best
 * @alive: remaining hypotheses, by number
 * @measured: cycles that were measured already
 * @tolerance: error of an answer
 * Return: its number; @b->cycle_count: none splits them.
 */
size_t policy_catalogue_best(const struct policy_catalogue *b,
			     const bool *alive, const bool *measured,
			     double tolerance);

/**
 * policy_catalogue_others() - accesses that make a set forget earlier ones
 * @numbers: (out) numbers from @first on
 * @thorough: forget also the state that evicted lines have left
 * Return: number of accesses.
 */
size_t policy_catalogue_others(unsigned int *numbers,
			       const struct set_oracle *o, unsigned int first,
			       bool thorough);

/** policy_catalogue_trim() - shorten a cycle to what the oracle can walk */
void policy_catalogue_trim(struct cycle *c, const struct set_oracle *oracle);

/**
 * policy_catalogue_exact() - number of warm cycles that a hypothesis predicts
 * exactly
 */
size_t policy_catalogue_exact(const struct policy_catalogue *b,
			      size_t hypothesis);

/**
 * policy_catalogue_vague() - whether most predictions depend on the initial
 * state
 */
bool policy_catalogue_vague(const struct policy_catalogue *b,
			    size_t hypothesis);

/**
 * POLICY_SEED - of a catalogue that distinguishes all that can be distinguished
 */
#define POLICY_SEED 1

/**
 * policy_catalogue_alike() - whether no warm cycle distinguishes two
 * hypotheses, though many are predicted exactly by both
 */
bool policy_catalogue_alike(const struct policy_catalogue *b, size_t one,
			    size_t other);

/**
 * prediction_is_exact() - whether a prediction leaves room for one number of
 * misses
 */
static inline bool prediction_is_exact(const struct prediction *p)
{
	return p->high - p->low < 1;
}

/** prediction_allows() - whether an answer in [@low, @high] is possible */
static inline bool prediction_allows(const struct prediction *p, double low,
				     double high)
{
	return p->low <= high && p->high >= low;
}

#endif
