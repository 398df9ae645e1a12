// SPDX-License-Identifier: GPL-2.0
/*
 * seems_random.c - policies that draw lots: only mean misses can be compared.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/policy/random_policies.h"
#include "method/policy/tuning.h"

/*
 * Cycles that a named policy must have been tested with, and answers for each.
 */
#define ENOUGH_CYCLES 16
#define ENOUGH_ANSWERS 24
/* Factors between the probability of a named policy and those of its decoys. */
#define RARITY_APART 1.25
#define RARITY_OTHER 2.0
/* Share of rare insertions of QLRU variants (algorithms.md 4.1). */
#define QLRU_RARE_SHARE (1.0 / 16)
/* Candidates that decoys are thought of for, and those of each. */
#define FEW 6
#define DECOYS 6
#define SIGMAS 5

/* Answers for each cycle at the end of a stage. */
static const unsigned int stages[] = { 24, 24, 24, 24, 48, 96 };

#define STAGES (sizeof(stages) / sizeof(stages[0]))

static int no_memory(struct failure *f)
{
	return fail(f, STATUS_FAILED, ENOMEM,
		    "policy: out of memory (free some)");
}

static bool is_rare(const struct hypothesis *h)
{
	return h->policy.name == PROFILE_BIP ||
	       h->policy.name == PROFILE_BRRIP ||
	       h->policy.name == PROFILE_QLRU;
}

/* One candidate for each behaviour: the first one stands for the others. */
static void gather(struct random_search *d)
{
	const struct known_policies *z = &d->search->catalogue->known;

	for (size_t i = z->deterministic; i < z->count; i++) {
		size_t j = 0;

		while (j < d->count &&
		       !hypothesis_same_when_full(&d->all[j].hypothesis,
						  &z->all[i]))
			j++;
		if (j == d->count)
			d->all[d->count++].hypothesis = z->all[i];
	}
}

static void add_decoy(struct random_search *d, const struct hypothesis *of,
		      double rarity)
{
	struct candidate *c = &d->all[d->count++];

	*c = (struct candidate){ .hypothesis = *of, .decoy = true };
	c->hypothesis.rarity = rarity;
}

/* Rare insertions at another age, "MR31" for "MR32", of other probability. */
static void add_other_ages(struct random_search *d, const struct hypothesis *of)
{
	const char *found = strstr(of->policy.variant, "_MR");

	for (char age = '0'; found && age < '4'; age++) {
		struct hypothesis other = *of;
		char *at = strstr(other.policy.variant, "_MR");

		if (age == at[3] || age == at[4])
			continue;
		at[4] = age;
		add_decoy(d, &other, 1 / RARITY_OTHER);
		add_decoy(d, &other, RARITY_OTHER);
	}
}

/* A random choice that prefers one way is another policy. */
static void add_loaded(struct random_search *d, const struct hypothesis *of)
{
	add_decoy(d, of, 0);
	d->all[d->count - 1].hypothesis.habit = HABIT_FIRST_OFTENER;
}

/*
 * The probability must be known, or a policy of another one would get the name.
 */
static void add_decoys(struct random_search *d)
{
	size_t named = d->count;

	for (size_t i = 0; i < named; i++) {
		struct hypothesis of = d->all[i].hypothesis;

		if (of.policy.name == PROFILE_RANDOM)
			add_loaded(d, &of);
		if (!is_rare(&of))
			continue;
		add_decoy(d, &of, 1 / RARITY_APART);
		add_decoy(d, &of, RARITY_APART);
		if (of.policy.name == PROFILE_QLRU)
			add_other_ages(d, &of);
	}
}

/*
 * Return: 1: nothing distinguishes the remaining candidates; 0: something may;
 * or -ENOMEM.
 */
static int one_class(const struct random_search *d)
{
	const struct policy_catalogue *b = d->search->catalogue;
	int same = d->count > 0 && d->all[0].strain <= 1;

	for (size_t i = 0; i < d->count; i++)
		if (d->all[i].decoy)
			return 0;
	for (size_t i = 1; same == 1 && i < d->count; i++)
		same = hypothesis_same_draws(&d->all[0].hypothesis,
					     &d->all[i].hypothesis,
					     b->known.ways, &d->pool, b->seed);
	return same;
}

/* Return: as set_ask(). */
static int stage(struct random_search *d, unsigned int answers,
		 struct failure *f)
{
	int error;

	if (random_search_choose(d, STAGE_CYCLES))
		return no_memory(f);
	if (!budget_draw(d->search->asker.budget, RANDOM_SIFT_ALPHA))
		return -EDQUOT;
	error = cycle_means_ask(&d->means, answers, f);
	if (!error && !cycle_means_are_disturbed(&d->means) &&
	    random_search_sift(d))
		error = no_memory(f);
	return error;
}

/* @one: (out) one class is left; @split: (out) number of cycles until then */
static int tell_apart(struct random_search *d, bool *one, size_t *split,
		      struct failure *f)
{
	bool decoys = false;

	*one = false;
	for (size_t i = 0; i < STAGES && d->count; i++) {
		int error, same;

		if (!decoys && d->count <= FEW) {
			add_decoys(d);
			decoys = true;
		}
		error = stage(d, stages[i], f);
		if (error)
			return error;
		if (cycle_means_are_disturbed(&d->means))
			return 0;
		same = one_class(d);
		if (same < 0)
			return no_memory(f);
		if (same && !*one)
			*split = d->means.count;
		*one = same && decoys;
		if (*one && d->means.count >= ENOUGH_CYCLES &&
		    stages[i] >= ENOUGH_ANSWERS)
			break;
	}
	return 0;
}

static void name_all(const struct random_search *d)
{
	struct policy_finding *found = d->search->finding;
	const struct known_policies *z = &d->search->catalogue->known;

	found->name_count = found->more_names = 0;
	for (size_t i = 0; i < d->count; i++)
		for (size_t j = z->deterministic;
		     !d->all[i].decoy && j < z->count; j++)
			if (hypothesis_same_when_full(&d->all[i].hypothesis,
						      &z->all[j]))
				policy_search_name(found, z->all[j].name);
}

/*
 * Report the measured cycles, and predictions of the first remaining candidate.
 */
static void show(const struct random_search *d)
{
	struct policy_finding *found = d->search->finding;

	found->cycles = d->means.count;
	for (size_t i = 0; i < d->means.count; i++) {
		size_t circle = d->means.cycles[i].number;
		const struct mean_misses *a = &d->all[0].means_of[circle];
		struct cycle_mean mean;

		cycle_means_of(&d->means, i, &mean);
		found->measured[i] = POLICY_ALL_CYCLES + circle;
		found->misses[i] = (mean.low + mean.high) / 2;
		found->expected[i] =
			(struct prediction){ a->low - SIGMAS * a->error,
					     a->high + SIGMAS * a->error };
	}
}

/*
 * State the range of the probability of rare insertions: others are ruled out.
 */
static void say_which(const struct random_search *d)
{
	struct policy_finding *found = d->search->finding;
	const struct hypothesis *h = &d->all[0].hypothesis;
	double rare = h->policy.name == PROFILE_QLRU ? QLRU_RARE_SHARE :
						       h->policy.epsilon;

	found->kind = POLICY_RANDOMISED;
	if (is_rare(h))
		snprintf(found->reason, sizeof(found->reason),
			 "the rare insertion comes once in %.3g to %.3g",
			 1 / rare / RARITY_APART, RARITY_APART / rare);
	else if (h->policy.name == PROFILE_RANDOM)
		snprintf(
			found->reason, sizeof(found->reason),
			"no way goes instead of another one time in eight; less would hardly be seen");
}

static void say(const struct random_search *d, bool one, size_t split)
{
	struct policy_finding *found = d->search->finding;

	found->cycles = found->split = 0;
	if (cycle_means_are_disturbed(&d->means)) {
		snprintf(
			found->reason, sizeof(found->reason),
			"no deterministic policy explains the answers, and as many lines as fit miss now and then: contention (try again when no other program uses the cache)");
		return;
	}
	name_all(d);
	show(d);
	found->split = one ? split : d->means.count;
	if (cycle_means_drift(&d->means))
		snprintf(
			found->reason, sizeof(found->reason),
			"a random policy, whose means drift: nothing can be compared with them");
	else if (one)
		say_which(d);
	else if (!found->name_count)
		snprintf(
			found->reason, sizeof(found->reason),
			"like %s, but with other probabilities: none of the known random policies",
			d->all[0].hypothesis.name);
	else if (found->name_count == 1)
		snprintf(
			found->reason, sizeof(found->reason),
			d->count == 1 ?
				"%s explains most of the means, but not all" :
				"%s explains the means, and so do other probabilities than its",
			found->names[0]);
	else
		snprintf(
			found->reason, sizeof(found->reason),
			"%zu random policies explain the means, which are not exact enough to distinguish them",
			found->name_count + found->more_names);
}

static int begin(struct random_search *d, struct policy_search *s)
{
	const struct known_policies *z = &s->catalogue->known;

	d->search = s;
	d->means.asker = &s->asker;
	d->means.rng.state = s->catalogue->seed;
	d->all = calloc(z->count - z->deterministic + DECOYS * FEW,
			sizeof(*d->all));
	if (!d->all)
		return -ENOMEM;
	gather(d);
	return cycle_pool_make(&d->pool, s->asker.oracle, s->catalogue->seed);
}

int policy_search_random(struct policy_search *s, enum outcome *outcome,
			 struct failure *f)
{
	struct random_search *d = calloc(1, sizeof(*d));
	size_t split = 0;
	bool one = false;
	int error = 0;

	*outcome = OUTCOME_OPEN;
	if (!d || begin(d, s))
		error = no_memory(f);
	else if (d->pool.count >= ENOUGH_CYCLES)
		error = tell_apart(d, &one, &split, f);
	*outcome =
		outcome_if(!error && d->count && d->means.count, OUTCOME_OPEN);
	if (*outcome == OUTCOME_DECIDED)
		say(d, one, split);
	if (d) {
		cycle_pool_free(&d->pool);
		free(d->all);
	}
	free(d);
	return error;
}
