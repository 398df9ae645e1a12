// SPDX-License-Identifier: GPL-2.0
/*
 * cache.c - levels, effective capacities and latencies by C(k) (IV-B, V).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/cooper/array.h"
#include "method/cooper/tuning.h"
#include "method/curve/curve.h"

/* LB of the paper. */
#define LEAST_FOOTPRINT UINT64_C(1024)
/* Footprints of an octave, and of one of footprints that take long: the paper's
 * were 4, in its results multiples of a quarter of a power of two.
 */
#define PER_OCTAVE 8
#define PER_LONG_OCTAVE 4
#define LONG_OCTAVE (UINT64_C(1) << 20)
/* Parts of the step between two footprints, where latency rises. */
#define OCTAVES 40
/*
 * A rise is sharp if it is half way up by this factor: of such a footprint two
 * thirds miss in a direct-mapped cache.
 */
#define SHARP 1.5
/*
 * If a third of a footprint misses, all of one four times as long misses under
 * LRU, unless sets of one or two lines overflow by chance, which shows long
 * before. Other policies keep as many lines as fit.
 */
#define MUCH_LONGER 4
#define LONG_BEFORE 2.6
#define ALL_GONE 0.9
#define WHAT "footprints C(k)"

/* Multiples of a part of a power of two: capacities are among them. */
static void add_footprints(struct cooper_arrays *a)
{
	uint64_t most = a->c->most_bytes;

	for (uint64_t octave = LEAST_FOOTPRINT; octave <= most; octave *= 2) {
		uint64_t parts = octave < LONG_OCTAVE ? PER_OCTAVE :
							PER_LONG_OCTAVE;

		for (uint64_t i = 0; i < parts; i++) {
			uint64_t bytes = octave + octave / parts * i;

			if (bytes <= most)
				cooper_arrays_add(a, bytes, 1);
		}
	}
}

/* The first footprint that is longer. */
static size_t after(const struct side_curve *curve, double x)
{
	size_t i = 0;

	while (i < curve->count && curve->points[i].x <= x)
		i++;
	return i;
}

static double missing(const struct curve_step *step, double cycles)
{
	return (cycles - step[0].latency) / (step[1].latency - step[0].latency);
}

/* Does a policy keep some lines of footprints that are too long? */
static bool keeps_lines(const struct side_curve *curve,
			const struct curve_step *step, double end)
{
	size_t at = after(curve, MUCH_LONGER * end);

	return end <= LONG_BEFORE * step->end && at &&
	       missing(step, curve->points[at - 1].y) < ALL_GONE;
}

/* In a round no more lines hit than there is room for. */
static double most_hits(const struct side_curve *curve,
			const struct curve_step *step)
{
	double most = step->end;

	for (size_t i = after(curve, step->end);
	     i < curve->count && curve->points[i].x <= step[1].end; i++)
		most = fmax(most,
			    curve->points[i].x *
				    (1 - missing(step, curve->points[i].y)));
	return most;
}

/*
 * A slow rise, as of pages that share some sets by chance, begins long before
 * most of a level is used. Then the step ends half way up on the logarithmic
 * scale of latencies (V-B): of all pairs of steps with the levels' heights,
 * those are nearest to the curve. Where levels are close, half way up is half
 * of the loads, and a third of a footprint that is slightly too long misses:
 * there it is a third.
 * Return: the last footprint below; 0: the rise is sharp.
 */
static double soft_end(const struct side_curve *curve,
		       const struct curve_step *step, const char **why)
{
	double third =
		step[0].latency + (step[1].latency - step[0].latency) / 3;
	double middle = fmin(third, sqrt(step[0].latency * step[1].latency));
	size_t i = after(curve, step[0].end);
	double end;

	while (i + 1 < curve->count && curve->points[i].y < middle)
		i++;
	if (curve->points[i].x <= SHARP * step[0].end)
		return 0;
	end = curve->points[i - 1].x;
	*why = "here is half way up to the next level";
	if (!keeps_lines(curve, step, end))
		return end;
	*why = "no longer footprint has more hits";
	return COOPER_PAGE_BYTES *
	       floor(most_hits(curve, step) / COOPER_PAGE_BYTES);
}

/*
 * Lines that a level has no room for miss in each round, under whatever policy:
 * does a footprint take longer than half of them would make it?
 */
static bool is_held(const struct cooper_arrays *a, size_t i, double level,
		    double next)
{
	double base = fmin(level, cooper_exact(a->c, &a->strings[0]));
	double cycles = cooper_exact(a->c, &a->strings[i]);
	double added = 1 - a->strings[0].x / a->strings[i].x;

	return cycles - base < added * (next - base) / 2;
}

/*
 * Refine between the last footprint of a step and the next one: up to which one
 * is latency the same?
 */
static int refine(struct cooper *c, const struct side_curve *curve,
		  const struct curve_step *step, double *refined,
		  struct failure *f)
{
	double level = step[0].latency, next = step[1].latency, end = step->end;
	size_t behind = after(curve, end);
	int parts = end < (double)LONG_OCTAVE ? RISE_PARTS : RISE_PARTS_LONG;
	double part = (curve->points[behind].x - end) / parts;
	struct cooper_arrays a;
	int error = cooper_arrays_begin(&a, c, RISE_PARTS, f);

	*refined = end;
	for (int i = 0; i < parts; i++)
		cooper_arrays_add(&a, (uint64_t)(end + i * part), 1);
	if (!error)
		error = cooper_arrays_time(&a, "around " WHAT, f);
	for (size_t i = 1; !error && i < a.count && is_held(&a, i, level, next);
	     i++)
		*refined = a.strings[i].x;
	cooper_arrays_free(&a);
	return error;
}

static int find_capacity(struct cooper *c, struct side_curve *curve, size_t i,
			 struct parameter *p, struct failure *f)
{
	struct curve_step *step = &curve->found.steps[i];
	const char *why = NULL;
	double begin = step->end, end = soft_end(curve, step, &why);
	int error = 0;

	if (!end)
		error = refine(c, curve, step, &end, f);
	if (error)
		return error;
	parameter_measured(p, end, 0, COOPER_METHOD);
	if (why)
		snprintf(
			p->reason, sizeof(p->reason),
			"effective: latency rises little by little from %.4g KiB on, and %s",
			begin / 1024, why);
	else
		snprintf(
			p->reason, sizeof(p->reason),
			"effective: what a program can visit before loads take longer, here and in the levels above together");
	step->end = end;
	return 0;
}

static int add_levels(struct cooper *c, struct side_curve *curve,
		      struct failure *f)
{
	const struct curve_result *found = &curve->found;
	int error = 0;

	for (size_t i = 0; !error && i + 1 < found->step_count; i++) {
		struct side_level *level = side_result_add(c->r);

		if (!level)
			break;
		parameter_measured(&level->latency_cycles,
				   found->steps[i].latency, 0, COOPER_METHOD);
		error = find_capacity(c, curve, i, &level->capacity_bytes, f);
	}
	if (error)
		return error;
	parameter_measured(&c->r->levels, (double)c->r->cache_count, 0,
			   COOPER_METHOD);
	snprintf(
		c->r->levels.reason, sizeof(c->r->levels.reason),
		"plateaus of latency of footprints up to %.4g MiB, but the last one, which is memory",
		curve->points[curve->count - 1].x / (1 << 20));
	parameter_measured(&c->r->memory_latency_cycles,
			   found->steps[found->step_count - 1].latency, 0,
			   COOPER_METHOD);
	return 0;
}

static int analyse(struct cooper *c, struct side_curve *curve,
		   struct failure *f)
{
	if (curve_analyse(curve->points, curve->count, &curve->found))
		return prober_out_of_memory(f);
	curve->analysed = true;
	if (!curve->found.decided || curve->found.step_count < 2) {
		parameter_undecided(
			&c->r->levels, COOPER_METHOD, "%s",
			curve->found.decided ?
				"no footprint is slower than the others: no cache, or one that holds them all" :
				curve->found.reason);
		return 0;
	}
	return add_levels(c, curve, f);
}

int cooper_measure_capacities(struct cooper *c, struct failure *f)
{
	struct cooper_sweep sweep;
	struct side_curve *curve;
	struct cooper_arrays a;
	int error = cooper_arrays_begin(&a, c, OCTAVES * PER_OCTAVE, f);

	if (!error) {
		add_footprints(&a);
		error = cooper_arrays_time(&a, WHAT, f);
	}
	if (!error) {
		sweep = cooper_arrays_sweep(&a, WHAT);
		curve = cooper_keep(c, &sweep, SIDE_FOOTPRINT_BYTES, "C(k)");
		error = curve ? analyse(c, curve, f) : prober_out_of_memory(f);
	}
	cooper_arrays_free(&a);
	return error;
}
