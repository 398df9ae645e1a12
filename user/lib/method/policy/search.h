/* SPDX-License-Identifier: GPL-2.0 */
/*
 * search.h - the search for a policy, under way: questions to the set, and what
 * the answers leave. Private to this folder.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_SEARCH_H
#define PROBE_PHYS_METHOD_POLICY_SEARCH_H

#include "method/policy/identify.h"
#include "method/set/ask.h"

/** POLICY_MOST_CYCLES - of one search */
#define POLICY_MOST_CYCLES 26
/** POLICY_MOST_HYPOTHESES - of a known */
#define POLICY_MOST_HYPOTHESES 1024

/** POLICY_MOST_CONTRARY - answers that a past which was not tried may explain:
 * predictions come of some tens of pasts
 */
#define POLICY_MOST_CONTRARY 1

/** POLICY_MOST_SCATTERED - cycles whose answers scatter: the policy draws lots */
#define POLICY_MOST_SCATTERED 2

/**
 * struct policy_search - an identification under way
 * @catalogue: hypotheses and cycles
 * @finding: what is found
 * @asker: asks
 * @alive: deterministic hypotheses that explain all answers; @left of them
 * @asked: cycles that were asked
 * @answers: in the order of finding.asked
 * @scattered: of them not agreed
 * @cold: cold cycles asked
 */
struct policy_search {
	const struct policy_catalogue *catalogue;
	struct policy_finding *finding;
	struct set_asker asker;
	bool alive[POLICY_MOST_HYPOTHESES];
	size_t left;
	bool asked[POLICY_ALL_CYCLES];
	struct set_answer answers[POLICY_ALL_CYCLES];
	size_t scattered;
	size_t cold;
};

/**
 * policy_search_ask() - one more cycle of the catalogue
 * Return: as set_ask().
 */
int policy_search_ask(struct policy_search *s, size_t cycle, struct failure *f);

/**
 * policy_search_known() - ask until one class of the known policies is left, or
 * none, or no cycle splits the rest
 *
 * Begins anew with all of them alive.
 * Return: as set_ask().
 */
int policy_search_known(struct policy_search *s, struct failure *f);

/** policy_search_cycle() - a cycle that was not asked yet, of POLICY_CYCLES;
 * catalogue.cycle_count: there is none
 */
size_t policy_search_cycle(const struct policy_search *s);

/**
 * policy_search_first() - the hypothesis that stands for those alive
 *
 * Policies whose past hides what they do are never ruled out: one that
 * explains all answers exactly goes first.
 */
size_t policy_search_first(const struct policy_search *s);

/** policy_search_enough() - the cycles that were asked have tried what is alive,
 * not only been allowed by it
 */
bool policy_search_enough(const struct policy_search *s);

/**
 * policy_search_predict() - what a hypothesis says of the @at-th cycle asked,
 * from as many pasts as time allows
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
 * @found: (out) some explain all of them; the finding says which
 */
int policy_search_random(struct policy_search *s, bool *found,
			 struct failure *f);

/**
 * policy_search_after_flush() - ask a set that is flushed before each round
 * @hypothesis: the only one left, whose past hides what it does
 *
 * Where the oracle flushes lines, and nobody else's are in the set, the finding
 * becomes POLICY_KNOWN when all answers are what it says.
 */
int policy_search_after_flush(struct policy_search *s, size_t hypothesis,
			      struct failure *f);

/**
 * policy_search_confirm_unknown() - say that none of the known explains the answers
 *
 * The finding becomes POLICY_NONE_KNOWN, with the nearest one and what it is off
 * by, once each cycle has missed the same several times between controls that
 * show nobody else in the set. Otherwise it has a reason.
 * Return: as set_ask().
 */
int policy_search_confirm_unknown(struct policy_search *s, struct failure *f);

/**
 * policy_search_permutation() - find the vectors of a permutation policy
 *
 * The finding becomes POLICY_PERMUTATION when they explain all answers.
 */
int policy_search_permutation(struct policy_search *s, struct failure *f);

#endif
