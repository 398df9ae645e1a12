// SPDX-License-Identifier: GPL-2.0
#include "method/policy/identify.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/policy/search.h"

/* Cycles that must have tried what is believed, chosen so that little else
 * could have stood them.
 */
#define LEAST_TOLD 12
/* A prediction that leaves no room for anything. */
#define EXACT 1e-6
/* Other ones that none of the known explains either. */
#define NONE_CYCLES 6
/* Scattered answers of so many cycles: it throws dice. */
#define SCATTERED_CYCLES 2
/* What is asked of one that is none of the known. */
#define UNKNOWN_CYCLES 8
/* Answers that are not exact cost this much tolerance in the book. */
#define BOOK_TOLERANCE 0.35

const char *policy_kind_name(enum policy_kind kind)
{
	static const char *const names[] = {
		[POLICY_UNDECIDED] = "undecided",
		[POLICY_KNOWN] = "known",
		[POLICY_RANDOMISED] = "randomised",
		[POLICY_PERMUTATION] = "permutation",
		[POLICY_NONE_KNOWN] = "none of the known",
	};

	return names[kind];
}

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

/* What a hypothesis says of a cycle that was asked, from as many pasts as time
 * allows.
 */
static int predict_again(const struct policy_search *s, size_t hypothesis,
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

/* Strike out what the last answer rules out. */
static void strike(struct policy_search *s)
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
			error = predict_again(s, hypothesis, i, &p);
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

static size_t any_cycle(const struct policy_search *s)
{
	for (size_t i = 0; i < POLICY_CYCLES; i++)
		if (!s->asked[i])
			return i;
	return s->book->cycle_count;
}

/*
 * Policies whose past hides what they do stay for ever: what explains all
 * answers exactly goes first. Return: the hypothesis, or the first one left.
 */
static size_t first_alive(const struct policy_search *s)
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

/* Cycles that have tried what is left, not only been allowed by it. */
static bool enough(const struct policy_search *s)
{
	size_t first = first_alive(s), told = 0;

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
	size_t first = first_alive(s), best = any_cycle(s), fewest = SIZE_MAX;

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

/* Until one class is left, or none, or it cannot be told further. */
static int search(struct policy_search *s, struct failure *f)
{
	size_t first = s->finding->cycles;
	size_t limit = first + POLICY_MOST_CYCLES;

	s->finding->split = 0;
	s->scattered = 0;
	s->left = s->book->zoo.deterministic;
	for (size_t i = 0; i < s->left; i++)
		s->alive[i] = true;
	while (s->left && s->finding->cycles < limit &&
	       s->scattered < SCATTERED_CYCLES) {
		size_t next = policy_book_best(s->book, s->alive, s->asked,
					       BOOK_TOLERANCE);
		int error;

		if (next == s->book->cycle_count) {
			if (!s->finding->split)
				s->finding->split = s->finding->cycles;
			if (!enough(s))
				next = telling_cycle(s);
		}
		if (next == s->book->cycle_count)
			break;
		error = policy_search_ask(s, next, f);
		if (error)
			return error;
		strike(s);
		if (!s->left)
			error = revive(s, first, f);
		if (error)
			return error;
	}
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

/* All that is left; @first: only what is as exact as it. */
static void keep_names(struct policy_search *s, size_t first)
{
	bool vague = policy_book_vague(s->book, first);

	s->finding->name_count = s->finding->more_names = 0;
	for (size_t i = 0; i < s->book->zoo.deterministic; i++)
		if (s->alive[i] && policy_book_vague(s->book, i) == vague)
			policy_search_name(s->finding,
					   s->book->zoo.all[i].name);
}

/* What is left are one policy, as far as any cycle could tell. */
static bool one_class(const struct policy_search *s)
{
	size_t first = first_alive(s);
	bool vague = policy_book_vague(s->book, first);

	for (size_t i = 0; i < s->book->zoo.deterministic; i++)
		if (s->alive[i] && policy_book_vague(s->book, i) == vague &&
		    !policy_book_alike(s->book, first, i))
			return false;
	return true;
}

/* Where what was there before makes no difference, answers must not differ. */
static bool seems_random(const struct policy_search *s)
{
	for (size_t i = 0; i < s->finding->cycles; i++) {
		const struct policy_answer *answer = &s->answers[i];
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
	size_t first = first_alive(s);

	keep_names(s, first);
	for (size_t i = 0; i < found->cycles; i++) {
		struct prediction *p = &found->expected[i];

		*p = s->book->predictions[first][found->asked[i]];
		if (!prediction_allows(p, s->answers[i].low,
				       s->answers[i].high) &&
		    predict_again(s, first, i, p))
			return;
	}
	if (seems_random(s)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"like %s, but the same cycle misses now more, now less often: it may throw dice",
			s->book->zoo.all[first].name);
		return;
	}
	if (policy_book_vague(s->book, first)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"only %s fits, but what it does depends on what was in the set before",
			s->book->zoo.all[first].name);
		return;
	}
	if (!one_class(s) || !enough(s)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"%zu policies explain all answers, and the answers are not exact enough to tell them apart",
			s->left);
		return;
	}
	found->kind = POLICY_KNOWN;
	found->answer_bound = 1e-6;
}

/* Which ways are free at first tells more of the class apart. */
static int refine(struct policy_search *s, struct failure *f)
{
	bool kept[POLICY_MOST_HYPOTHESES];
	size_t before = s->left, cycles = s->finding->cycles;
	size_t warm = s->book->cycle_count;

	if (!s->asker.oracle->flushes || s->finding->kind != POLICY_KNOWN)
		return 0;
	memcpy(kept, s->alive, sizeof(kept));
	for (size_t i = POLICY_CYCLES; s->left && i < warm; i++) {
		int error = policy_search_ask(s, i, f);

		if (error)
			return error;
		strike(s);
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
		keep_names(s, first_alive(s));
	return 0;
}

/* None of the known that is exact: dice, or a policy that nobody knows. */
static int look_further(struct policy_search *s, struct failure *f)
{
	bool random = false;
	int error;

	error = policy_search_random(s, &random, f);
	if (error || random)
		return error;
	if (s->scattered) {
		snprintf(
			s->finding->reason, sizeof(s->finding->reason),
			"the same cycle misses now more, now less often, and no known random policy explains how");
		return 0;
	}
	while (!error && s->finding->cycles < UNKNOWN_CYCLES &&
	       any_cycle(s) < POLICY_CYCLES)
		error = policy_search_ask(s, any_cycle(s), f);
	if (error)
		return error;
	error = policy_search_permutation(s, f);
	if (!error && s->finding->kind == POLICY_UNDECIDED)
		error = policy_search_none(s, f);
	return error;
}

static int identify(struct policy_search *s, struct failure *f)
{
	int error = search(s, f);

	/* Once more, with other cycles, before nothing is believed. */
	if (!error && !s->left && s->scattered < SCATTERED_CYCLES)
		error = search(s, f);
	if (error)
		return error;
	if (s->scattered >= SCATTERED_CYCLES || !s->left)
		return look_further(s, f);
	/* Not much of an explanation: vectors would say more. */
	if (policy_book_vague(s->book, first_alive(s))) {
		error = policy_search_permutation(s, f);
		if (error || s->finding->kind != POLICY_UNDECIDED)
			return error;
	}
	say_known(s);
	if (policy_book_vague(s->book, first_alive(s)))
		return policy_search_emptied(s, first_alive(s), f);
	return refine(s, f);
}

int policy_identify(const struct set_oracle *oracle,
		    const struct policy_book *book,
		    struct policy_finding *finding, struct failure *f)
{
	struct policy_search *s = calloc(1, sizeof(*s));
	int error;

	*finding = (struct policy_finding){ .kind = POLICY_UNDECIDED };
	if (!s)
		return fail(f, STATUS_FAILED, ENOMEM,
			    "policy: out of memory (free some)");
	s->book = book;
	s->finding = finding;
	error = policy_calibrate(&s->asker, oracle, finding->reason,
				 sizeof(finding->reason), f);
	s->asker.answers = 0;
	if (!error && !finding->reason[0])
		error = identify(s, f);
	finding->answers = s->asker.answers;
	if (error == -EAGAIN) {
		finding->kind = POLICY_UNDECIDED;
		snprintf(finding->reason, sizeof(finding->reason),
			 "too disturbed: no answers any more");
		error = 0;
	}
	free(s);
	return error;
}
