// SPDX-License-Identifier: GPL-2.0
#include "method/evset/oracle/per_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/sort/classify_per_load.h"

#define LATE_PENALTIES 0.25
/* A reading is off by half a step of the timer; of so many times what is left of that
 * in a mean, nothing in time is later than the fast ones.
 */
#define STEP_DEVIATION 0.5
#define FAST_DEVIATIONS 3.3
#define MOST_ROUNDS 240
/* In some orders a policy other than LRU misses few lines of a set that overflows.
 * Each takes less time than others leave the level alone: a third of a millisecond
 * beside somebody on the same core (a Zen 3 guest).
 */
#define ORDER_ROUNDS 3
#define LEAST_ORDERS 4
#define MOST_ORDERS (MOST_ROUNDS / ORDER_ROUNDS)
#define MORE_ORDERS 4
/* Reading the timer takes as long as some loads, in which others bring lines: of a
 * list that is not short so many parts are timed one after the other.
 */
#define PARTS 4
#define PART_LEAST 8
/* Orders that take the same, by so many misses of each line: one in fifty, or as much
 * as the timer's steps make of it.
 */
#define ALIKE_MISSES 0.02
#define ALIKE_DEVIATIONS 3
/* So many more in a row. */
#define AT_ONCE 16
#define APART_MS 1

/**
 * struct orders - the fastest orders of a list of which a part is timed
 * @lines: those of the part first
 * @timed: lines of the part
 * @count: of all
 * @most: orders that are wanted
 * @ticks: of each of these, of each line of the part
 * @mean: per load, of each of @most; INFINITY: not yet
 * @once: room for what one order takes
 */
struct orders {
	const uint64_t *lines;
	size_t timed;
	size_t count;
	size_t most;
	double *ticks;
	double mean[MOST_ORDERS];
	double *once;
};

/* By which a mean of so many readings is off. */
static double deviation(const struct evset_machine *e, double readings)
{
	return STEP_DEVIATION * e->x->prober->m->timer.resolution_ticks /
	       sqrt(readings);
}

/* So many that the timer's steps do not hide who is late. */
static unsigned int rounds_wanted(const struct evset_machine *e,
				  unsigned int least, unsigned int step)
{
	unsigned int rounds = least;

	while (rounds < MOST_ROUNDS && FAST_DEVIATIONS * deviation(e, rounds) >
					       LATE_PENALTIES * e->penalty)
		rounds += step;
	return rounds;
}

unsigned int evset_sure_rounds(const struct evset_machine *e)
{
	return rounds_wanted(e, EVSET_SURE_LEAST, EVSET_SURE_LEAST / 2);
}

double evset_late_by(const struct evset_machine *e)
{
	return fmax(LATE_PENALTIES * e->penalty,
		    FAST_DEVIATIONS * deviation(e, evset_sure_rounds(e)));
}

static size_t slowest(const struct orders *o)
{
	size_t at = 0;

	for (size_t i = 1; i < o->most; i++)
		if (o->mean[i] > o->mean[at])
			at = i;
	return at;
}

/* Do those that there are take the same? */
static bool are_alike(const struct evset_machine *e, const struct orders *o)
{
	const double readings = ORDER_ROUNDS * (double)o->timed;
	const double by = fmax(ALIKE_MISSES * e->penalty,
			       ALIKE_DEVIATIONS * deviation(e, readings));
	double least = o->mean[0];

	for (size_t i = 1; i < o->most; i++)
		least = fmin(least, o->mean[i]);
	return o->mean[slowest(o)] <= least + by;
}

/* One more, instead of the slowest. */
static int add_order(struct evset_machine *e, struct orders *o,
		     struct failure *f)
{
	const size_t at = slowest(o);
	double sum = 0, mean;
	int error = evset_look_first(e, o->lines, o->timed, o->count,
				     ORDER_ROUNDS, o->once, f);

	for (size_t i = 0; !error && i < o->timed; i++)
		sum += o->once[i];
	mean = sum / (double)o->timed;
	if (error || mean >= o->mean[at])
		return error;
	o->mean[at] = mean;
	memcpy(o->ticks + at * o->timed, o->once, o->timed * sizeof(*o->once));
	return 0;
}

/* What the lines of a part take. */
static int look_at_part(struct evset_machine *e, struct orders *o,
			double *ticks, struct failure *f)
{
	struct machine *m = e->x->prober->m;
	int error = 0;

	for (size_t i = 0; i < o->most; i++)
		o->mean[i] = INFINITY;
	for (size_t i = 0; !error && i < MORE_ORDERS * o->most &&
			   (i < o->most || !are_alike(e, o));
	     i++) {
		if (i >= o->most && i % AT_ONCE == 0)
			m->ops->pause(m, APART_MS);
		error = add_order(e, o, f);
	}
	memset(ticks, 0, o->timed * sizeof(*ticks));
	for (size_t i = 0; !error && i < o->most * o->timed; i++)
		ticks[i % o->timed] += o->ticks[i] / (double)o->most;
	return error;
}

/* Each part in turn, of lines that are there twice in a row. */
static int look_at_parts(struct evset_machine *e, struct orders *o,
			 const uint64_t *lines, double *late, struct failure *f)
{
	const size_t parts = o->count >= PARTS * PART_LEAST ? PARTS : 1;
	size_t from = 0;
	int error = 0;

	for (size_t k = 0; !error && k < parts; k++) {
		const size_t to = (k + 1) * o->count / parts;

		o->lines = lines + from;
		o->timed = to - from;
		error = look_at_part(e, o, late + from, f);
		from = to;
	}
	return error;
}

int evset_look_in_orders(struct evset_machine *e, const uint64_t *lines,
			 size_t count, double *late, struct failure *f)
{
	const size_t most =
		rounds_wanted(e, LEAST_ORDERS * ORDER_ROUNDS, ORDER_ROUNDS) /
		ORDER_ROUNDS;
	struct orders o = { .count = count,
			    .most = most,
			    .ticks = calloc(most * count + 1, sizeof(*o.ticks)),
			    .once = calloc(count + 1, sizeof(*o.once)) };
	uint64_t *twice = calloc(2 * count + 1, sizeof(*twice));
	int error = o.ticks && o.once && twice ? 0 : prober_out_of_memory(f);
	double sum = 0;

	if (!error) {
		memcpy(twice, lines, count * sizeof(*lines));
		memcpy(twice + count, lines, count * sizeof(*lines));
		error = look_at_parts(e, &o, twice, late, f);
	}
	for (size_t i = 0; !error && i < count; i++)
		sum += late[i];
	for (size_t i = 0; !error && i < count; i++)
		late[i] -= sum / (double)count;
	free(o.ticks);
	free(o.once);
	free(twice);
	return error;
}
