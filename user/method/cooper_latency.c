// SPDX-License-Identifier: GPL-2.0
/*
 * cooper_latency.c - what a load takes that finds its line in a level.
 *
 * The height of a step of C(k) is not quite that. Where lines of a lower level are
 * longer than those of the first one, several words of C(k) lie in one, and only
 * the first of them is served from there; and a round has a translation for each
 * page, shared by its lines. So a footprint in the middle of each plateau is timed
 * again, by one word of each of the longest lines, with one and with two visits of
 * each page: what the second visit adds is what the first one costs.
 */
#include <math.h>
#include <stdio.h>

#include "../observe/sampler.h"
#include "../sequence/strings.h"
#include "cooper_array.h"

#define WHAT "latencies"
/* A miss costs at least 25 % more (V-B). */
#define LEAST_MISS 1.25
/* Some lines, far enough from each other for any level. */
#define COLD_BYTES (UINT64_C(64) << 10)
#define COLD_LINE_BYTES 512
#define COLD_SAMPLES 16

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

/* The middle one of the footprints of a step that take what the step does; of
 * memory the longest.
 */
static double plateau(const struct side_curve *curve, size_t step)
{
	const struct curve_step *steps = curve->found.steps;
	double begin = step ? steps[step - 1].end : 0, latency;
	size_t count = 0;

	if (step + 1 == curve->found.step_count)
		return steps[step].end;
	latency = round(steps[step].latency);
	for (int pass = 0; pass < 2; pass++) {
		size_t wanted = count / 2;

		count = 0;
		for (size_t i = 0; i < curve->count; i++) {
			const struct curve_point *p = &curve->points[i];

			if (p->x <= begin || p->x > steps[step].end ||
			    round(p->y) != latency)
				continue;
			if (pass && count == wanted)
				return p->x;
			count++;
		}
	}
	return steps[step].end;
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

/* What would let longer ones be timed. */
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
	double per_load[COLD_SAMPLES];
	struct sequence s;
	size_t count = 0;
	int error;

	if (string_cache(&s, &a, &c->p->rng))
		return prober_out_of_memory(f);
	error = sampler_take(c->p->m, &s, &plan, per_load, &count, f);
	sequence_free(&s);
	*cycles = count ? sampler_quantile(per_load, count, 0) / c->add_ticks :
			  0;
	return error;
}

/*
 * The paper takes the last plateau for memory. Where the longest footprint does not
 * leave the last cache, it is that cache; then a load of what was flushed takes
 * longer by more than any level is known to be apart.
 */
static int check_memory(struct cooper *c, struct failure *f)
{
	struct parameter *memory = &c->r->memory_latency_cycles;
	double plateau = memory->value, cycles = 0;
	struct side_level *level;
	int error = time_flushed(c, &cycles, f);

	if (error || cycles <= LEAST_MISS * plateau)
		return error;
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
	double mib = longest_mib(c);

	parameter_undecided(&c->r->levels, COOPER_METHOD,
			    "%zu or more: latency still rises at %.4g MiB",
			    c->r->cache_count, mib);
	parameter_undecided(
		&c->r->memory_latency_cycles, COOPER_METHOD,
		"latency still rises at the longest footprint, %.4g MiB (%s)",
		mib, remedy(c));
}

static int time_plateaus(struct cooper *c, struct cooper_arrays *a,
			 const struct curve_result *found, struct failure *f)
{
	const struct side_curve *curve = c->r->curves[0];
	size_t levels = c->r->cache_count;
	int error;

	a->line_bytes = longest_line(c);
	for (size_t i = 0; i < levels + !found->open; i++) {
		uint64_t bytes = (uint64_t)plateau(curve, i);

		cooper_arrays_add(a, bytes, 1);
		cooper_arrays_add(a, bytes, 2);
	}
	error = cooper_arrays_time(a, WHAT, f);
	for (size_t i = 0; !error && 2 * i + 1 < a->count; i++)
		conclude(c,
			 i < levels ? &c->r->caches[i].latency_cycles :
				      &c->r->memory_latency_cycles,
			 &a->strings[2 * i], &a->strings[2 * i + 1]);
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
	if (error || !found->open)
		return error ? error : check_memory(c, f);
	leave_memory(c);
	return 0;
}
