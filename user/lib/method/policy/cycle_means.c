// SPDX-License-Identifier: GPL-2.0
#include "method/policy/cycle_means.h"

#include <errno.h>
#include <math.h>

#include "method/policy/mean_misses.h"
#include "method/policy/set_model.h"
#include "method/policy/tuning.h"

/*
 * A control visits as many lines as fit, each twice in a row: the second visits
 * hit.
 */
#define CONTROL_VISITS 2
/*
 * Where controls miss, means may be off by this many times as many misses, in
 * either direction: contention may also spare a line.
 */
#define STRAY_TIMES 2
#define STRAY_SIGMAS 4
/* Misses per access from contention with which nothing can be compared. */
#define MOST_STRAY 0.01
/*
 * Simulation and cache may differ by this much for reasons other than chance.
 */
#define SLACK 0.02
/* Least standard error: equal answers of a policy that seldom draws lots. */
#define LEAST_ERROR 0.005

static int ask(struct cycle_means *p, const struct cycle *c, double *misses,
	       struct failure *f)
{
	const struct set_oracle *o = p->asker->oracle;
	int error = -EAGAIN;

	for (int i = 0; error == -EAGAIN && i < MEANS_FAILURES; i++) {
		struct failure passing = { .text = "" };

		error = (o->average ? o->average : o->misses)(o->context, c,
							      misses, &passing);
		if (error && f && !f->text[0])
			*f = passing;
	}
	p->asker->answers += !error;
	return error;
}

static int ask_control(struct cycle_means *p, struct failure *f)
{
	unsigned int blocks[CONTROL_VISITS * SET_MOST_WAYS];
	struct cycle c = { .blocks = blocks };
	double misses = 0;
	int error;

	c.length =
		cycle_repeat(blocks, 0, p->asker->oracle->ways, CONTROL_VISITS);
	error = ask(p, &c, &misses, f);
	if (error)
		return error;
	misses /= (double)c.length;
	p->stray += fabs(misses);
	p->stray_squares += misses * misses;
	p->controls++;
	return 0;
}

int cycle_means_ask(struct cycle_means *p, unsigned int answers,
		    struct failure *f)
{
	size_t order[CYCLE_MEANS_MOST] = { 0 };
	bool more = true;

	while (more) {
		int error = 0;

		more = false;
		rng_order(&p->rng, order, p->count);
		for (size_t i = 0; !error && i < p->count; i++) {
			struct cycle_samples *c = &p->cycles[order[i]];

			if (c->count >= answers ||
			    c->count >= CYCLE_MEANS_ANSWERS)
				continue;
			error = ask(p, c->cycle, &c->answers[c->count], f);
			c->count += !error;
			more = true;
		}
		if (more && !error)
			error = ask_control(p, f);
		if (error)
			return error;
	}
	return 0;
}

static double mean_of(const double *values, unsigned int count, double *error)
{
	double sum = 0, squares = 0, mean;

	for (unsigned int i = 0; i < count; i++)
		sum += values[i];
	mean = sum / count;
	for (unsigned int i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	*error = fmax(sqrt(squares / (count - 1) / count), LEAST_ERROR);
	return mean;
}

/* Misses per access that may come from contention. */
static double stray_of(const struct cycle_means *p)
{
	double count = p->controls, mean, variance;

	if (!p->controls)
		return 0;
	mean = p->stray / count;
	variance = fmax(p->stray_squares / count - mean * mean, 0);
	return STRAY_TIMES * (mean + STRAY_SIGMAS * sqrt(variance / count));
}

bool cycle_means_are_disturbed(const struct cycle_means *p)
{
	return p->controls && p->stray / p->controls > MOST_STRAY;
}

void cycle_means_of(const struct cycle_means *p, size_t at,
		    struct cycle_mean *mean)
{
	const struct cycle_samples *c = &p->cycles[at];
	double misses, stray, scale = p->asker->oracle->scale_error;

	stray = stray_of(p) * (double)c->cycle->length;
	misses = mean_of(c->answers, c->count, &mean->error);
	mean->freedom = c->count - 1.0;
	mean->low = misses * (1 - scale) - stray - SLACK;
	mean->high = misses * (1 + scale) + stray + SLACK;
}

bool cycle_means_drift(const struct cycle_means *p)
{
	double squares = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct cycle_samples *c = &p->cycles[i];
		unsigned int half = c->count / 2;
		double one, other, one_error, other_error, deviation;

		if (half < 2)
			continue;
		one = mean_of(c->answers, half, &one_error);
		other = mean_of(c->answers + half, c->count - half,
				&other_error);
		deviation = mean_deviation(fabs(one - other) - SLACK, one_error,
					   half - 1.0, other_error,
					   c->count - half - 1.0);
		squares += deviation * deviation;
	}
	return p->count && squares > mean_most_squares(p->count);
}
