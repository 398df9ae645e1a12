// SPDX-License-Identifier: GPL-2.0
/* unified_below.c - is what code pushed out still in the level right below? */
#include <errno.h>
#include <math.h>

#include "method/level/level.h"
#include "method/probe/aside.h"
#include "method/sharing/unified.h"

/*
 * Lines that are loaded alone, or few together. One in two at most is found there by chance where
 * another level takes them away: none but what strays. Most are where none does.
 * Wald's test of these two, and lines until it gives up.
 */
#define BY_CHANCE 0.5
#define IF_KEPT (1 - UNIFIED_STRAY_BELOW)
#define ERROR_BITS 20
#define MOST_LINES 80
/* By a clock of steps as long as some loads several lines are timed at a time. */
#define MOST_TOGETHER 16

/**
 * struct few - lines that are timed together, and one of the page of each
 * @lines: that are loaded before; one, where the clock is fine enough
 * @aside: bring translations back, which the code has cost, too: loaded, as the
 *         code was far more than these, and not all machines can flush
 */
struct few {
	struct sequence lines;
	struct sequence aside;
};

/* These lines alone, after @code or, NULL, after nothing. */
static int load_alone(struct unified *q, const struct few *few,
		      struct view *code, double *ticks, struct failure *f)
{
	struct walk_step steps[UNIFIED_STEPS + 1];
	const size_t filled = unified_fill(q, steps);
	const struct walk_plan plan = { .samples = 1,
					.steps = steps,
					.step_count = filled + 1,
					.code = code,
					.after_code = 1 };
	int error;

	steps[filled] = (struct walk_step){ STEP_LOAD, &few->aside, 0 };
	error = unified_take(q, &few->lines, &plan, 0, ticks, f);
	if (error == -EAGAIN)
		*ticks = NAN;
	return error == -EAGAIN ? 0 : error;
}

static bool is_chosen(const struct few *few, size_t count, uint64_t line)
{
	for (size_t i = 0; i < count; i++)
		if (few->lines.offsets[i] == line)
			return true;
	return false;
}

/* False: all lines of a page are used. */
static bool choose_lines(struct unified *q, struct few *few)
{
	for (size_t i = 0; i < few->lines.length; i++) {
		uint64_t line;
		struct aside a;

		do
			line = q->loaded.offsets[rng_below(&q->p->rng,
							   q->loaded.length)];
		while (is_chosen(few, i, line));
		few->lines.offsets[i] = line;
		aside_begin(&a, q->h, line);
		aside_use_all(&a, &q->loaded);
		if (!aside_find(&a, &few->aside.offsets[i]))
			return false;
	}
	return true;
}

/* Less than half of the way from the level right below to what follows. What follows
 * may be a level that is not known: no nearer than half as much again.
 */
static double most_below(const struct unified *q)
{
	return fmin((q->miss + q->beyond) / 2,
		    (1 + LEVEL_LEAST_MISS) * q->miss);
}

/* Do lines that stay here leave because of code, and come from right below? */
static int look_at_lines(struct unified *q, const struct few *few, bool *below,
			 struct failure *f)
{
	const double here = (q->hit + q->miss) / 2;
	double stays = NAN, leaves = NAN;
	int error = load_alone(q, few, NULL, &stays, f);

	if (!error)
		error = load_alone(q, few, q->code, &leaves, f);
	*below = stays < here && leaves > here && leaves < most_below(q);
	return error;
}

/* By a clock of coarse steps a hit may read one step, which may be as much as a
 * miss: by chance no more often than what it takes in steps.
 */
static bool is_fine(const struct unified *q, size_t count)
{
	const double step = q->p->m->timer.resolution_ticks / (double)count;
	const double half = (q->miss - q->hit) / 2;

	return step < most_below(q) - q->miss &&
	       (step < half || q->hit / (q->hit + half) <= BY_CHANCE);
}

/* One that comes from further below among others that are still here is no group that
 * comes from right below.
 */
static bool shows_one(const struct unified *q, size_t count)
{
	return (q->beyond + (double)(count - 1) * q->hit) / (double)count >
	       most_below(q);
}

/* Lines at a time, so that the clock is fine enough for each; 0: there is no such
 * number.
 */
static size_t lines_at_a_time(const struct unified *q)
{
	if (q->counter || !q->below_count || !(q->miss > q->hit) ||
	    !(q->miss < q->beyond))
		return 0;
	for (size_t count = 1; count <= MOST_TOGETHER &&
			       count <= q->loaded.length && shows_one(q, count);
	     count++)
		if (is_fine(q, count))
			return count;
	return 0;
}

int unified_find_below(struct unified *q, bool *found, struct failure *f)
{
	uint64_t lines[MOST_TOGETHER], aside[MOST_TOGETHER];
	const size_t count = lines_at_a_time(q);
	struct few few = { { lines, count }, { aside, count } };
	double bits = 0;
	int error = 0;

	*found = false;
	if (!count || !choose_lines(q, &few) ||
	    !budget_draw(&q->p->budget, ldexp(1, -ERROR_BITS)))
		return 0;
	for (int i = 0; !error && bits < ERROR_BITS && i < MOST_LINES; i++) {
		bool below = false;

		if (!choose_lines(q, &few))
			continue;
		error = look_at_lines(q, &few, &below, f);
		bits += below ? log2(IF_KEPT / BY_CHANCE) :
				log2((1 - IF_KEPT) / (1 - BY_CHANCE));
	}
	q->p->tests++;
	*found = !error && bits >= ERROR_BITS;
	return error;
}
