// SPDX-License-Identifier: GPL-2.0
/* policy_random.c - policies that throw dice: only averages can be compared. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy_search.h"

/* Further cycles that are asked to tell them apart. */
#define MORE_CYCLES 12
/* Candidates that one is chosen for: predictions of random ones take long. */
#define FEW 12
/* Means that answers can tell apart. */
#define APART 0.35
/* A pair of two families counts as much as so many of one. */
#define FAMILIES_WEIGHT 10

/**
 * struct candidate - a random policy that explains all answers
 * @hypothesis: which
 * @off: how far its averages are off, squared and summed
 */
struct candidate {
	const struct hypothesis *hypothesis;
	double off;
};

/* Return: 1: it explains all answers, 0: not, or -errno. */
static int explains(const struct policy_search *s, const struct hypothesis *h,
		    double *off)
{
	const struct policy_book *b = s->book;

	*off = 0;
	for (size_t i = 0; i < s->finding->cycles; i++) {
		const struct policy_answer *answer = &s->answers[i];
		struct prediction p;
		double miss;
		int error = zoo_predict(h, b->zoo.ways,
					&b->cycles[s->finding->asked[i]], NULL,
					b->seed, &p);

		if (error)
			return error;
		if (!prediction_allows(&p, answer->low, answer->high))
			return 0;
		miss = (p.low + p.high) / 2 - answer->misses;
		*off += miss * miss;
	}
	return 1;
}

static int by_distance(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off ? 1 : 0;
}

static bool related(const struct candidate *a, const struct candidate *b)
{
	return a->hypothesis->policy.name == b->hypothesis->policy.name &&
	       a->hypothesis->habit == b->hypothesis->habit;
}

static bool same_family(const struct candidate *all, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!related(&all[i], &all[0]))
			return false;
	return true;
}

/* How well a cycle tells some of the candidates apart, or -errno. */
static int telling(const struct policy_search *s, const struct candidate *all,
		   size_t count, size_t cycle)
{
	const struct policy_book *b = s->book;
	size_t step = (count + FEW - 1) / FEW;
	struct prediction p[FEW];
	int score = 0;

	for (size_t i = 0; i * step < count; i++) {
		int error = zoo_predict(all[i * step].hypothesis, b->zoo.ways,
					&b->cycles[cycle], NULL, b->seed,
					&p[i]);

		if (error)
			return error;
		for (size_t j = 0; j < i; j++)
			if (!prediction_allows(&p[j], p[i].low - APART,
					       p[i].high + APART))
				score += related(&all[i * step],
						 &all[j * step]) ?
						 1 :
						 FAMILIES_WEIGHT;
	}
	return score;
}

/* Return: 0, or -errno; @cycle: POLICY_CYCLES: none tells them apart. */
static int choose(const struct policy_search *s, const struct candidate *all,
		  size_t count, size_t *cycle)
{
	int best = 0;

	*cycle = POLICY_CYCLES;
	for (size_t i = 0; i < POLICY_CYCLES; i++) {
		int score = s->asked[i] ? 0 : telling(s, all, count, i);

		if (score < 0)
			return score;
		if (score <= best)
			continue;
		best = score;
		*cycle = i;
	}
	return 0;
}

static int say(struct policy_search *s, const struct candidate *all,
	       size_t count)
{
	struct policy_finding *found = s->finding;

	found->name_count = found->more_names = 0;
	for (size_t i = 0; i < count; i++)
		policy_search_name(found, all[i].hypothesis->name);
	for (size_t i = 0; i < found->cycles; i++) {
		int error = zoo_predict(all[0].hypothesis, s->book->zoo.ways,
					&s->book->cycles[found->asked[i]], NULL,
					s->book->seed, &found->expected[i]);

		if (error)
			return error;
	}
	if (!same_family(all, count)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"%zu random policies of several families explain the averages",
			count);
		return 0;
	}
	found->kind = POLICY_RANDOMISED;
	found->answer_bound = 1e-3;
	if (count > 1)
		snprintf(
			found->reason, sizeof(found->reason),
			"the averages fit %zu of its variants, the best fit first",
			count);
	return 0;
}

/* Keep those that explain all answers. Return: 0 or -errno. */
static int sift(const struct policy_search *s, struct candidate *all,
		size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		int error;

		all[kept].hypothesis = all[i].hypothesis;
		error = explains(s, all[kept].hypothesis, &all[kept].off);
		if (error < 0)
			return error;
		kept += (size_t)error;
	}
	*count = kept;
	return 0;
}

static int no_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "policy: out of memory (free some)");
}

/* Ask what tells them apart, as long as anything does. */
static int tell_apart(struct policy_search *s, struct candidate *all,
		      size_t *count, struct failure *f)
{
	for (int i = 0; i<MORE_CYCLES && * count> 1; i++) {
		size_t cycle;
		int error;

		if (choose(s, all, *count, &cycle))
			return no_memory(f);
		if (cycle == POLICY_CYCLES)
			break;
		error = policy_search_ask(s, cycle, f);
		if (error)
			return error;
		if (sift(s, all, count))
			return no_memory(f);
	}
	return 0;
}

int policy_search_random(struct policy_search *s, bool *found,
			 struct failure *f)
{
	const struct zoo *z = &s->book->zoo;
	struct candidate *all = calloc(z->count, sizeof(*all));
	size_t count = z->count - z->deterministic;
	int error = 0;

	*found = false;
	if (!all)
		return no_memory(f);
	for (size_t i = 0; i < count; i++)
		all[i].hypothesis = &z->all[z->deterministic + i];
	if (sift(s, all, &count))
		error = no_memory(f);
	if (!error && count)
		error = tell_apart(s, all, &count, f);
	if (!error && count) {
		qsort(all, count, sizeof(*all), by_distance);
		*found = true;
		if (say(s, all, count))
			error = no_memory(f);
	}
	free(all);
	return error;
}
