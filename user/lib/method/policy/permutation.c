// SPDX-License-Identifier: GPL-2.0
/*
 * permutation.c - a policy by its permutations (Abel and Reineke, RTAS 2013).
 *
 * Other lines first make the set forget, then it is filled. The number of new
 * lines that evict a line is its place in the order of eviction. Such a policy
 * is known by how a hit and a miss change these places.
 */
#include <stdio.h>
#include <string.h>

#include "method/policy/search.h"

/* Answers by which one must lead: the result is tested afterwards. */
#define LEAD 2
#define LONGEST (8 * SET_MOST_WAYS)
#define NOT_THERE SET_MOST_WAYS

/**
 * struct probe - when is a line evicted?
 * @s: the search
 * @ways: ways
 * @head: accesses that make the set forget, fill it, and then change places
 * @length: of @head
 * @fresh: first of the new lines that follow
 * @without: misses without the line, by the number of new lines; < 0: unknown
 */
struct probe {
	struct policy_search *s;
	unsigned int ways;
	unsigned int head[LONGEST];
	size_t length;
	unsigned int fresh;
	double without[SET_MOST_WAYS + 1];
};

/*
 * Lines 0 to ways - 1 fill the set; the others make it forget, or are new
 * lines.
 */
static void begin(struct probe *p, struct policy_search *s)
{
	unsigned int ways = s->asker.oracle->ways;

	p->s = s;
	p->ways = ways;
	p->fresh = ways;
	p->length = 0;
	for (unsigned int i = 3 * ways; i-- > ways;)
		p->head[p->length++] = i;
	for (unsigned int i = 0; i < ways; i++)
		p->head[p->length++] = i;
}

static void then(struct probe *p, unsigned int block)
{
	p->head[p->length++] = block;
	for (unsigned int i = 0; i <= p->ways; i++)
		p->without[i] = -1;
}

static int misses(struct probe *p, unsigned int fresh, unsigned int line,
		  double *value, struct failure *f)
{
	unsigned int blocks[LONGEST];
	struct cycle c = { .blocks = blocks };
	struct set_answer answer;
	int error;

	memcpy(blocks, p->head, p->length * sizeof(*blocks));
	c.length = p->length;
	for (unsigned int i = 0; i < fresh; i++)
		blocks[c.length++] = p->fresh + i;
	if (line != NOT_THERE)
		blocks[c.length++] = line;
	error = set_ask(&p->s->asker, &c, &answer, f);
	*value = answer.misses;
	return error;
}

/*
 * *@verdict: 1: @line is evicted by @fresh new lines; 0: it is not; -1: unclear
 */
static int gone(struct probe *p, unsigned int fresh, unsigned int line,
		int *verdict, struct failure *f)
{
	double with = 0, more;
	int error = 0;

	if (p->without[fresh] < 0)
		error = misses(p, fresh, NOT_THERE, &p->without[fresh], f);
	if (!error)
		error = misses(p, fresh, line, &with, f);
	more = with - p->without[fresh];
	*verdict = more > 0.6 && more < 1.4  ? 1 :
		   more > -0.4 && more < 0.4 ? 0 :
					       -1;
	return error;
}

/* *@age: number of new lines that evict @line, 0 to ways; ways + 1: unclear */
static int find_age(struct probe *p, unsigned int line, unsigned int *age,
		    struct failure *f)
{
	unsigned int low = 0, high = p->ways;

	while (low < high) {
		unsigned int middle = (low + high) / 2;
		int verdict, error = gone(p, middle, line, &verdict, f);

		if (error)
			return error;
		if (verdict < 0) {
			*age = p->ways + 1;
			return 0;
		}
		if (verdict)
			high = middle;
		else
			low = middle + 1;
	}
	*age = low;
	return 0;
}

/* places[line]: ways - 1: evicted next; NOT_THERE: evicted already */
static int find_places(struct probe *p, unsigned char *places,
		       enum outcome *outcome, struct failure *f)
{
	uint64_t taken = 0;

	*outcome = OUTCOME_DECIDED;
	for (unsigned int i = 0; i < p->ways; i++) {
		unsigned int age;
		int error = find_age(p, i, &age, f);

		if (error)
			return error;
		if (age > p->ways || (age && taken >> age & 1))
			*outcome = OUTCOME_VOID;
		if (*outcome != OUTCOME_DECIDED)
			return 0;
		taken |= UINT64_C(1) << age;
		places[i] = (unsigned char)(age ? p->ways - age : NOT_THERE);
	}
	return 0;
}

/* Places after a miss; the new line has the place that is left. */
static int find_miss(struct probe *p, const unsigned char *before,
		     struct permutation_policy *policy, enum outcome *outcome,
		     struct failure *f)
{
	unsigned char after[SET_MOST_WAYS];
	uint64_t left = (UINT64_C(1) << p->ways) - 1;
	int error;

	then(p, p->fresh++);
	error = find_places(p, after, outcome, f);
	if (error || *outcome != OUTCOME_DECIDED)
		return error;
	for (unsigned int i = 0; i < p->ways; i++) {
		/* An evicted line has no place, and does not come back. */
		if (before[i] == NOT_THERE ||
		    (before[i] == p->ways - 1) != (after[i] == NOT_THERE)) {
			*outcome = OUTCOME_VOID;
			return 0;
		}
		if (after[i] == NOT_THERE)
			continue;
		policy->miss[before[i]] = after[i];
		left &= ~(UINT64_C(1) << after[i]);
	}
	if (!left || left & (left - 1))
		*outcome = OUTCOME_VOID;
	else
		policy->miss[p->ways - 1] =
			(unsigned char)__builtin_ctzll(left);
	return 0;
}

static int find_vectors(struct policy_search *s,
			struct permutation_policy *policy,
			enum outcome *outcome, struct failure *f)
{
	unsigned char before[SET_MOST_WAYS], after[SET_MOST_WAYS];
	struct probe p;
	int error;

	begin(&p, s);
	/*
	 * The last of the lines that fill the set comes again: nothing changes.
	 */
	p.length--;
	then(&p, p.ways - 1);
	error = find_places(&p, before, outcome, f);
	if (!error && *outcome == OUTCOME_DECIDED)
		error = find_miss(&p, before, policy, outcome, f);
	for (unsigned int i = 0;
	     !error && *outcome == OUTCOME_DECIDED && i < p.ways; i++) {
		begin(&p, s);
		then(&p, i);
		error = find_places(&p, after, outcome, f);
		for (unsigned int j = 0;
		     !error && *outcome == OUTCOME_DECIDED && j < p.ways; j++) {
			if (after[j] == NOT_THERE || before[j] == NOT_THERE)
				*outcome = OUTCOME_VOID;
			else
				policy->hit[before[i]][before[j]] = after[j];
		}
	}
	return error;
}

/* Whether these permutations explain all answers so far. */
static int explains(struct policy_search *s,
		    const struct permutation_policy *policy,
		    enum outcome *outcome, struct failure *f)
{
	*outcome = OUTCOME_DECIDED;
	for (size_t i = 0;
	     *outcome == OUTCOME_DECIDED && i < s->finding->cycles; i++) {
		const struct set_answer *answer = &s->answers[i];
		struct prediction *p = &s->finding->expected[i];

		if (permutation_predict(
			    policy,
			    &s->catalogue->cycles[s->finding->measured[i]],
			    s->catalogue->seed, p))
			return fail(f, STATUS_FAILED, ENOMEM,
				    "policy: out of memory (free some)");
		*outcome = outcome_if(prediction_allows(p, answer->low,
							answer->high),
				      OUTCOME_OPEN);
	}
	return 0;
}

int policy_search_permutation(struct policy_search *s, struct failure *f)
{
	struct permutation_policy *policy = &s->finding->permutation;
	struct budget *budget = s->asker.budget;
	unsigned int lead = s->asker.lead, ways = s->asker.oracle->ways;
	enum outcome outcome = OUTCOME_DECIDED;
	int error;

	if (s->asker.oracle->blocks < 3 * ways || ways >= SET_MOST_WAYS ||
	    s->asker.oracle->most_accesses < 5 * (size_t)ways)
		return 0;
	*policy = (struct permutation_policy){ .ways = ways };
	s->asker.lead = lead < LEAD ? lead : LEAD;
	s->asker.budget = NULL;
	error = find_vectors(s, policy, &outcome, f);
	s->asker.lead = lead;
	s->asker.budget = budget;
	if (!error && outcome == OUTCOME_DECIDED)
		error = explains(s, policy, &outcome, f);
	if (error || outcome != OUTCOME_DECIDED)
		return error;
	s->finding->kind = POLICY_PERMUTATION;
	return 0;
}
