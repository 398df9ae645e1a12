// SPDX-License-Identifier: GPL-2.0
#include "method/evset/oracle/per_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MISSING_PENALTIES 0.25
/* A reading is off by half a timer step. Fast lines stay below this many
 * deviations of the mean of their readings.
 */
#define STEP_DEVIATION 0.5
#define FAST_DEVIATIONS 3.3
#define MOST_ROUNDS 240
/* In some orders, a policy other than LRU misses few lines of a set that
 * overflows. An order takes a third of a millisecond, less than a neighbour on
 * the same core leaves the level alone.
 */
#define ORDER_ROUNDS 3
#define LEAST_ORDERS 4
#define MOST_ORDERS (MOST_ROUNDS / ORDER_ROUNDS)
#define MORE_ORDERS 4
/* Reading the timer takes as long as some loads, which overlap it: of a list
 * that is not short, this many parts are timed one after the other.
 */
#define PARTS 4
#define PART_LEAST 8
/* Orders are similar if their means differ by less than this part of a miss, or
 * by this many deviations.
 */
#define SIMILAR_MISSES 0.02
#define SIMILAR_DEVIATIONS 3
/* More orders in a row, before a pause. */
#define AT_ONCE 16
#define PAUSE_MS 1

#define WARM_ROUNDS 3
#define TRIES 2
/* An interrupt takes as long as a thousand misses. */
#define MOST_MISSES 4
#define MOST_STEPS 2
/* Excess of the lines of a set that overflows clearly. */
#define OVERFULL_ROUNDS 40
#define OVERFULL_PENALTIES 0.2
/* Usable while the timer step is below 8 miss penalties: the mean of many
 * readings resolves less than a step. resolution_ticks overestimates the step
 * (it includes the reading itself).
 */
#define COARSE 8

/**
 * struct orders - the fastest orders of a list of which a part is timed
 * @lines: those of the part first
 * @timed: lines of the part
 * @count: of all
 * @most: orders wanted
 * @ticks: of each of these, of each line of the part
 * @mean: per load, of each of @most; INFINITY: not yet
 * @once: room for one order
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

bool evset_per_load_possible(const struct evset_machine *e)
{
	const struct machine *m = e->x->prober->m;

	return m->times_each && !xray_counter(e->x) && e->scale.penalty > 0 &&
	       m->timer.resolution_ticks < COARSE * e->scale.penalty;
}

/* Contention spoils few of many rounds: a sample that is disturbed each time
 * still counts.
 */
static int take(struct evset_machine *e, const struct sequence *s,
		const bool *timed, unsigned int rounds, double *ticks,
		struct failure *f)
{
	struct prober *p = e->x->prober;
	const struct walk_each each = {
		.timed = timed,
		.ticks = ticks,
		.most_ticks = p->m->timer.overhead_ticks + e->x->hit_ticks +
			      MOST_MISSES * e->scale.penalty +
			      MOST_STEPS * p->m->timer.resolution_ticks,
	};
	const struct walk_plan plan = {
		.warm_rounds = WARM_ROUNDS,
		.loads = rounds * (unsigned int)s->length,
		.samples = 1,
		.seldom = true,
		.each = &each,
	};

	for (int i = 0; i < TRIES; i++) {
		struct sample sample = { .loads = 0 };
		int error;

		if (prober_stopped(p))
			return -EINTR;
		error = p->m->ops->walk(p->m, s, &plan, &sample, f);
		e->o.accesses += sample.loads;
		p->tests++;
		if (error || !sample.disturbed)
			return error;
	}
	return 0;
}

/* Ticks of the first lines of a list, out of another order. */
static void put_back(const size_t *order, const double *from, size_t count,
		     size_t timed, double *to)
{
	for (size_t i = 0; i < count; i++)
		if (order[i] < timed)
			to[order[i]] = from[i];
}

int evset_sample_first(struct evset_machine *e, const uint64_t *lines,
		       size_t timed, size_t count, unsigned int rounds,
		       double *ticks, struct failure *f)
{
	struct rng *rng = &e->x->prober->rng;
	struct sequence s = { .offsets = calloc(count + 1, sizeof(uint64_t)),
			      .length = count };
	size_t *order = calloc(count + 1, sizeof(*order));
	double *took = calloc(count + 1, sizeof(*took));
	bool *is_timed = calloc(count + 1, sizeof(*is_timed));
	int error = s.offsets && order && took && is_timed ?
			    0 :
			    prober_out_of_memory(f);

	for (size_t i = 0; !error && i < count; i++) {
		size_t j = rng_below(rng, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; !error && i < count; i++) {
		s.offsets[i] = lines[order[i]];
		is_timed[i] = order[i] < timed;
	}
	if (!error)
		error = take(e, &s, is_timed, rounds, took, f);
	if (!error)
		put_back(order, took, count, timed, ticks);
	free(s.offsets);
	free(order);
	free(took);
	free(is_timed);
	return error;
}

static void subtract_mean(double *ticks, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ticks[i];
	for (size_t i = 0; i < count; i++)
		ticks[i] -= sum / (double)count;
}

int evset_sample_each(struct evset_machine *e, const uint64_t *lines,
		      size_t count, unsigned int rounds, double *excess,
		      struct failure *f)
{
	int error =
		evset_sample_first(e, lines, count, count, rounds, excess, f);

	if (!error)
		subtract_mean(excess, count);
	return error;
}

int evset_sample_overfull(struct evset_machine *e, const uint64_t *lines,
			  size_t own, size_t others, size_t count,
			  double *excess, double *threshold, struct failure *f)
{
	double *sorted = excess + count, overfull, rest;
	int error =
		evset_sample_each(e, lines, count, OVERFULL_ROUNDS, excess, f);

	*threshold = INFINITY;
	if (error)
		return error;
	memcpy(sorted, excess, (own + others) * sizeof(*excess));
	overfull = statistics_quantile(sorted, own, 0.5);
	rest = statistics_quantile(sorted + own, others, 0.5);
	if (overfull - rest >= OVERFULL_PENALTIES * e->scale.penalty)
		*threshold = (overfull + rest) / 2;
	return 0;
}

/* Standard deviation of a mean of readings, by the timer's steps. */
static double deviation(const struct evset_machine *e, double readings)
{
	return STEP_DEVIATION * e->x->prober->m->timer.resolution_ticks /
	       sqrt(readings);
}

/* Rounds until the timer's steps do not hide a missing line. */
static unsigned int rounds_wanted(const struct evset_machine *e,
				  unsigned int least, unsigned int step)
{
	unsigned int rounds = least;

	while (rounds < MOST_ROUNDS &&
	       FAST_DEVIATIONS * deviation(e, rounds) >
		       MISSING_PENALTIES * e->scale.penalty)
		rounds += step;
	return rounds;
}

unsigned int evset_sure_rounds(const struct evset_machine *e)
{
	return rounds_wanted(e, EVSET_SURE_LEAST, EVSET_SURE_LEAST / 2);
}

double evset_missing_by(const struct evset_machine *e)
{
	return fmax(MISSING_PENALTIES * e->scale.penalty,
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

/* Do the orders so far take the same? */
static bool are_similar(const struct evset_machine *e, const struct orders *o)
{
	const double readings = ORDER_ROUNDS * (double)o->timed;
	const double by = fmax(SIMILAR_MISSES * e->scale.penalty,
			       SIMILAR_DEVIATIONS * deviation(e, readings));
	double least = o->mean[0];

	for (size_t i = 1; i < o->most; i++)
		least = fmin(least, o->mean[i]);
	return o->mean[slowest(o)] <= least + by;
}

/* One order more, instead of the slowest. */
static int add_order(struct evset_machine *e, struct orders *o,
		     struct failure *f)
{
	const size_t at = slowest(o);
	double sum = 0, mean;
	int error = evset_sample_first(e, o->lines, o->timed, o->count,
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

/* Ticks of the lines of a part. */
static int sample_part(struct evset_machine *e, struct orders *o, double *ticks,
		       struct failure *f)
{
	struct machine *m = e->x->prober->m;
	int error = 0;

	for (size_t i = 0; i < o->most; i++)
		o->mean[i] = INFINITY;
	for (size_t i = 0; !error && i < MORE_ORDERS * o->most &&
			   (i < o->most || !are_similar(e, o));
	     i++) {
		if (i >= o->most && i % AT_ONCE == 0)
			m->ops->pause(m, PAUSE_MS);
		error = add_order(e, o, f);
	}
	memset(ticks, 0, o->timed * sizeof(*ticks));
	for (size_t i = 0; !error && i < o->most * o->timed; i++)
		ticks[i % o->timed] += o->ticks[i] / (double)o->most;
	return error;
}

/* Each part in turn, out of a list that has all lines twice. */
static int sample_parts(struct evset_machine *e, struct orders *o,
			const uint64_t *lines, double *excess,
			struct failure *f)
{
	const size_t parts = o->count >= PARTS * PART_LEAST ? PARTS : 1;
	size_t from = 0;
	int error = 0;

	for (size_t k = 0; !error && k < parts; k++) {
		const size_t to = (k + 1) * o->count / parts;

		o->lines = lines + from;
		o->timed = to - from;
		error = sample_part(e, o, excess + from, f);
		from = to;
	}
	return error;
}

int evset_sample_orders(struct evset_machine *e, const uint64_t *lines,
			size_t count, double *excess, struct failure *f)
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

	if (!error) {
		memcpy(twice, lines, count * sizeof(*lines));
		memcpy(twice + count, lines, count * sizeof(*lines));
		error = sample_parts(e, &o, twice, excess, f);
	}
	if (!error)
		subtract_mean(excess, count);
	free(o.ticks);
	free(o.once);
	free(twice);
	return error;
}
