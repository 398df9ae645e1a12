/* SPDX-License-Identifier: GPL-2.0 */
/*
 * catalogue.h - cycles to ask, what each hypothesis says of them, and which
 * hypotheses nothing tells apart.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_CATALOGUE_H
#define PROBE_PHYS_METHOD_POLICY_CATALOGUE_H

#include "base/rng.h"
#include "method/policy/known_policies.h"

/**
 * struct policy_catalogue - made once for a number of ways
 * @known: the hypotheses
 * @cycles: warm ones first; POLICY_ALL_CYCLES, or only the warm ones where
 *          nothing can be flushed
 * @cycle_count: their number
 * @predictions: [known.deterministic][POLICY_ALL_CYCLES]
 * @classes: of each deterministic hypothesis, the first one that no warm cycle
 *           tells from it
 * @seed: of everything that is random in it
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
 * Return: 0; -ERANGE: the oracle has too few lines, or takes too short
 * cycles to tell LRU from FIFO; -ENOMEM.
 * policy_catalogue_free() in any case.
 */
int policy_catalogue_make(struct policy_catalogue *b,
			  const struct set_oracle *oracle, uint64_t seed);
void policy_catalogue_free(struct policy_catalogue *b);

/**
 * policy_catalogue_best() - the cycle that splits what is left best
 * @alive: hypotheses that are left, by number
 * @asked: cycles that have been asked
 * @tolerance: how far an answer may be off
 * Return: its number; @b->cycle_count: none splits them.
 */
size_t policy_catalogue_best(const struct policy_catalogue *b,
			     const bool *alive, const bool *asked,
			     double tolerance);

/** policy_catalogue_repeat() - lines @first to @first + @count - 1, each @times in a row
 * @numbers: (out) their numbers
 * Return: how many there are.
 */
size_t policy_catalogue_repeat(unsigned int *numbers, unsigned int first,
			       unsigned int count, unsigned int times);

/** policy_catalogue_others() - lines that make a set forget what came before
 * @numbers: (out) numbers from @first on
 * @thorough: also what it remembers of lines that are gone
 * Return: how many there are.
 */
size_t policy_catalogue_others(unsigned int *numbers,
			       const struct set_oracle *o, unsigned int first,
			       bool thorough);

/** policy_catalogue_trim() - cut a cycle to what the oracle can take */
void policy_catalogue_trim(struct cycle *c, const struct set_oracle *oracle);

/** policy_catalogue_exact() - warm cycles that it predicts to the miss */
size_t policy_catalogue_exact(const struct policy_catalogue *b,
			      size_t hypothesis);

/** policy_catalogue_vague() - what was in the set before hides what it does in most
 * cycles
 */
bool policy_catalogue_vague(const struct policy_catalogue *b,
			    size_t hypothesis);

/** POLICY_SEED - of a catalogue whose cycles tell all apart that can be */
#define POLICY_SEED 1

/** policy_catalogue_alike() - no warm cycle tells two hypotheses apart, and many
 * could have
 */
bool policy_catalogue_alike(const struct policy_catalogue *b, size_t one,
			    size_t other);

/** prediction_is_exact() - to the miss, that is */
static inline bool prediction_is_exact(const struct prediction *p)
{
	return p->high - p->low < 1;
}

/** prediction_allows() - whether an answer in [@low, @high] may come of it */
static inline bool prediction_allows(const struct prediction *p, double low,
				     double high)
{
	return p->low <= high && p->high >= low;
}

#endif
