// SPDX-License-Identifier: GPL-2.0
#include "method/cooper/time.h"

#include <math.h>

#include "method/cooper/tuning.h"
#include "observe/sampler.h"

/* Long additions, for coarse clocks; few: it is done before each pass. */
#define SLOWER 1.05

static void find_add(struct cooper *c, int trials)
{
	double ticks = sampler_add_ticks(c->p->m, trials, ADDS);

	if (ticks <= 0)
		return;
	if (c->add_ticks <= 0 || ticks < c->add_ticks)
		c->add_ticks = ticks;
	c->units++;
	c->slower += ticks > SLOWER * c->add_ticks;
}

int cooper_unit(struct cooper *c, struct failure *f)
{
	double loads;

	c->add_ticks = 0;
	find_add(c, ADD_TRIALS);
	if (c->add_ticks <= 0)
		return fail(
			f, STATUS_UNAVAILABLE, ENODATA,
			"cooper: this machine cannot time additions, the unit of latency (choose another)");
	loads = STEPS_PER_SAMPLE * c->p->m->timer.resolution_ticks /
		c->add_ticks;
	c->sample_loads =
		(unsigned int)fmin(MOST_LOADS, fmax(LEAST_LOADS, loads));
	return 0;
}

double cooper_exact(const struct cooper *c, const struct cooper_string *s)
{
	double sum = 0;
	int seen = 0;

	for (int i = 0; i < COOPER_MAPPINGS; i++) {
		if (!isfinite(s->ticks[i]))
			continue;
		sum += s->ticks[i];
		seen++;
	}
	return seen ? sum / seen / c->add_ticks : INFINITY;
}

/* V-A: a latency is a whole number of cycles. */
static double in_cycles(const struct cooper *c, const struct cooper_string *s)
{
	double cycles = cooper_exact(c, s);

	return isfinite(cycles) ? fmax(1, round(cycles)) : INFINITY;
}

static unsigned int patience_of(const struct cooper *c, size_t length)
{
	double patience = c->patience;

	if (length > LONG_LOADS)
		patience = fmax(LEAST_PATIENCE,
				patience * LONG_LOADS / (double)length);
	return (unsigned int)fmin(patience, c->patience);
}

/*
 * A long string takes hundreds of cycles per load, and each trial is a little
 * faster than those before: the number of its trials is fixed.
 */
static bool has_had_enough(const struct cooper *c,
			   const struct cooper_sweep *sweep,
			   const struct cooper_string *string, size_t length)
{
	unsigned int mappings = sweep->mappings ? sweep->mappings : 1;
	unsigned int trials = string->trials;

	if (sweep->together && length < sweep->longest)
		length = sweep->longest;
	if (length > LONG_LOADS)
		return trials > patience_of(c, length) &&
		       trials >= mappings / 8;
	return string->idle >= c->patience && trials >= mappings;
}

static void add_sample(struct cooper *c, const struct cooper_sweep *sweep,
		       struct cooper_string *string, size_t length,
		       const struct sample *sample)
{
	unsigned int mappings = sweep->mappings ? sweep->mappings : 1;
	double *least = &string->ticks[sweep->trials % mappings];
	double before = in_cycles(c, string);
	double ticks = sample->ticks / (double)sample->loads;

	if (!sample->disturbed)
		*least = fmin(*least, ticks);
	string->trials++;
	string->idle = in_cycles(c, string) < before ? 0 : string->idle + 1;
	string->left = has_had_enough(c, sweep, string, length);
}

static void string_begin(struct cooper_string *string)
{
	*string = (struct cooper_string){ .x = string->x,
					  .view = string->view,
					  .cycles = INFINITY };
	for (int i = 0; i < COOPER_MAPPINGS; i++)
		string->ticks[i] = INFINITY;
}

static int walk(struct cooper *c, const struct cooper_string *string,
		const struct sequence *s, struct sample *sample,
		struct failure *f)
{
	unsigned int warm = s->length > SHORT_WARMUP_LOADS ? 1 :
							     TIME_WARM_ROUNDS;
	const struct walk_plan plan = { .warm_rounds = warm,
					.loads = c->sample_loads,
					.samples = 1,
					.seldom = true };
	struct machine *m = c->p->m;
	const struct machine_conditions before = m->conditions;
	int error = string->view ? m->ops->view_walk(string->view, s, &plan,
						     sample, f) :
				   m->ops->walk(m, s, &plan, sample, f);

	if (error)
		return error;
	prober_count_samples(c->p, &before, sample->loads);
	c->r->loads +=
		(double)sample->loads + TIME_WARM_ROUNDS * (double)s->length;
	return 0;
}

static int try_string(struct cooper *c, struct cooper_sweep *sweep,
		      size_t which, struct failure *f)
{
	struct cooper_string *string = &sweep->strings[which];
	struct sequence s = { .length = 0 };
	struct sample sample;
	int error;

	if (prober_stopped(c->p))
		return -EINTR;
	error = sweep->make(sweep->context, which, sweep->trials, &s, f);
	if (error)
		return error;
	if (s.length > sweep->longest)
		sweep->longest = s.length;
	if (s.length > LONG_LOADS)
		prober_progress(c->p, "%s: trial %u, string %zu of %zu",
				sweep->what, sweep->trials + 1, which + 1,
				sweep->count);
	error = walk(c, string, &s, &sample, f);
	if (!error)
		add_sample(c, sweep, string, s.length, &sample);
	sequence_free(&s);
	return error;
}

static bool is_over(const struct cooper_sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++)
		if (!sweep->strings[i].left)
			return false;
	return true;
}

/* One trial of each string that has not had enough. */
static int pass(struct cooper *c, struct cooper_sweep *sweep, struct failure *f)
{
	int error = 0;

	prober_progress(c->p, "%s: trial %u", sweep->what, sweep->trials + 1);
	for (size_t i = 0; !error && i < sweep->count; i++)
		if (sweep->together || !sweep->strings[i].left)
			error = try_string(c, sweep, i, f);
	sweep->trials++;
	return error;
}

int cooper_sweep(struct cooper *c, struct cooper_sweep *sweep,
		 struct failure *f)
{
	int error = 0;

	for (size_t i = 0; i < sweep->count; i++)
		string_begin(&sweep->strings[i]);
	sweep->trials = 0;
	sweep->longest = 0;
	while (!error && !is_over(sweep)) {
		/* Clocks speed up: both have their least at the same speed. */
		find_add(c, ADD_TRIALS_AGAIN);
		error = pass(c, sweep, f);
	}
	for (size_t i = 0; i < sweep->count; i++)
		sweep->strings[i].cycles = in_cycles(c, &sweep->strings[i]);
	return error;
}

struct side_curve *cooper_keep(struct cooper *c,
			       const struct cooper_sweep *sweep,
			       enum side_axis axis, const char *name)
{
	struct side_curve *curve;
	size_t count = 0;

	curve = side_result_keep(c->r, axis, sweep->count, "%s", name);
	if (!curve)
		return NULL;
	for (size_t i = 0; i < sweep->count; i++) {
		const struct cooper_string *s = &sweep->strings[i];

		if (isfinite(s->cycles))
			curve->points[count++] =
				(struct curve_point){ s->x, s->cycles };
	}
	curve->count = count;
	return curve;
}
