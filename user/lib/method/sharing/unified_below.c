// SPDX-License-Identifier: GPL-2.0
/* unified_below.c - is what code pushed out still in the level right below? */
#include <errno.h>
#include <math.h>

#include "method/level/level.h"
#include "method/probe/aside.h"
#include "method/sharing/unified.h"

/*
 * Lines that are loaded alone. One in two at most is found there by chance where
 * another level takes them away: none but what strays. Most are where none does.
 * Wald's test of these two, and lines until it gives up.
 */
#define BY_CHANCE 0.5
#define IF_KEPT 0.85
#define ERROR_BITS 20
#define MOST_LINES 80

/**
 * struct single - a line and one of its page
 * @line: one that is loaded before
 * @aside: brings the translation back, which the code has cost, too: loaded, as the
 *         code was far more than one line, and not all machines can flush
 */
struct single {
	struct sequence line;
	struct sequence aside;
};

/* The line alone, after @code or, NULL, after nothing. */
static int load_alone(struct unified *q, const struct single *one,
		      struct view *code, double *ticks, struct failure *f)
{
	const struct walk_step steps[] = { { STEP_LOAD, &q->fill, 0 },
					   { STEP_LOAD, &q->fill, 0 },
					   { STEP_LOAD, &one->aside, 0 } };
	const struct walk_plan plan = { .samples = 1,
					.steps = steps,
					.step_count = 3,
					.code = code,
					.after_code = 1 };
	int error = unified_take(q, &one->line, &plan, 0, ticks, f);

	if (error == -EAGAIN)
		*ticks = NAN;
	return error == -EAGAIN ? 0 : error;
}

/* False: all lines of the page are used. */
static bool choose_line(struct unified *q, struct single *one)
{
	struct aside a;

	one->line.offsets[0] =
		q->loaded.offsets[rng_below(&q->p->rng, q->loaded.length)];
	aside_begin(&a, q->h, one->line.offsets[0]);
	aside_use_all(&a, &q->loaded);
	return aside_find(&a, one->aside.offsets);
}

/* Less than half of the way from the level right below to what follows. What follows
 * may be a level that is not known: no nearer than half as much again.
 */
static double most_below(const struct unified *q)
{
	return fmin((q->miss + q->beyond) / 2,
		    (1 + LEVEL_LEAST_MISS) * q->miss);
}

/* Does a line that stays here leave because of code, and come from right below? */
static int look_at_line(struct unified *q, const struct single *one,
			bool *below, struct failure *f)
{
	const double here = (q->hit + q->miss) / 2;
	double stays = NAN, leaves = NAN;
	int error = load_alone(q, one, NULL, &stays, f);

	if (!error)
		error = load_alone(q, one, q->code, &leaves, f);
	*below = stays < here && leaves > here && leaves < most_below(q);
	return error;
}

/* By a clock of coarse steps a hit may read one step, which may be as much as a
 * miss: by chance no more often than what it takes in steps.
 */
static bool can_tell(const struct unified *q)
{
	const double step = q->p->m->timer.resolution_ticks;
	const double half = (q->miss - q->hit) / 2;

	return !q->counter && q->below_count && q->loaded.length && half > 0 &&
	       q->miss < q->beyond && step < most_below(q) - q->miss &&
	       (step < half || q->hit / (q->hit + half) <= BY_CHANCE);
}

int unified_find_below(struct unified *q, bool *found, struct failure *f)
{
	uint64_t line = 0, aside = 0;
	struct single one = { { &line, 1 }, { &aside, 1 } };
	double bits = 0;
	int error = 0;

	*found = false;
	if (!can_tell(q) || !choose_line(q, &one) ||
	    !budget_draw(&q->p->budget, ldexp(1, -ERROR_BITS)))
		return 0;
	for (int i = 0; !error && bits < ERROR_BITS && i < MOST_LINES; i++) {
		bool below = false;

		if (!choose_line(q, &one))
			continue;
		error = look_at_line(q, &one, &below, f);
		bits += below ? log2(IF_KEPT / BY_CHANCE) :
				log2((1 - IF_KEPT) / (1 - BY_CHANCE));
	}
	q->p->tests++;
	*found = !error && bits >= ERROR_BITS;
	return error;
}
