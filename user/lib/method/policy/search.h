/* SPDX-License-Identifier: GPL-2.0 */
/*
 * search.h - the search for a policy, under way: questions to the set, and the
 * hypotheses that the answers leave. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_SEARCH_H
#define PROBE_PHYS_METHOD_POLICY_SEARCH_H

#include "method/policy/identify.h"
#include "method/set/asker.h"
#include "result/outcome.h"

/** POLICY_MOST_CYCLES - most cycles of one search */
#define POLICY_MOST_CYCLES 26
/** POLICY_MOST_HYPOTHESES - most known policies */
#define POLICY_MOST_HYPOTHESES 1024

/**
 * POLICY_MOST_CONTRARY - answers that an initial state which was not tried may
 * explain: predictions come from some tens of states
 */
#define POLICY_MOST_CONTRARY 1

/**
 * POLICY_MOST_SCATTERED - cycles with scattered answers: the policy draws lots
 */
#define POLICY_MOST_SCATTERED 2

/**
 * struct policy_search - an identification under way
 * @catalogue: hypotheses and cycles
 * @finding: (out) the finding
 * @asker: measures cycles
 * @alive: deterministic hypotheses that explain all answers; @left of them
 * @measured: cycles that were measured
 * @answers: in the order of finding.measured
 * @scattered: number of answers that did not agree
 * @cold: number of cold cycles that were measured
 */
struct policy_search {
	const struct policy_catalogue *catalogue;
	struct policy_finding *finding;
	struct set_asker asker;
	bool alive[POLICY_MOST_HYPOTHESES];
	size_t left;
	bool measured[POLICY_ALL_CYCLES];
	struct set_answer answers[POLICY_ALL_CYCLES];
	size_t scattered;
	size_t cold;
};

/**
 * policy_search_ask() - measure one more cycle of the catalogue
 * Return: as set_ask().
 */
int policy_search_ask(struct policy_search *s, size_t cycle, struct failure *f);

/**
 * policy_search_known() - measure until one class of the known policies is
 * left, or none, or no cycle splits the rest
 *
 * Begins anew with all of them.
 * Return: as set_ask().
 */
int policy_search_known(struct policy_search *s, struct failure *f);

/**
 * policy_search_cycle() - a cycle that was not measured yet, below
 * POLICY_CYCLES; catalogue.cycle_count: there is none
 */
size_t policy_search_cycle(const struct policy_search *s);

/**
 * policy_search_first() - the hypothesis that stands for the remaining ones
 *
 * Hypotheses whose predictions depend on the initial state are never ruled out:
 * one that explains all answers exactly comes first.
 */
size_t policy_search_first(const struct policy_search *s);

/**
 * policy_search_enough() - whether the measured cycles have tested the
 * remaining hypotheses, not only failed to rule them out
 */
bool policy_search_enough(const struct policy_search *s);

/**
 * policy_search_predict() - prediction for the @at-th measured cycle, from as
 * many initial states as time allows
 * Return: 0 or -ENOMEM.
 */
int policy_search_predict(const struct policy_search *s, size_t hypothesis,
			  size_t at, struct prediction *p);

/** policy_search_strike() - rule out what the last answer contradicts */
void policy_search_strike(struct policy_search *s);

/** policy_search_name() - one more name of the class */
void policy_search_name(struct policy_finding *found, const char *name);

/**
 * policy_search_random() - compare the answers with random policies
 * @outcome: (out) OUTCOME_DECIDED: some explain all of them; the finding says which
 */
int policy_search_random(struct policy_search *s, enum outcome *outcome,
			 struct failure *f);

/**
 * policy_search_after_flush() - measure a set that is flushed before each round
 * @hypothesis: the only one left, whose predictions depend on the initial state
 *
 * If the oracle flushes lines and contention adds none, the finding becomes
 * POLICY_KNOWN when all answers are as predicted.
 */
int policy_search_after_flush(struct policy_search *s, size_t hypothesis,
			      struct failure *f);

/**
 * policy_search_confirm_unknown() - state that no known policy explains the
 * answers
 *
 * The finding becomes POLICY_NONE_KNOWN, with the nearest policy and its
 * deviation, once each cycle has missed the same several times between controls
 * that show no contention. Otherwise it has a reason.
 * Return: as set_ask().
 */
int policy_search_confirm_unknown(struct policy_search *s, struct failure *f);

/**
 * policy_search_permutation() - find the permutations of a policy
 *
 * The finding becomes POLICY_PERMUTATION when they explain all answers.
 */
int policy_search_permutation(struct policy_search *s, struct failure *f);

#endif
