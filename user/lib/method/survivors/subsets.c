// SPDX-License-Identifier: GPL-2.0
/*
 * subsets.c - which lines share the set of a line, by random subsets.
 *
 * Each look loads a random subset of all lines, so large that it evicts a target in
 * about half of the looks. A line of its set makes that likelier, by a tenth or so;
 * others make no difference, nor does other load, which knows of no subset. After
 * thousands of looks the two are ten standard deviations apart. All targets are timed
 * in each look.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "method/survivors/internal.h"
#include "method/survivors/tuning.h"

/* Shares that are tried, each this part of the one before. */
#define SHARE_STEP 0.8
#define LEAST_SHARE 0.02
/* As long as there are more lines, half of them go: those of a set are far above the
 * middle. All lines may be of one of the sets where these are few.
 */
#define MANY_LINES 1024
/* Scores that are as good as the limit, in standard deviations, and how many of
 * those above it may be.
 */
#define ABOUT 1
#define MOST_ABOUT 0.1
/* Lines of a set are above the limit, and those of others about zero: whose score is
 * above half of it is not clear.
 */
#define HALFWAY 2

/**
 * struct tally - what was seen of a target
 * @looks: at it
 * @evicted: in as many of them
 * @with: looks in which each line was loaded
 * @with_evicted: in which it was evicted then
 */
struct tally {
	double looks;
	double evicted;
	uint32_t *with;
	uint32_t *with_evicted;
};

/**
 * struct subsets - looks at random subsets
 * @s: the question
 * @share: of the lines that are loaded
 * @targets: in the order of struct tally
 * @tallies: of each
 * @chosen: numbers of the lines of the look
 * @between: these lines
 * @scores: of each line, the most of any target; and as much room for sorting
 */
struct subsets {
	struct survivors *s;
	double share;
	uint64_t targets[SURVIVOR_TARGETS];
	struct tally tallies[SURVIVOR_TARGETS];
	size_t *chosen;
	struct sequence between;
	double *scores;
};

static int reserve(struct subsets *u, struct survivors *s, struct failure *f)
{
	const size_t n = s->count;
	bool failed;

	*u = (struct subsets){
		.s = s,
		.chosen = calloc(n, sizeof(*u->chosen)),
		.between.offsets = calloc(n, sizeof(*u->between.offsets)),
		.scores = calloc(2 * n, sizeof(*u->scores)),
	};
	failed = !u->chosen || !u->between.offsets || !u->scores;
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++) {
		struct tally *t = &u->tallies[i];

		t->with = calloc(n, sizeof(*t->with));
		t->with_evicted = calloc(n, sizeof(*t->with_evicted));
		failed = failed || !t->with || !t->with_evicted;
	}
	return failed ? prober_out_of_memory(f) : 0;
}

static void release(struct subsets *u)
{
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++) {
		free(u->tallies[i].with);
		free(u->tallies[i].with_evicted);
	}
	free(u->chosen);
	free(u->between.offsets);
	free(u->scores);
}

static void forget(struct subsets *u)
{
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++) {
		struct tally *t = &u->tallies[i];

		t->looks = 0;
		t->evicted = 0;
		memset(t->with, 0, u->s->count * sizeof(*t->with));
		memset(t->with_evicted, 0,
		       u->s->count * sizeof(*t->with_evicted));
	}
}

static void choose(struct subsets *u)
{
	struct rng *rng = &u->s->p->rng;

	u->between.length = 0;
	for (size_t i = 0; i < u->s->count; i++) {
		if (rng_uniform(rng) >= u->share)
			continue;
		u->chosen[u->between.length] = i;
		u->between.offsets[u->between.length++] = u->s->lines[i];
	}
}

static void add_look(struct subsets *u, struct tally *t, bool evicted)
{
	t->looks++;
	t->evicted += evicted;
	for (size_t i = 0; i < u->between.length; i++) {
		t->with[u->chosen[i]]++;
		t->with_evicted[u->chosen[i]] += evicted;
	}
}

/* The targets in an order of its own each time: the last ones may be evicted by the
 * first.
 */
static int look_once(struct subsets *u, struct failure *f)
{
	uint64_t lines[SURVIVOR_TARGETS];
	double ticks[SURVIVOR_TARGETS];
	size_t order[SURVIVOR_TARGETS];
	const struct sequence timed = { lines, SURVIVOR_TARGETS };
	struct survivor_look look = { .timed = &timed,
				      .between = &u->between,
				      .passes = 1,
				      .ticks = ticks };
	int error;

	rng_order(&u->s->p->rng, order, SURVIVOR_TARGETS);
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++)
		lines[i] = u->targets[order[i]];
	choose(u);
	error = survivors_look(u->s, &look, f);
	for (size_t i = 0; !error && !look.disturbed && i < SURVIVOR_TARGETS;
	     i++)
		if (ticks[i] > u->s->least_ticks)
			add_look(u, &u->tallies[order[i]],
				 ticks[i] > u->s->far_ticks);
	return error;
}

static int look_often(struct subsets *u, unsigned int looks, struct failure *f)
{
	int error = 0;

	for (unsigned int i = 0; !error && i < looks; i++)
		error = look_once(u, f);
	return error;
}

static double mean_evicted(const struct subsets *u)
{
	double looks = 0, evicted = 0;

	for (size_t i = 0; i < SURVIVOR_TARGETS; i++) {
		looks += u->tallies[i].looks;
		evicted += u->tallies[i].evicted;
	}
	return looks > 0 ? evicted / looks : 0;
}

/* How many of the targets a share of the lines evicts. */
static int time_share(struct subsets *u, double share, double *evicted,
		      struct failure *f)
{
	int error;

	u->share = share;
	forget(u);
	error = look_often(u, SHARE_LOOKS, f);
	*evicted = mean_evicted(u);
	forget(u);
	return error;
}

/* The largest share that evicts less than half, besides what is evicted without. 0:
 * all lines evict less.
 */
static int choose_share(struct subsets *u, struct failure *f)
{
	double evicted, without, share = 1;
	int error = time_share(u, 0, &without, f);

	if (!error)
		error = time_share(u, share, &evicted, f);
	if (!error && evicted - without < 0.5)
		share = 0;
	while (!error && share > LEAST_SHARE && evicted >= 0.5) {
		share *= SHARE_STEP;
		error = time_share(u, share, &evicted, f);
	}
	u->share = share;
	return error;
}

/* By how many standard deviations a line makes it likelier that a target is evicted. */
static double score_of(const struct tally *t, size_t line)
{
	const double with = t->with[line], without = t->looks - with;
	const double rate = t->evicted / t->looks;
	const double in = t->with_evicted[line] / with;
	const double out = (t->evicted - t->with_evicted[line]) / without;

	if (!(with > 0 && without > 0 && rate > 0 && rate < 1))
		return 0;
	return (in - out) / sqrt(rate * (1 - rate) * (1 / with + 1 / without));
}

/* The most of any target. */
static double best_score(const struct subsets *u, size_t line)
{
	double best = -INFINITY;

	for (size_t i = 0; i < SURVIVOR_TARGETS; i++)
		best = fmax(best, score_of(&u->tallies[i], line));
	return best;
}

static void move_line(struct subsets *u, size_t from, size_t to)
{
	u->s->lines[to] = u->s->lines[from];
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++) {
		struct tally *t = &u->tallies[i];

		t->with[to] = t->with[from];
		t->with_evicted[to] = t->with_evicted[from];
	}
}

static void drop_lower_half(struct subsets *u)
{
	const size_t n = u->s->count;
	double *sorted = u->scores + n, middle;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		u->scores[i] = best_score(u, i);
		sorted[i] = u->scores[i];
	}
	middle = statistics_quantile(sorted, n, 0.5);
	for (size_t i = 0; i < n; i++)
		if (u->scores[i] > middle)
			move_line(u, i, kept++);
	u->s->count = kept;
}

/* The targets are lines as the others are; they are taken out of them. */
static void take_targets(struct subsets *u)
{
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++)
		u->targets[i] = u->s->lines[--u->s->count];
}

/* As many as there is room for: all of a set do not matter. */
static void list_set(const struct subsets *u, size_t target, double sigmas,
		     struct survivor_set *set)
{
	set->lines[set->count++] = u->targets[target];
	for (size_t i = 0; i < u->s->count && set->count < SURVIVOR_SET_LINES;
	     i++)
		if (score_of(&u->tallies[target], i) > sigmas)
			set->lines[set->count++] = u->s->lines[i];
}

/* Lines push that have nothing to do with the target, and so lie in other sets. There
 * are none where the level has no more sets than the one above.
 */
static void list_others(const struct subsets *u, size_t target, double sigmas,
			struct survivor_set *set)
{
	const size_t n = u->s->count;
	size_t wanted = u->s->push.length;
	double *sorted = u->scores + n, most;

	for (size_t i = 0; i < n; i++) {
		u->scores[i] = score_of(&u->tallies[target], i);
		sorted[i] = u->scores[i];
	}
	if (wanted > n)
		wanted = n;
	most = statistics_quantile(sorted, n, (double)wanted / (double)n);
	for (size_t i = 0; i < n && set->other_count < wanted; i++)
		if (u->scores[i] <= most && u->scores[i] < sigmas / HALFWAY)
			set->others[set->other_count++] = u->s->lines[i];
}

/* Hardly any line may be of a set or not. */
static bool are_apart(const struct subsets *u, double sigmas)
{
	size_t above = 0, about = 0;

	if (u->tallies[0].looks <= 0)
		return false;
	for (size_t i = 0; i < u->s->count; i++) {
		const double score = best_score(u, i);

		above += score > sigmas + ABOUT;
		about += fabs(score - sigmas) <= ABOUT;
	}
	return (double)about <= MOST_ABOUT * (double)above;
}

static int sort_lines(struct subsets *u, double sigmas, struct failure *f)
{
	int error = 0;

	while (!error && u->s->count > MANY_LINES) {
		error = look_often(u, SORTING_LOOKS, f);
		if (!error)
			drop_lower_half(u);
	}
	/* Those that are left were chosen for what was seen so far. */
	if (!error)
		error = choose_share(u, f);
	for (int i = 0; !error && u->share > 0 && i < FINAL_ROUNDS &&
			!are_apart(u, sigmas);
	     i++)
		error = look_often(u, FINAL_LOOKS, f);
	return error;
}

int survivors_find_sets(struct survivors *s, double wrong,
			struct survivor_set *sets, struct failure *f)
{
	struct subsets u;
	double sigmas;
	int error;

	s->count = s->member_count;
	memcpy(s->lines, s->members, s->count * sizeof(*s->lines));
	/* Each line has its part. */
	sigmas = statistics_sigmas(wrong / (double)s->count);
	error = reserve(&u, s, f);
	for (size_t i = 0; i < SURVIVOR_TARGETS; i++)
		sets[i] = (struct survivor_set){ .count = 0 };
	if (!error) {
		take_targets(&u);
		error = choose_share(&u, f);
	}
	if (!error && u.share > 0) {
		error = sort_lines(&u, sigmas, f);
		for (size_t i = 0; !error && i < SURVIVOR_TARGETS; i++) {
			list_set(&u, i, sigmas, &sets[i]);
			list_others(&u, i, sigmas, &sets[i]);
		}
	}
	release(&u);
	return error;
}
