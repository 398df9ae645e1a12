// SPDX-License-Identifier: GPL-2.0
/* search.c - questions to a set, until one class of policies is left. */
#include "method/policy/search.h"

#include <stdio.h>

/*
 * Cycles that the result must have predicted exactly, chosen such that few
 * other hypotheses predict the same.
 */
#define LEAST_EXACT 12
/* Tolerance of answers, when cycles are chosen. */
#define TOLERANCE 0.35

int policy_search_ask(struct policy_search *s, size_t cycle, struct failure *f)
{
	struct policy_finding *found = s->finding;
	struct set_answer *answer = &s->answers[found->cycles];
	int error = set_ask(&s->asker, &s->catalogue->cycles[cycle], answer, f);

	if (error)
		return error;
	s->measured[cycle] = true;
	s->scattered += !answer->agreed;
	found->misses[found->cycles] = answer->misses;
	found->measured[found->cycles++] = cycle;
	return 0;
}

void policy_search_name(struct policy_finding *found, const char *name)
{
	if (found->name_count == POLICY_NAMES) {
		found->more_names++;
		return;
	}
	snprintf(found->names[found->name_count++], sizeof(found->names[0]),
		 "%s", name);
}

int policy_search_predict(const struct policy_search *s, size_t hypothesis,
			  size_t at, struct prediction *p)
{
	const struct policy_catalogue *b = s->catalogue;
	const size_t *measured = s->finding->measured;

	*p = b->predictions[hypothesis][measured[at]];
	return hypothesis_predict_again(
		&b->known.all[hypothesis], b->known.ways,
		&b->cycles[measured[at]],
		at ? &b->cycles[measured[at - 1]] : NULL, b->seed, p);
}

static bool allows(const struct policy_search *s, const struct prediction *p,
		   size_t at)
{
	const struct set_answer *answer = &s->answers[at];

	return !answer->agreed ||
	       prediction_allows(p, answer->low, answer->high);
}

void policy_search_strike(struct policy_search *s)
{
	const struct policy_catalogue *b = s->catalogue;
	size_t last = s->finding->cycles - 1;
	size_t cycle = s->finding->measured[last];

	for (size_t i = 0; i < b->known.deterministic; i++)
		if (s->alive[i] &&
		    !allows(s, &b->predictions[i][cycle], last)) {
			s->alive[i] = false;
			s->left--;
		}
}

/* Whether more initial states explain all answers from @first on. */
static int explains_again(const struct policy_search *s, size_t hypothesis,
			  size_t first, bool *explains)
{
	size_t against = 0;
	int error = 0;

	*explains = true;
	for (size_t i = first; i < s->finding->cycles; i++) {
		size_t cycle = s->finding->measured[i];

		against += !allows(
			s, &s->catalogue->predictions[hypothesis][cycle], i);
	}
	if (against > POLICY_MOST_CONTRARY)
		*explains = false;
	for (size_t i = first; *explains && i < s->finding->cycles; i++) {
		size_t cycle = s->finding->measured[i];
		struct prediction p =
			s->catalogue->predictions[hypothesis][cycle];

		if (!allows(s, &p, i))
			error = policy_search_predict(s, hypothesis, i, &p);
		*explains = !error && allows(s, &p, i);
	}
	return error;
}

/*
 * No hypothesis is left: those that one answer has ruled out are checked again.
 */
static int revive(struct policy_search *s, size_t first, struct failure *f)
{
	for (size_t i = 0; i < s->catalogue->known.deterministic; i++) {
		int error = explains_again(s, i, first, &s->alive[i]);

		if (error)
			return fail(f, STATUS_FAILED, -error,
				    "policy: out of memory (free some)");
		s->left += s->alive[i];
	}
	return 0;
}

size_t policy_search_cycle(const struct policy_search *s)
{
	for (size_t i = 0; i < POLICY_CYCLES; i++)
		if (!s->measured[i])
			return i;
	return s->catalogue->cycle_count;
}

size_t policy_search_first(const struct policy_search *s)
{
	size_t count = s->catalogue->known.deterministic, first = count;

	for (size_t i = 0; i < count; i++) {
		if (!s->alive[i])
			continue;
		if (!policy_catalogue_vague(s->catalogue, i))
			return i;
		if (first == count)
			first = i;
	}
	return first;
}

bool policy_search_enough(const struct policy_search *s)
{
	size_t first = policy_search_first(s), told = 0;

	for (size_t i = 0; i < s->finding->cycles; i++)
		told += prediction_is_exact(
			&s->catalogue
				 ->predictions[first][s->finding->measured[i]]);
	return told >= LEAST_EXACT;
}

/* Number of hypotheses, ruled out or not, that predict the same as @first. */
static size_t sayers(const struct policy_search *s, size_t first, size_t cycle)
{
	const struct prediction *p = &s->catalogue->predictions[first][cycle];
	size_t count = 0;

	for (size_t i = 0; i < s->catalogue->known.deterministic; i++)
		count += prediction_allows(&s->catalogue->predictions[i][cycle],
					   p->low - TOLERANCE,
					   p->high + TOLERANCE);
	return count;
}

/* A cycle that the remaining hypotheses predict exactly, and few others do. */
static size_t discriminating_cycle(const struct policy_search *s)
{
	size_t first = policy_search_first(s), best = policy_search_cycle(s),
	       fewest = SIZE_MAX;

	for (size_t i = 0; i < POLICY_CYCLES; i++) {
		size_t count;

		if (s->measured[i] ||
		    !prediction_is_exact(&s->catalogue->predictions[first][i]))
			continue;
		count = sayers(s, first, i);
		if (count >= fewest)
			continue;
		fewest = count;
		best = i;
	}
	return best;
}

int policy_search_known(struct policy_search *s, struct failure *f)
{
	size_t first = s->finding->cycles;
	size_t limit = first + POLICY_MOST_CYCLES;

	s->finding->split = 0;
	s->scattered = 0;
	s->left = s->catalogue->known.deterministic;
	for (size_t i = 0; i < s->left; i++)
		s->alive[i] = true;
	while (s->left && s->finding->cycles < limit &&
	       s->scattered < POLICY_MOST_SCATTERED) {
		size_t next = policy_catalogue_best(s->catalogue, s->alive,
						    s->measured, TOLERANCE);
		int error;

		if (next == s->catalogue->cycle_count) {
			if (!s->finding->split)
				s->finding->split = s->finding->cycles;
			if (!policy_search_enough(s))
				next = discriminating_cycle(s);
		}
		if (next == s->catalogue->cycle_count)
			break;
		error = policy_search_ask(s, next, f);
		if (error)
			return error;
		policy_search_strike(s);
		if (!s->left)
			error = revive(s, first, f);
		if (error)
			return error;
	}
	return 0;
}
