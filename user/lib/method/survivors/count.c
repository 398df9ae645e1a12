// SPDX-License-Identifier: GPL-2.0
/*
 * count.c - how many lines of a set stay at a time.
 *
 * Whatever the policy, lines that come into a set whose other lines were flushed take
 * the ways that are free first. So as many as there are ways all stay, unless something
 * else takes one of them, and one more never do. They are timed until the first one
 * that is missing, which alone could take the place of another.
 */
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "method/survivors/internal.h"
#include "method/survivors/tuning.h"

/* More lines than stay look as if they did in fewer looks than this: one of them has
 * not left the level above, or one that is evicted was read as if it were there.
 */
#define MOST_FALSE 0.02
/* Lines that stay are seen to in more looks than this. */
#define LEAST_TRUE 0.1
/* Numbers in a row that do not stay. */
#define BEYOND 3
/* Looks for each one that counts, at most. */
#define PATIENCE 4

/* Other ones each time, in another order. */
static void choose(struct survivors *s, const struct survivor_set *set,
		   size_t number, uint64_t *lines)
{
	size_t order[SURVIVOR_SET_LINES];

	rng_order(&s->p->rng, order, set->count);
	for (size_t i = 0; i < number; i++)
		lines[i] = set->lines[order[i]];
}

/* Return: 1: all stay, 0: one is missing, -1: the look does not count. */
static int all_stay(const struct survivors *s, const double *ticks,
		    size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (ticks[i] > s->far_ticks)
			return 0;
		else if (ticks[i] <= s->least_ticks)
			return -1;
	return 1;
}

/**
 * struct tries - looks at @number lines
 * @stay: looks in which all of them do
 * @looks: that count
 */
struct tries {
	size_t number;
	unsigned int stay;
	unsigned int looks;
};

static int look_often(struct survivors *s, const struct survivor_set *set,
		      unsigned int looks, struct tries *t, struct failure *f)
{
	const unsigned int wanted = t->looks + looks;
	uint64_t lines[SURVIVOR_SET_LINES];
	double ticks[SURVIVOR_SET_LINES];
	const struct sequence timed = { lines, t->number };
	struct survivor_look look = { .timed = &timed,
				      .between = &timed,
				      .passes = FILL_PASSES,
				      .ticks = ticks };

	for (unsigned int i = 0; t->looks < wanted && i < PATIENCE * looks;
	     i++) {
		int error, seen;

		choose(s, set, t->number, lines);
		error = survivors_look(s, &look, f);
		if (error)
			return error;
		seen = look.disturbed ? -1 : all_stay(s, ticks, t->number);
		t->looks += seen >= 0;
		t->stay += seen > 0;
	}
	return 0;
}

/* Undecided where they stay in some looks, but in few. */
static enum verdict decide(const struct tries *t, double wrong)
{
	if (!t->looks)
		return VERDICT_UNDECIDED;
	if (statistics_binomial_tail(t->stay, t->looks, MOST_FALSE) < wrong)
		return VERDICT_COMPACT;
	return statistics_binomial_tail(t->looks - t->stay, t->looks,
					1 - LEAST_TRUE) < wrong ?
		       VERDICT_NON_COMPACT :
		       VERDICT_UNDECIDED;
}

/* Whether @number lines all stay: a few looks show it where nothing disturbs them. */
static int ask(struct survivors *s, const struct survivor_set *set,
	       size_t number, double wrong, enum verdict *verdict,
	       struct failure *f)
{
	struct tries t = { .number = number };
	int error = look_often(s, set, COUNT_FEW, &t, f);

	/* Each test has its part. */
	wrong /= 1 + COUNT_ROUNDS;
	*verdict = error ? VERDICT_UNDECIDED : decide(&t, wrong);
	for (int i = 0;
	     !error && *verdict == VERDICT_UNDECIDED && i < COUNT_ROUNDS; i++) {
		error = look_often(s, set, COUNT_LOOKS, &t, f);
		if (!error)
			*verdict = decide(&t, wrong);
	}
	return error;
}

/* The most lines that stay, if it is decided that no more do. */
static int count(struct survivors *s, const struct survivor_set *set,
		 double wrong, size_t *ways, struct failure *f)
{
	size_t beyond = 0;

	for (size_t n = 1; n <= set->count && beyond < BEYOND; n++) {
		enum verdict stay;
		int error =
			ask(s, set, n, wrong / (double)set->count, &stay, f);

		if (error)
			return error;
		if (stay == VERDICT_COMPACT)
			*ways = n;
		beyond = stay == VERDICT_NON_COMPACT ? beyond + 1 : 0;
		/* What other load takes from fewer lines, it takes from more. */
		if (stay == VERDICT_UNDECIDED && n > *ways + 1)
			break;
	}
	if (beyond < BEYOND)
		*ways = 0;
	return 0;
}

/* *stays: after all other lines of the set this one is there in half of the looks at
 * least.
 */
static int is_stray(struct survivors *s, const struct survivor_set *set,
		    size_t line, bool *stays, struct failure *f)
{
	uint64_t others[SURVIVOR_SET_LINES], offset = set->lines[line];
	const struct sequence timed = { &offset, 1 };
	struct sequence between = { others, 0 };
	double ticks;
	struct survivor_look look = { .timed = &timed,
				      .between = &between,
				      .passes = FILL_PASSES,
				      .ticks = &ticks };
	unsigned int stay = 0, seen = 0;

	for (size_t i = 0; i < set->count; i++)
		if (i != line)
			others[between.length++] = set->lines[i];
	for (unsigned int i = 0; i < STRAY_LOOKS; i++) {
		int error = survivors_look(s, &look, f);

		if (error)
			return error;
		if (look.disturbed || ticks <= s->least_ticks)
			continue;
		seen++;
		stay += ticks <= s->far_ticks;
	}
	*stays = seen && 2 * stay >= seen;
	return 0;
}

/*
 * A line of another set stays whatever the others do, and makes this one hold one more.
 * Where most lines do, a policy that keeps those that came first is seen, and none is
 * dropped.
 */
static int drop_strays(struct survivors *s, struct survivor_set *set,
		       struct failure *f)
{
	uint64_t kept[SURVIVOR_SET_LINES] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		bool stray = false;
		int error = is_stray(s, set, i, &stray, f);

		if (error)
			return error;
		if (!stray)
			kept[count++] = set->lines[i];
	}
	if (2 * count < set->count)
		return 0;
	memcpy(set->lines, kept, count * sizeof(*kept));
	set->count = count;
	return 0;
}

int survivors_count(struct survivors *s, struct survivor_set *set, double wrong,
		    size_t *ways, struct failure *f)
{
	const struct sequence push = s->push;
	uint64_t others[RESULT_SET_LINES];
	int error;

	*ways = 0;
	if (set->other_count < push.length)
		return 0;
	memcpy(others, set->others, sizeof(others));
	s->push.offsets = others;
	error = drop_strays(s, set, f);
	if (!error)
		error = count(s, set, wrong, ways, f);
	s->push = push;
	return error;
}
