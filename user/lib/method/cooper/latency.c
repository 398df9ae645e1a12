// SPDX-License-Identifier: GPL-2.0
/*
 * latency.c - latency of a load that hits in a level.
 *
 * The height of a step of C(k) is not quite that. If lines of a lower level are
 * longer than those of the first one, several words of C(k) lie in one line,
 * and only the first word is loaded from that level. And the translation of
 * each page is shared by its lines. So a footprint in the middle of each
 * plateau is timed again, by one word of each of the longest lines, with one
 * and with two visits of each page: the time of the second visit is the cost of
 * the first one.
 */
#include <math.h>
#include <stdio.h>

#include "method/cooper/array.h"
#include "method/cooper/tuning.h"
#include "observe/sampler.h"
#include "sequence/reference_strings.h"

#define WHAT "latencies"
/* A miss costs at least 25 % more (V-B). */
#define LEAST_MISS 1.25
/*
 * If loads of flushed lines take longer by this factor, some timed lines were
 * hits.
 */
#define LEAST_MORE 1.05
/* Noise of a level. */
#define FLAT 0.02
/* A share of times that is more than bad luck. */
#define UNSTEADY 0.5
/* Of the same footprint at two times. */
#define CHANGE 0.1
/* From the first to the last footprint of a plateau. */
#define LEAST_PLATEAU 1.2
/* Some lines, far enough from each other for any level. */
#define COLD_BYTES (UINT64_C(64) << 10)
#define COLD_LINE_BYTES 512

static uint64_t longest_line(const struct cooper *c)
{
	uint64_t longest = c->line_bytes;

	for (size_t i = 0; i < c->r->cache_count; i++) {
		const struct parameter *line = &c->r->caches[i].line_bytes;

		if (parameter_is_measured(line) &&
		    line->value > (double)longest)
			longest = (uint64_t)line->value;
	}
	return longest;
}

/* Does @cycles belong to the plateau of a level that takes @level? */
static bool is_level(double cycles, double level)
{
	return fabs(cycles - level) <= fmax(1, FLAT * level);
}

/**
 * find_plateau() - the longest stretch of footprints of a step with the same
 * latency
 * @begin: (out) of the stretch
 * Return: its end; 0: none is long, latency changes all along.
 */
static double find_plateau(const struct side_curve *curve, size_t step,
			   double *begin)
{
	const struct curve_step *steps = curve->found.steps;
	double above = step ? steps[step - 1].end : 0, longest = LEAST_PLATEAU;
	double end = 0;

	for (size_t i = 0; i < curve->count; i++) {
		const struct curve_point *p = &curve->points[i];
		size_t last = i;

		if (p->x <= above || p->x > steps[step].end)
			continue;
		while (last + 1 < curve->count &&
		       p[last + 1 - i].x <= steps[step].end &&
		       is_level(p[last + 1 - i].y, p->y))
			last++;
		if (p[last - i].x < longest * p->x)
			continue;
		longest = p[last - i].x / p->x;
		*begin = p->x;
		end = p[last - i].x;
	}
	return end;
}

/*
 * A footprint in the middle of the plateau of a step; of memory, which has no
 * end, the longest. 0: there is no plateau.
 */
static double plateau(const struct side_curve *curve, size_t step)
{
	double begin = 0, end, middle = 0;

	if (step + 1 == curve->found.step_count)
		return curve->found.steps[step].end;
	end = find_plateau(curve, step, &begin);
	for (size_t i = 0; i < curve->count; i++)
		if (curve->points[i].x >= begin &&
		    curve->points[i].x <= sqrt(begin * end))
			middle = curve->points[i].x;
	return middle;
}

static void conclude(const struct cooper *c, struct parameter *p,
		     const struct cooper_string *once,
		     const struct cooper_string *twice)
{
	double single = cooper_exact(c, once);
	double translation = cooper_exact(c, twice) - single;

	if (!isfinite(translation))
		return;
	translation = fmax(0, translation);
	parameter_measured(p, fmax(1, round(single - translation)), 0,
			   COOPER_METHOD);
	snprintf(
		p->reason, sizeof(p->reason),
		"of C(%.0f KiB), in integer additions, less %.2f for translations",
		once->x / 1024, translation);
}

/* The longest footprint that was timed. */
static double longest_mib(const struct cooper *c)
{
	const struct side_curve *curve = c->r->curves[0];

	return curve->points[curve->count - 1].x / (1 << 20);
}

/* A footprint longer by an octave takes more time. */
static bool rises_at_end(const struct side_curve *curve)
{
	const struct curve_point *last = &curve->points[curve->count - 1];
	size_t i = 0;

	while (curve->points[i].x < last->x / 2)
		i++;
	return last->y > (1 + 2 * FLAT) * curve->points[i].y;
}

/* How longer footprints become possible. */
static const char *remedy(const struct cooper *c)
{
	return longest_mib(c) * (2 << 20) < (double)c->most_bytes ?
		       "longer ones were disturbed: choose another CPU with --cpu" :
		       "give more memory";
}

/* Cycles of a load of flushed lines, the least of several rounds. */
static int time_flushed(struct cooper *c, double *cycles, struct failure *f)
{
	const struct walk_plan plan = { .flags = WALK_COLD,
					.samples = COLD_SAMPLES };
	const struct string_array a = { .bytes = COLD_BYTES,
					.page_bytes = COOPER_PAGE_BYTES,
					.line_bytes = COLD_LINE_BYTES };
	struct readings r = { .count = 0 };
	struct sequence s;
	int error;

	if (string_cache(&s, &a, &c->p->rng))
		return prober_out_of_memory(f);
	error = sampler_observe(c->p->m, &s, &plan, 0, &r, f);
	sequence_free(&s);
	*cycles = r.count ? statistics_quantile(r.values, r.count, 0) /
				    c->add_ticks :
			    0;
	return error;
}

static void leave_latency_of_memory(struct cooper *c)
{
	parameter_undecided(
		&c->r->memory_latency_cycles, COOPER_METHOD,
		"latency still rises at the longest footprint, %.4g MiB (%s)",
		longest_mib(c), remedy(c));
}

/*
 * The paper takes the last plateau for memory. If the longest footprint fits
 * into the last cache, it is that cache; then loads of flushed lines take
 * longer by more than levels differ.
 */
static int check_memory(struct cooper *c, struct failure *f)
{
	struct parameter *memory = &c->r->memory_latency_cycles;
	double plateau = memory->value, cycles = 0;
	struct side_level *level;
	int error;

	if (!parameter_is_measured(memory))
		return 0;
	error = time_flushed(c, &cycles, f);
	if (error)
		return error;
	if (cycles <= LEAST_MISS * plateau) {
		if (cycles > LEAST_MORE * plateau &&
		    rises_at_end(c->r->curves[0]))
			leave_latency_of_memory(c);
		return 0;
	}
	level = side_result_add(c->r);
	if (level) {
		level->latency_cycles = *memory;
		parameter_undecided(
			&level->capacity_bytes, COOPER_METHOD,
			"footprints up to %.4g MiB do not fill it (%s)",
			longest_mib(c), remedy(c));
	}
	parameter_undecided(
		&c->r->levels, COOPER_METHOD,
		"%zu or more: loads of flushed lines take %.0f cycles, those of the longest footprint %.0f",
		c->r->cache_count, cycles, plateau);
	parameter_undecided(
		memory, COOPER_METHOD,
		"the longest footprint, %.4g MiB, is still in a cache (%s)",
		longest_mib(c), remedy(c));
	return 0;
}

/* The curve ends in the middle of a rise. */
static void leave_memory(struct cooper *c)
{
	parameter_undecided(&c->r->levels, COOPER_METHOD,
			    "%zu or more: latency still rises at %.4g MiB",
			    c->r->cache_count, longest_mib(c));
	leave_latency_of_memory(c);
}

/* A step without a plateau. */
static void leave_latency(struct cooper *c, size_t level)
{
	parameter_undecided(
		&c->r->caches[level].latency_cycles, COOPER_METHOD,
		"latency changes with each footprint from the level above to the next one: some lines are elsewhere always");
}

/* The same footprint as before takes something else. */
static void doubt_change(const struct cooper *c, struct parameter *latency,
			 const struct cooper_string *string)
{
	const struct side_curve *curve = c->r->curves[0];
	double now = cooper_exact(c, string);
	size_t i = 0;

	while (i + 1 < curve->count && curve->points[i].x < string->x)
		i++;
	if (!isfinite(now) || fabs(now - curve->points[i].y) <=
				      fmax(2, CHANGE * curve->points[i].y))
		return;
	parameter_undecided(
		latency, COOPER_METHOD,
		"a footprint of %.4g KiB takes %.0f cycles at one time and %.0f at another: what stays depends on what came before, or is disturbed",
		string->x / 1024, curve->points[i].y, now);
}

static struct parameter *latency_of(const struct cooper *c, size_t step)
{
	return step < c->r->cache_count ? &c->r->caches[step].latency_cycles :
					  &c->r->memory_latency_cycles;
}

static int time_plateaus(struct cooper *c, struct cooper_arrays *a,
			 const struct curve_result *found, struct failure *f)
{
	const struct side_curve *curve = c->r->curves[0];
	size_t steps = c->r->cache_count + !found->open;
	struct parameter *latencies[SIDE_LEVELS + 1];
	size_t count = 0;
	int error;

	a->line_bytes = longest_line(c);
	for (size_t i = 0; i < steps; i++) {
		uint64_t bytes = (uint64_t)plateau(curve, i);

		if (!bytes) {
			leave_latency(c, i);
			continue;
		}
		latencies[count++] = latency_of(c, i);
		cooper_arrays_add(a, bytes, 1);
		cooper_arrays_add(a, bytes, 2);
	}
	error = cooper_arrays_time(a, WHAT, f);
	for (size_t i = 0; !error && i < count; i++) {
		conclude(c, latencies[i], &a->strings[2 * i],
			 &a->strings[2 * i + 1]);
		if (a->line_bytes == c->line_bytes)
			doubt_change(c, latencies[i], &a->strings[2 * i]);
	}
	return error;
}

/* One word of each line found is enough to fill a level, if its lines are that
 * long. Where they are not, the level above holds them all.
 */
static void doubt_lines(struct side_result *r)
{
	for (size_t i = 1; i < r->cache_count; i++) {
		struct side_level *level = &r->caches[i];
		const struct parameter *above =
			&r->caches[i - 1].latency_cycles;

		if (!parameter_is_measured(&level->latency_cycles) ||
		    !parameter_is_measured(above) ||
		    level->latency_cycles.value > above->value)
			continue;
		parameter_undecided(
			&level->latency_cycles, COOPER_METHOD,
			"one word of each line that was found is as fast as the level above: the line size is too large");
		parameter_undecided(
			&level->line_bytes, COOPER_METHOD,
			"too large: one word of each such line fits into the level above");
	}
}

/* A cycle is an addition, and these take now more, now less. */
static void doubt_unit(struct cooper *c)
{
	if (c->slower <= UNSTEADY * c->units)
		return;
	for (size_t i = 0; i <= c->r->cache_count; i++)
		parameter_undecided(
			latency_of(c, i), COOPER_METHOD,
			"%u of %u times additions, the unit, took longer: the clock changes its frequency (fix it)",
			c->slower, c->units);
}

int cooper_measure_latencies(struct cooper *c, struct failure *f)
{
	const struct curve_result *found;
	struct cooper_arrays a;
	int error;

	if (!c->r->cache_count)
		return 0;
	found = &c->r->curves[0]->found;
	error = cooper_arrays_begin(&a, c, 2 * (SIDE_LEVELS + 1), f);
	if (!error)
		error = time_plateaus(c, &a, found, f);
	cooper_arrays_free(&a);
	doubt_lines(c->r);
	if (!error && found->open)
		leave_memory(c);
	else if (!error)
		error = check_memory(c, f);
	doubt_unit(c);
	return error;
}
