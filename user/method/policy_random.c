// SPDX-License-Identifier: GPL-2.0
/* policy_random.c - policies that throw dice: only averages can be compared. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy_search.h"

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

static bool same_family(const struct candidate *all, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (all[i].hypothesis->policy.name !=
			    all[0].hypothesis->policy.name ||
		    all[i].hypothesis->habit != all[0].hypothesis->habit)
			return false;
	return true;
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

int policy_search_random(struct policy_search *s, bool *found,
			 struct failure *f)
{
	const struct zoo *z = &s->book->zoo;
	struct candidate *all = calloc(z->count, sizeof(*all));
	size_t count = 0;
	int error = all ? 0 : -ENOMEM;

	*found = false;
	for (size_t i = z->deterministic; error >= 0 && i < z->count; i++) {
		all[count].hypothesis = &z->all[i];
		error = explains(s, &z->all[i], &all[count].off);
		count += error == 1;
	}
	if (error >= 0 && count) {
		qsort(all, count, sizeof(*all), by_distance);
		*found = true;
		error = say(s, all, count);
	}
	free(all);
	if (error < 0)
		return fail(f, STATUS_FAILED, -error,
			    "policy: out of memory (free some)");
	return 0;
}
