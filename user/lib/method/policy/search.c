// SPDX-License-Identifier: GPL-2.0
/* search.c - questions to a set, until one class of policies is left. */
#include "method/policy/search.h"

#include <stdio.h>

/* Cycles that must have tried what is believed, chosen so that little else
 * could have stood them.
 */
#define LEAST_TOLD 12
/* Answers that are not exact cost this much tolerance in the book. */
#define BOOK_TOLERANCE 0.35

int policy_search_ask(struct policy_search *s, size_t cycle, struct failure *f)
{
	struct policy_finding *found = s->finding;
	struct policy_answer *answer = &s->answers[found->cycles];
	int error = policy_ask(&s->asker, &s->book->cycles[cycle], answer, f);

	if (error)
		return error;
	s->asked[cycle] = true;
	s->scattered += !answer->agreed;
	found->misses[found->cycles] = answer->misses;
	found->asked[found->cycles++] = cycle;
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
	const struct policy_book *b = s->book;
	const size_t *asked = s->finding->asked;

	*p = b->predictions[hypothesis][asked[at]];
	return zoo_predict_again(&b->zoo.all[hypothesis], b->zoo.ways,
				 &b->cycles[asked[at]],
				 at ? &b->cycles[asked[at - 1]] : NULL, b->seed,
				 p);
}

static bool allows(const struct policy_search *s, const struct prediction *p,
		   size_t at)
{
	const struct policy_answer *answer = &s->answers[at];

	return !answer->agreed ||
	       prediction_allows(p, answer->low, answer->high);
}

void policy_search_strike(struct policy_search *s)
{
	const struct policy_book *b = s->book;
	size_t last = s->finding->cycles - 1;
	size_t cycle = s->finding->asked[last];

	for (size_t i = 0; i < b->zoo.deterministic; i++)
		if (s->alive[i] &&
		    !allows(s, &b->predictions[i][cycle], last)) {
			s->alive[i] = false;
			s->left--;
		}
}

/* Whether a past that was not tried yet explains all answers from @first on. */
static int explains_again(const struct policy_search *s, size_t hypothesis,
			  size_t first, bool *explains)
{
	size_t against = 0;
	int error = 0;

	*explains = true;
	for (size_t i = first; i < s->finding->cycles; i++) {
		size_t cycle = s->finding->asked[i];

		against +=
			!allows(s, &s->book->predictions[hypothesis][cycle], i);
	}
	if (against > POLICY_MOST_STRANGE)
		*explains = false;
	for (size_t i = first; *explains && i < s->finding->cycles; i++) {
		size_t cycle = s->finding->asked[i];
		struct prediction p = s->book->predictions[hypothesis][cycle];

		if (!allows(s, &p, i))
			error = policy_search_predict(s, hypothesis, i, &p);
		*explains = !error && allows(s, &p, i);
	}
	return error;
}

/* Nothing is left: what one answer has struck out is looked at again. */
static int revive(struct policy_search *s, size_t first, struct failure *f)
{
	for (size_t i = 0; i < s->book->zoo.deterministic; i++) {
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
		if (!s->asked[i])
			return i;
	return s->book->cycle_count;
}

size_t policy_search_first(const struct policy_search *s)
{
	size_t count = s->book->zoo.deterministic, first = count;

	for (size_t i = 0; i < count; i++) {
		if (!s->alive[i])
			continue;
		if (!policy_book_vague(s->book, i))
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
		told += prediction_is_told(
			&s->book->predictions[first][s->finding->asked[i]]);
	return told >= LEAST_TOLD;
}

/* Hypotheses, dead or alive, that say of a cycle what @first does. */
static size_t sayers(const struct policy_search *s, size_t first, size_t cycle)
{
	const struct prediction *p = &s->book->predictions[first][cycle];
	size_t count = 0;

	for (size_t i = 0; i < s->book->zoo.deterministic; i++)
		count += prediction_allows(&s->book->predictions[i][cycle],
					   p->low - BOOK_TOLERANCE,
					   p->high + BOOK_TOLERANCE);
	return count;
}

/* One that what is left predicts to the miss, and little else does. */
static size_t telling_cycle(const struct policy_search *s)
{
	size_t first = policy_search_first(s), best = policy_search_cycle(s),
	       fewest = SIZE_MAX;

	for (size_t i = 0; i < POLICY_CYCLES; i++) {
		size_t count;

		if (s->asked[i] ||
		    !prediction_is_told(&s->book->predictions[first][i]))
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
	s->left = s->book->zoo.deterministic;
	for (size_t i = 0; i < s->left; i++)
		s->alive[i] = true;
	while (s->left && s->finding->cycles < limit &&
	       s->scattered < POLICY_MOST_SCATTERED) {
		size_t next = policy_book_best(s->book, s->alive, s->asked,
					       BOOK_TOLERANCE);
		int error;

		if (next == s->book->cycle_count) {
			if (!s->finding->split)
				s->finding->split = s->finding->cycles;
			if (!policy_search_enough(s))
				next = telling_cycle(s);
		}
		if (next == s->book->cycle_count)
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
