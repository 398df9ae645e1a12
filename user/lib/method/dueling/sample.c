// SPDX-License-Identifier: GPL-2.0
/*
 * sample.c - does any of a few sets change with earlier accesses to other sets?
 *
 * A toss decides each time which push comes first. If pushes make no
 * difference, readings are independent of the tosses, whatever disturbs them,
 * and the number of n readings that agree with the tosses is binomial with
 * probability one half.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "method/dueling/search.h"
#include "method/dueling/tuning.h"
#include "observe/sampler.h"

/*
 * Tosses of either kind before the first test, and the numbers of tosses then.
 */
#define OF_EITHER 3
#define FIRST_LOOK 8
#define LEAST_TOSSES 32
#define MOST_TOSSES 64
/* Agreement of FIRST_LOOK tosses that is worth more tosses. */
#define PROMISING 7

/**
 * struct shown - readings of the sets
 * @sets: their numbers; @count of them
 * @tosses: kinds of push; @done of them
 * @apart: push before each reading, not once before all: a leader among the
 *         sets may move the selector when it is read
 * @values: readings; NAN: none
 */
struct shown {
	uint64_t sets[MOST_SETS];
	size_t count;
	enum dueling_push tosses[MOST_TOSSES];
	size_t done;
	bool apart;
	double values[MOST_SETS][MOST_TOSSES];
};

/*
 * Groups of the sets that are sampled are left out of pushes, and all leaders of
 * one kind may lie in a few groups. So the sets of a second sample lie in other
 * groups than those of the first one.
 */
static void choose_sets(struct dueling_search *s, const struct shown *before,
			struct shown *t)
{
	const struct dueling_oracle *o = s->oracle;
	size_t most = o->groups / LEAVE_GROUPS;

	if (most > MOST_SETS)
		most = MOST_SETS;
	for (uint64_t i = 0; i < o->groups; i++)
		s->groups[i] = true;
	for (size_t i = 0; i < before->count; i++)
		s->groups[before->sets[i] % o->groups] = false;
	while (t->count < most) {
		uint64_t set = rng_below(s->rng, o->sets);

		if (!s->groups[set % o->groups])
			continue;
		s->groups[set % o->groups] = false;
		t->sets[t->count++] = set;
	}
	for (size_t i = 0; i < before->count; i++)
		s->groups[before->sets[i] % o->groups] = true;
	s->found->tried += t->count;
}

/* No sentinel shows yet when a push was long enough. */
static int push_twice(struct dueling_search *s, enum dueling_push kind,
		      struct failure *f)
{
	int error = dueling_push(s, kind, f);

	return error ? error : dueling_push(s, kind, f);
}

/* One toss: push, then read all sets in a new order. */
static int toss(struct dueling_search *s, struct shown *t, struct failure *f)
{
	enum dueling_push kind = rng_below(s->rng, 2) ? DUELING_REUSE :
							DUELING_THRASH;
	size_t order[MOST_SETS] = { 0 };
	int error = push_twice(s, kind, f);

	t->tosses[t->done] = kind;
	rng_order(s->rng, order, t->count);
	for (size_t i = 0; !error && i < t->count; i++) {
		double *value = &t->values[order[i]][t->done];

		if (i && t->apart)
			error = push_twice(s, kind, f);
		if (!error)
			error = dueling_read(s, t->sets[order[i]], value, f);
		if (error == -EAGAIN) {
			*value = NAN;
			error = 0;
		}
	}
	t->done += !error;
	return error;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/* The middle of the widest gap. Return: whether the gap is wide enough. */
static bool threshold(const double *values, size_t done, double contrast,
		      double *middle, size_t *count)
{
	double sorted[MOST_TOSSES] = { 0 }, widest = 0;

	*count = 0;
	for (size_t i = 0; i < done; i++)
		if (!isnan(values[i]))
			sorted[(*count)++] = values[i];
	qsort(sorted, *count, sizeof(sorted[0]), by_value);
	for (size_t i = 1; i < *count; i++) {
		double gap = sorted[i] - sorted[i - 1];

		if (gap <= widest)
			continue;
		widest = gap;
		*middle = sorted[i] - gap / 2;
	}
	return widest >= contrast;
}

/* How well one set agrees with the tosses: the better of both directions. */
static size_t agreement(const struct dueling_search *s, const struct shown *t,
			size_t at, size_t *count)
{
	double middle = 0;
	size_t agree = 0;

	if (!threshold(t->values[at], t->done, s->oracle->contrast, &middle,
		       count))
		return 0;
	for (size_t i = 0; i < t->done; i++)
		agree += !isnan(t->values[at][i]) &&
			 (t->values[at][i] > middle) ==
				 (t->tosses[i] == DUELING_REUSE);
	return agree > *count - agree ? agree : *count - agree;
}

/* The set that agrees best. Return: the probability of that by chance. */
static double best(const struct dueling_search *s, const struct shown *t,
		   size_t *at, size_t *most)
{
	double least = 1;

	*most = 0;
	for (size_t i = 0; i < t->count; i++) {
		size_t count = 0, agree = agreement(s, t, i, &count);
		double chance = agree ? 2 * statistics_binomial_tail(
						    agree, count, 0.5) :
					1;

		*most = agree > *most ? agree : *most;
		if (chance >= least)
			continue;
		least = chance;
		*at = i;
	}
	return least * (double)t->count;
}

static double mean_after(const struct shown *t, size_t at,
			 enum dueling_push kind)
{
	double values[MOST_TOSSES] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < t->done; i++)
		if (t->tosses[i] == kind && !isnan(t->values[at][i]))
			values[count++] = t->values[at][i];
	return count ? statistics_quantile(values, count, 0.5) : NAN;
}

/* One test. Return: 0; -EDQUOT: too little error is left in the budget. */
static int judge(struct dueling_search *s, const struct shown *t)
{
	size_t at = 0, most;

	if (!budget_draw(s->budget, DUELING_SEEN_ALPHA))
		return -EDQUOT;
	if (best(s, t, &at, &most) > DUELING_SEEN_ALPHA)
		return 0;
	s->found->verdict = DUELING_SEEN;
	s->sentinel = t->sets[at];
	for (int kind = 0; kind < DUELING_PUSHES; kind++)
		s->shown[kind] = mean_after(t, at, (enum dueling_push)kind);
	return 0;
}

/* Whether agreement is high enough for more tosses to exclude chance. */
static bool promising(const struct dueling_search *s, const struct shown *t)
{
	size_t at = 0, most;

	best(s, t, &at, &most);
	return most * FIRST_LOOK >= PROMISING * t->done;
}

/* Whether readings of some set differ. */
static bool varies(const struct dueling_search *s, const struct shown *t)
{
	for (size_t i = 0; i < t->count; i++) {
		double middle;
		size_t count;

		if (threshold(t->values[i], t->done, s->oracle->contrast,
			      &middle, &count))
			return true;
	}
	return false;
}

/* Whether enough readings were undisturbed. */
static bool answered(const struct shown *t)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		for (size_t j = 0; j < t->done; j++)
			count += !isnan(t->values[i][j]);
	return 4 * count > 3 * t->count * t->done;
}

static int toss_first(struct dueling_search *s, struct shown *t,
		      struct failure *f)
{
	size_t count[DUELING_PUSHES] = { 0 };
	int error = 0;

	while (!error && t->done < MOST_TOSSES &&
	       (t->done < FIRST_LOOK || count[DUELING_THRASH] < OF_EITHER ||
		count[DUELING_REUSE] < OF_EITHER)) {
		error = toss(s, t, f);
		if (!error)
			count[t->tosses[t->done - 1]]++;
	}
	return error;
}

static int toss_more(struct dueling_search *s, struct shown *t,
		     struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < FIRST_LOOK && t->done < MOST_TOSSES; i++)
		error = toss(s, t, f);
	return error;
}

/* Toss until agreement excludes chance, or looks like chance. */
static int settle(struct dueling_search *s, struct shown *t, struct failure *f)
{
	int error = toss_first(s, t, f);

	while (!error && promising(s, t) && t->done < MOST_TOSSES) {
		error = toss_more(s, t, f);
		if (error || t->done < LEAST_TOSSES)
			continue;
		error = judge(s, t);
		if (!error && s->found->verdict == DUELING_SEEN)
			return 0;
	}
	if (error)
		return error;
	if (!answered(t))
		dueling_say(s, "too disturbed: hardly any answers");
	else if (!promising(s, t))
		s->found->verdict = DUELING_NOT_SEEN;
	else
		dueling_say(
			s,
			"some sets seem to change with what others do, but not each time");
	return 0;
}

/* Once more with a push before each reading, if readings differed. */
static int try_sets(struct dueling_search *s, struct shown *t,
		    struct failure *f)
{
	const struct budget_scope scope = budget_open(s->budget);
	int error = settle(s, t, f);

	if (!error && s->found->verdict == DUELING_NOT_SEEN && varies(s, t)) {
		t->apart = true;
		t->done = 0;
		s->found->verdict = DUELING_UNDECIDED;
		error = settle(s, t, f);
	}
	s->found->seen_bound = budget_close(s->budget, &scope);
	return error;
}

int dueling_sample(struct dueling_search *s, struct failure *f)
{
	struct shown first = { .count = 0 }, second = { .count = 0 };
	int error;

	choose_sets(s, &second, &first);
	if (!first.count) {
		dueling_say(
			s,
			"too few sets of the levels above to leave some in peace");
		return 0;
	}
	error = try_sets(s, &first, f);
	if (error || s->found->verdict != DUELING_NOT_SEEN)
		return error;
	choose_sets(s, &first, &second);
	s->found->verdict = DUELING_UNDECIDED;
	return try_sets(s, &second, f);
}

int dueling_sample_set(struct dueling_search *s, uint64_t set,
		       struct failure *f)
{
	struct shown t = { .sets = { set }, .count = 1 };

	for (uint64_t i = 0; i < s->oracle->groups; i++)
		s->groups[i] = i != set % s->oracle->groups;
	s->found->tried = 1;
	return try_sets(s, &t, f);
}
