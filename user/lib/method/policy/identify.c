// SPDX-License-Identifier: GPL-2.0
#include "method/policy/identify.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/policy/search.h"
#include "method/policy/tuning.h"

/* A prediction this narrow is exact. */
#define EXACT 1e-6

/* Name all remaining hypotheses, of those as exact as @first. */
static void keep_names(struct policy_search *s, size_t first)
{
	bool vague = policy_catalogue_vague(s->catalogue, first);

	s->finding->name_count = s->finding->more_names = 0;
	for (size_t i = 0; i < s->catalogue->known.deterministic; i++)
		if (s->alive[i] &&
		    policy_catalogue_vague(s->catalogue, i) == vague)
			policy_search_name(s->finding,
					   s->catalogue->known.all[i].name);
}

/* The remaining hypotheses are one policy, as far as any cycle shows. */
static bool one_class(const struct policy_search *s)
{
	size_t first = policy_search_first(s);
	bool vague = policy_catalogue_vague(s->catalogue, first);

	for (size_t i = 0; i < s->catalogue->known.deterministic; i++)
		if (s->alive[i] &&
		    policy_catalogue_vague(s->catalogue, i) == vague &&
		    !policy_catalogue_alike(s->catalogue, first, i))
			return false;
	return true;
}

/*
 * Where predictions do not depend on the initial state, answers must not vary.
 */
static bool seems_random(const struct policy_search *s)
{
	for (size_t i = 0; i < s->finding->cycles; i++) {
		const struct set_answer *answer = &s->answers[i];
		const struct prediction *p = &s->finding->expected[i];

		if ((answer->varies || !answer->agreed) &&
		    p->high - p->low < EXACT)
			return true;
	}
	return false;
}

static void say_known(struct policy_search *s)
{
	struct policy_finding *found = s->finding;
	size_t first = policy_search_first(s);

	keep_names(s, first);
	for (size_t i = 0; i < found->cycles; i++) {
		struct prediction *p = &found->expected[i];

		*p = s->catalogue->predictions[first][found->measured[i]];
		if (!prediction_allows(p, s->answers[i].low,
				       s->answers[i].high) &&
		    policy_search_predict(s, first, i, p))
			return;
	}
	if (seems_random(s)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"like %s, but the misses of the same cycle vary: it may be a random policy",
			s->catalogue->known.all[first].name);
		return;
	}
	if (policy_catalogue_vague(s->catalogue, first)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"only %s fits, but what it does depends on what was in the set before",
			s->catalogue->known.all[first].name);
		return;
	}
	if (!one_class(s) || !policy_search_enough(s)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"%zu policies explain all answers, which are not exact enough to distinguish them",
			s->left);
		return;
	}
	found->kind = POLICY_KNOWN;
}

/*
 * Cold cycles distinguish more of a class: the order in which free ways are
 * filled.
 */
static int refine(struct policy_search *s, struct failure *f)
{
	bool kept[POLICY_MOST_HYPOTHESES];
	size_t before = s->left, cycles = s->finding->cycles;
	size_t warm = s->catalogue->cycle_count;

	if (!s->asker.oracle->flushes || s->finding->kind != POLICY_KNOWN)
		return 0;
	memcpy(kept, s->alive, sizeof(kept));
	for (size_t i = POLICY_CYCLES; s->left && i < warm; i++) {
		int error = policy_search_ask(s, i, f);

		if (error)
			return error;
		policy_search_strike(s);
	}
	s->cold = s->finding->cycles - cycles;
	s->finding->cycles = cycles;
	if (!s->left) {
		memcpy(s->alive, kept, sizeof(kept));
		s->left = before;
		snprintf(
			s->finding->reason, sizeof(s->finding->reason),
			"after a flush it is like none of the known, so nothing is said of how it fills free ways");
	}
	if (s->left)
		keep_names(s, policy_search_first(s));
	return 0;
}

/* No known policy is exact: a random policy, or an unknown one. */
static int look_further(struct policy_search *s, struct failure *f)
{
	enum outcome outcome = OUTCOME_OPEN;
	int error;

	error = policy_search_random(s, &outcome, f);
	if (error || outcome == OUTCOME_DECIDED)
		return error;
	if (s->scattered) {
		snprintf(
			s->finding->reason, sizeof(s->finding->reason),
			"the same cycle misses now more, now less often, and no known random policy explains how");
		return 0;
	}
	while (!error && s->finding->cycles < UNKNOWN_CYCLES &&
	       policy_search_cycle(s) < POLICY_CYCLES)
		error = policy_search_ask(s, policy_search_cycle(s), f);
	if (error)
		return error;
	error = policy_search_permutation(s, f);
	if (!error && s->finding->kind == POLICY_UNDECIDED)
		error = policy_search_confirm_unknown(s, f);
	return error;
}

static int identify(struct policy_search *s, struct failure *f)
{
	int error = policy_search_known(s, f);

	/* Once more, with other cycles, before this is believed. */
	if (!error && !s->left && s->scattered < POLICY_MOST_SCATTERED)
		error = policy_search_known(s, f);
	if (error)
		return error;
	if (s->scattered >= POLICY_MOST_SCATTERED || !s->left)
		return look_further(s, f);
	/* A vague prediction explains little: permutations would say more. */
	if (policy_catalogue_vague(s->catalogue, policy_search_first(s))) {
		error = policy_search_permutation(s, f);
		if (error || s->finding->kind != POLICY_UNDECIDED)
			return error;
	}
	say_known(s);
	if (policy_catalogue_vague(s->catalogue, policy_search_first(s)))
		return policy_search_after_flush(s, policy_search_first(s), f);
	return refine(s, f);
}

/*
 * Turn the end of an early search into a reason. Return: as policy_identify().
 */
static int end_early(struct policy_finding *finding, int error)
{
	if (error != -EAGAIN && error != -EDQUOT)
		return error;
	finding->kind = POLICY_UNDECIDED;
	snprintf(
		finding->reason, sizeof(finding->reason), "%s",
		error == -EAGAIN ?
			"too disturbed: no answers any more" :
			"the tests that this needs would be wrong together in more than 1 of 1,000");
	return 0;
}

int policy_identify(const struct set_oracle *oracle,
		    const struct policy_catalogue *catalogue,
		    struct budget *budget, struct policy_finding *finding,
		    struct failure *f)
{
	struct budget_scope scope;
	struct policy_search *s = calloc(1, sizeof(*s));
	int error;

	*finding = (struct policy_finding){ .kind = POLICY_UNDECIDED };
	if (!s)
		return fail(f, STATUS_FAILED, ENOMEM,
			    "policy: out of memory (free some)");
	s->catalogue = catalogue;
	s->finding = finding;
	scope = budget_open(budget);
	error = set_asker_calibrate(&s->asker, oracle, budget, finding->reason,
				    sizeof(finding->reason), f);
	s->asker.answers = 0;
	if (!error && !finding->reason[0])
		error = identify(s, f);
	finding->answers = s->asker.answers;
	finding->answer_bound = budget_close(budget, &scope);
	free(s);
	return end_early(finding, error);
}
