// SPDX-License-Identifier: GPL-2.0
/* counter.c - X-Ray on counted misses, where there is a counter. */
#include "method/level/level.h"

/* One round of a sequence that is not compact misses at least once. */
#define MISSES_CLEARLY 0.5
/* By time it has to be this much slower before the counter is doubted. */
#define CLEARLY_SLOW 1.2
/* Places at which the lines are slow and the counter counts nothing, and of so
 * many that are tried.
 */
#define SLOW_PLACES 4
#define PLACES 24
/* Share of loads that may miss where all should hit. */
#define STRAY_MISSES 0.05
/* More of them, and it may be the level that is another one. */
#define MOST_MISSES 0.5

unsigned int xray_counter(const struct xray *x)
{
	return x->reference.counter & x->prober->counters;
}

/* Loads that miss in level n, counted from 0. */
static const enum machine_counter of_level[] = { COUNTER_L1D_MISS,
						 COUNTER_L2_MISS,
						 COUNTER_L3_MISS };
#define COUNTED_LEVELS (sizeof(of_level) / sizeof(of_level[0]))

bool xray_is_last_counted(const struct xray *x)
{
	return x->upper_count + 1 >= COUNTED_LEVELS;
}

unsigned int xray_counter_below(const struct xray *x)
{
	if (xray_is_last_counted(x))
		return 0;
	return x->prober->counters & 1U << of_level[x->upper_count + 1];
}

/* Time may do better where other users of the counters take this one away. */
static int give_up_counting(struct xray *x)
{
	prober_distrust(x->prober, x->reference.counter,
			"no sample was counted undisturbed in L%zu",
			x->upper_count + 1);
	return 0;
}

/* The proof does not distinguish the levels: cold lines miss in all of them. A
 * counter that belongs to a level above counts loads that hit in this one.
 */
int xray_choose_counter(struct xray *x, struct failure *f)
{
	const struct shape *control = &x->reference.control;
	double misses = 0, length = (double)shape_length(control);
	int error;

	x->reference.counter = 0;
	if (x->upper_count >= COUNTED_LEVELS)
		return 0;
	x->reference.counter = 1U << of_level[x->upper_count];
	if (!xray_counter(x))
		return 0;
	error = prober_misses(x->prober, control, 0, x->reference.counter,
			      &misses, f);
	if (error == -EAGAIN)
		return give_up_counting(x);
	x->denied = !error && misses > MOST_MISSES * length;
	if (!error && misses > STRAY_MISSES * length)
		prober_distrust(x->prober, x->reference.counter,
				"%.1f misses of %.0f loads that hit in L%zu",
				misses, length, x->upper_count + 1);
	return error;
}

/*
 * Of a hashed index lines fit at some places and not at others, and sets that
 * duel change: so the counter and time are compared at the same ones.
 * OUTCOME_DECIDED: it counts misses; OUTCOME_VOID: it counts none of them.
 */
static int compare_places(struct xray *x, const struct shape *w,
			  enum outcome *outcome, struct failure *f)
{
	int slow = 0, error = 0;

	*outcome = OUTCOME_OPEN;
	for (int i = 0; !error && *outcome != OUTCOME_DECIDED &&
			slow < SLOW_PLACES && i < PLACES;
	     i++) {
		double ticks = 0, misses = 0;

		error = prober_time_and_misses(
			x->prober, w, x->reference.counter, &ticks, &misses, f);
		*outcome = outcome_if(!error && misses >= MISSES_CLEARLY,
				      OUTCOME_OPEN);
		slow += !error && ticks >= CLEARLY_SLOW * x->hit_ticks;
		if (error == -EAGAIN)
			error = 0;
	}
	if (*outcome != OUTCOME_DECIDED && slow >= SLOW_PLACES)
		*outcome = OUTCOME_VOID;
	return error;
}

/* What time says of lines that the counter calls compact. */
static int cross_examine(struct xray *x, const struct shape *w,
			 enum outcome *outcome, struct failure *f)
{
	struct reference by_time = x->reference;
	enum verdict verdict;
	double ticks;
	int error = prober_time(x->prober, w, 0, &ticks, f);

	if (error || ticks < CLEARLY_SLOW * x->hit_ticks)
		return error;
	by_time.counter = 0;
	by_time.penalty_ticks = ticks - x->hit_ticks;
	error = prober_compact(x->prober, w, &by_time, &verdict, NULL, f);
	if (!error && verdict == VERDICT_NON_COMPACT)
		error = compare_places(x, w, outcome, f);
	if (!error && *outcome == OUTCOME_VOID)
		prober_distrust(
			x->prober, x->reference.counter,
			"%zu lines %llu KiB apart take %.1f times as long as hits, and it counts nothing",
			w->outer, (unsigned long long)(w->stride >> 10),
			ticks / x->hit_ticks);
	return error;
}

static int clearly_misses(struct xray *x, const struct shape *w,
			  enum outcome *outcome, struct failure *f)
{
	double misses = 0;
	int error = prober_misses(x->prober, w, 0, x->reference.counter,
				  &misses, f);

	*outcome = outcome_if(!error && misses >= MISSES_CLEARLY, OUTCOME_OPEN);
	return error == -EAGAIN ? give_up_counting(x) : error;
}

int xray_try_missing(struct xray *x, const struct shape *w,
		     enum outcome *outcome, struct failure *f)
{
	int error = clearly_misses(x, w, outcome, f);

	/* Something may have passed by: once is not enough. */
	if (!error && *outcome == OUTCOME_DECIDED && xray_counter(x))
		error = clearly_misses(x, w, outcome, f);
	if (!error && *outcome != OUTCOME_DECIDED && xray_counter(x))
		error = cross_examine(x, w, outcome, f);
	return error;
}

int xray_excess(struct xray *x, const struct shape *w, unsigned int flags,
		double *misses, struct failure *f)
{
	unsigned int counter = xray_counter(x);
	double level = 0;
	int error;

	if (counter) {
		error = prober_misses(x->prober, w, flags, counter, &level, f);
		*misses = level / (double)shape_length(w);
	} else {
		error = prober_time(x->prober, w, flags, &level, f);
		*misses = (level - x->hit_ticks) / x->reference.penalty_ticks;
	}
	return error;
}
