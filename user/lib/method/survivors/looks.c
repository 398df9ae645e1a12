// SPDX-License-Identifier: GPL-2.0
/* looks.c - lines go to the level below, and are timed one by one. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/statistics.h"
#include "method/survivors/internal.h"
#include "method/survivors/tuning.h"

/* Two flushes, loads of the timed lines and beside them, and what pushes. */
#define MOST_STEPS (4 + PUSH_ROUNDS + FILL_PASSES * (1 + PUSH_ROUNDS))
/* An interrupted load does not outweigh others. */
#define MOST_TIMES_MEMORY 8
/* Lines whose readings make the scale, and the part of these that is left out at either
 * end, as interrupts are.
 */
#define SCALE_LINES 8
#define CUT 16
/* Standard deviations by which a reading of a line below is off in one look of 1,000, and
 * in one look of six.
 */
#define SELDOM 3.1
#define OFTEN 1
/* Looks at a line that may be of the set, at most: more take seconds. */
#define MOST_LOOKS 1000

/**
 * struct steps - of a plan
 * @all: @count of them
 */
struct steps {
	struct walk_step all[MOST_STEPS];
	size_t count;
};

static void add_step(struct steps *steps, enum step_kind kind,
		     const struct sequence *lines)
{
	if (lines->length)
		steps->all[steps->count++] =
			(struct walk_step){ .kind = kind, .lines = lines };
}

static void add_push(const struct survivors *s, struct steps *steps)
{
	for (int i = 0; i < PUSH_ROUNDS; i++)
		add_step(steps, STEP_LOAD_TOGETHER, &s->push);
}

static void append(struct sequence *to, const struct sequence *lines)
{
	if (!lines->length)
		return;
	memcpy(to->offsets + to->length, lines->offsets,
	       lines->length * sizeof(*lines->offsets));
	to->length += lines->length;
}

/* A line of another set in the page of each: its translation is there then. */
static void lie_beside(const struct sequence *timed, struct sequence *beside)
{
	for (size_t i = 0; i < timed->length; i++)
		beside->offsets[i] = timed->offsets[i] ^
				     (SURVIVOR_PAGE_BYTES / 2);
	beside->length = timed->length;
}

static int time_each(struct survivors *s, const struct sequence *timed,
		     const struct steps *steps, double *ticks, bool *disturbed,
		     struct failure *f)
{
	const struct walk_each each = { .most_ticks = s->most_ticks,
					.ticks = ticks };
	const struct walk_plan plan = {
		.samples = 1,
		.seldom = true,
		.steps = steps->all,
		.step_count = steps->count,
		.each = &each,
	};
	struct sample sample;
	int error;

	if (prober_stopped(s->p))
		return -EINTR;
	if (s->p->m->conditions.accesses > s->last_access)
		return -ETIME;
	error = s->p->m->ops->walk(s->p->m, timed, &plan, &sample, f);
	s->p->tests++;
	*disturbed = !error && sample.disturbed;
	return error;
}

int survivors_look(struct survivors *s, struct survivor_look *look,
		   struct failure *f)
{
	static const struct sequence none = { .length = 0 };
	const struct sequence *between = look->between ? look->between : &none;
	uint64_t words[SURVIVOR_SET_LINES];
	struct sequence beside = { .offsets = words };
	struct steps steps = { .count = 0 };
	int error;

	lie_beside(look->timed, &beside);
	add_step(&steps, STEP_FLUSH, &s->left);
	/* Laying out their order has loaded them. */
	add_step(&steps, STEP_FLUSH, look->timed);
	add_step(&steps, STEP_LOAD_TOGETHER, look->timed);
	add_push(s, &steps);
	for (unsigned int i = 0; between->length && i < look->passes; i++) {
		add_step(&steps, STEP_LOAD_TOGETHER, between);
		add_push(s, &steps);
	}
	add_step(&steps, STEP_LOAD_TOGETHER, &beside);
	error = time_each(s, look->timed, &steps, look->ticks, &look->disturbed,
			  f);
	s->left.length = 0;
	append(&s->left, look->timed);
	append(&s->left, between);
	if (!look->warm)
		append(&s->left, &s->push);
	return error;
}

/**
 * struct reading - of a line
 * @mean: by the middle looks: a clock of coarse steps shows one of two values
 * @deviation: standard, of a single one; the share CUT at either end left out
 * @step: the least that two of these differ by, if they do
 */
struct reading {
	double mean;
	double deviation;
	double step;
};

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/* All but the mean. Sorts @values. */
static void describe(double *values, size_t count, struct reading *r)
{
	const size_t cut = count / CUT, from = cut, to = count - cut;
	double mean, sum = 0, step = INFINITY;

	statistics_quantile(values, count, 0.5);
	mean = mean_of(values + from, to - from);
	for (size_t i = from; i < to; i++) {
		sum += (values[i] - mean) * (values[i] - mean);
		if (i > from && values[i] > values[i - 1])
			step = fmin(step, values[i] - values[i - 1]);
	}
	r->deviation = sqrt(sum / (double)(to - from));
	r->step = isfinite(step) ? step : 0;
}

/* Of lines that are flushed, or not, after they were loaded. */
static int read_lines(struct survivors *s, size_t scale, bool flushed,
		      struct reading *reading, struct failure *f)
{
	struct sequence lines = { s->push.offsets, scale };
	double all[SCALE_LOOKS * SCALE_LINES], means[SCALE_LOOKS];
	uint64_t words[SCALE_LINES];
	struct sequence beside = { .offsets = words };
	struct steps steps = { .count = 0 };
	size_t count = 0;

	lie_beside(&lines, &beside);
	add_step(&steps, STEP_LOAD_TOGETHER, &lines);
	if (flushed)
		add_step(&steps, STEP_FLUSH, &lines);
	add_step(&steps, STEP_LOAD_TOGETHER, &beside);
	for (int i = 0; i < SCALE_LOOKS; i++) {
		bool disturbed;
		int error = time_each(s, &lines, &steps, all + count * scale,
				      &disturbed, f);

		if (error)
			return error;
		if (disturbed)
			continue;
		means[count] = mean_of(all + count * scale, scale);
		count++;
	}
	reading->mean = statistics_middle(means, count);
	if (count)
		describe(all, count * scale, reading);
	return 0;
}

/* Lines that push are of one set of each level above, and these are to hit. */
static size_t scale_lines(const struct survivors *s, const struct hierarchy *h)
{
	const double ways = fmin(h->caches[0].ways.value, s->above->ways.value);

	return (size_t)fmax(1, fmin(ways, SCALE_LINES));
}

static double latency_ticks(const struct survivors *s,
			    const struct parameter *latency_ns)
{
	return latency_ns->value * s->p->m->timer.ticks_per_ns;
}

/* Looks until their mean is on the right side of the middle between both levels. */
static double looks_for(const struct survivors *s, double deviations)
{
	const double off =
		deviations * s->deviation / (s->below_ticks - s->near_ticks);

	return ceil(off * off);
}

static bool is_clear(const struct survivors *s, const struct reading *hit)
{
	return s->near_ticks > hit->mean && s->below_ticks > s->near_ticks &&
	       s->far_ticks - s->near_ticks > s->p->m->timer.resolution_ticks &&
	       looks_for(s, SELDOM) <= MOST_LOOKS;
}

int survivors_scale(struct survivors *s, const struct hierarchy *h,
		    const struct cache_result *level, struct failure *f)
{
	const double first = latency_ticks(s, &h->caches[0].latency_ns);
	const double below = latency_ticks(s, &level->latency_ns);
	const double memory_ticks = latency_ticks(s, &h->memory_latency_ns);
	const size_t scale = scale_lines(s, h);
	struct reading hit = { .mean = NAN }, memory = { .mean = NAN };
	double above = below;
	int error;

	if (parameter_is_measured(&s->above->latency_ns))
		above = latency_ticks(s, &s->above->latency_ns);
	s->most_ticks = s->p->m->timer.overhead_ticks +
			MOST_TIMES_MEMORY * memory_ticks;
	error = read_lines(s, scale, false, &hit, f);
	if (!error)
		error = read_lines(s, scale, true, &memory, f);
	if (error)
		return error;
	/* A line that is not in the first level takes longer by the differences. */
	above = above < below ? (above + below) / 2 : (first + below) / 2;
	/* Hits may all read alike by chance: half a step is the most that steps add. */
	s->deviation = fmax(hit.deviation, fmax(hit.step, memory.step) / 2);
	s->near_ticks = hit.mean + above - first;
	s->below_ticks = hit.mean + below - first;
	s->far_ticks = (s->below_ticks + memory.mean) / 2;
	s->least_ticks =
		fmin(s->near_ticks, s->below_ticks - SELDOM * s->deviation);
	if (!is_clear(s, &hit))
		return -EDOM;
	s->first_looks = (unsigned int)fmax(1, looks_for(s, OFTEN));
	s->member_looks =
		(unsigned int)fmax(MEMBER_LOOKS, looks_for(s, SELDOM));
	return 0;
}
