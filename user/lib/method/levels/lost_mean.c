// SPDX-License-Identifier: GPL-2.0
#include "method/levels/lost_mean.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/level/level.h"
#include "method/levels/tuning.h"
#include "observe/sampler.h"

/* Lines that are timed together, in half a page, no two of them neighbours. */
#define LANES 8
#define LANE_BYTES (PLACE_PAGE_BYTES / 2 / LANES)
/* Lines of the control, which are in a page each: few, so that their translations
 * fit into the smallest TLB.
 */
#define CONTROL_LANES 4
/* That a mean is off by more than its error, to either side. */
#define MEAN_ALPHA 1e-3
/* Standard deviations of a normal variable between its quartiles; and how much more
 * than that the mean of the middle half may vary, whatever the distribution: of a
 * uniform one a tenth.
 */
#define QUARTILES 1.349
#define MIDDLE 1.25

/**
 * struct mean - of samples of several lines
 * @ticks: a load
 * @error: that the mean may be off by
 * @width: between the samples' quartiles
 */
struct mean {
	double ticks;
	double error;
	double width;
};

/**
 * struct between - is there a level between what is known?
 * @at: the place
 * @here: ticks of a line that is still in the level above
 * @least: ticks of a line of a level between; @most
 * @lines: what is timed, LANES
 * @evict: other lines of their sets, those of one line after those of another; all
 *         of them follow once more
 * @kept: the lines, when none was evicted
 * @lost: when all were
 */
struct between {
	const struct place *at;
	double here;
	double least;
	double most;
	struct sequence lines;
	struct sequence evict;
	struct mean kept;
	struct mean lost;
};

/* A reading of the clock is off by up to a step, anywhere in it. */
static double deviation(const struct prober *p, double width, size_t lines)
{
	double step = p->m->timer.resolution_ticks / (double)lines;

	return MIDDLE * fmax(width / QUARTILES, step / sqrt(12));
}

/* @blocks times MEAN_SAMPLES samples. Without a reading the error is infinite. */
static int find_mean(struct prober *p, const struct sequence *lines,
		     const struct walk_plan *plan, size_t blocks,
		     struct mean *mean, struct failure *f)
{
	const double step =
		p->m->timer.resolution_ticks / (double)lines->length;
	size_t samples = 0, read = 0;
	struct readings r;

	*mean = (struct mean){ .error = INFINITY };
	for (size_t i = 0; i < blocks; i++) {
		int error = prober_observe(p, lines, plan, 0, &r, f);

		if (error)
			return error;
		if (!r.count)
			continue;
		mean->ticks += statistics_near_middle(r.values, r.count, step);
		mean->width += statistics_peek(r.values, r.count, 0.75) -
			       statistics_peek(r.values, r.count, 0.25);
		samples += r.count;
		read++;
	}
	if (!read)
		return 0;
	mean->ticks /= (double)read;
	mean->width /= (double)read;
	mean->error = statistics_sigmas(MEAN_ALPHA) *
		      deviation(p, mean->width, lines->length) /
		      sqrt((double)samples);
	return 0;
}

/* @flushed: all lines; else all have been loaded, and then @evict. */
static int time_lanes(const struct between *b, bool flushed,
		      const struct sequence *evict, size_t blocks,
		      struct mean *mean, struct failure *f)
{
	const struct sequence neighbour = { (uint64_t *)&b->at->neighbour, 1 };
	const struct walk_step steps[] = {
		{ STEP_FLUSH, &b->lines, 0 },
		{ STEP_FLUSH, &b->evict, 0 },
		{ STEP_LOAD, flushed ? &neighbour : &b->lines, 0 },
		{ STEP_LOAD, evict->length ? evict : &neighbour, 0 },
		{ STEP_LOAD, &neighbour, 0 },
	};
	const struct walk_plan plan = { .samples = MEAN_SAMPLES,
					.steps = steps,
					.step_count = 5 };

	return find_mean(b->at->p, &b->lines, &plan, blocks, mean, f);
}

/* Surely no line of a level between. */
static bool is_apart(const struct between *b, double ticks, double error)
{
	return ticks - error > b->most || ticks + error < b->least;
}

/* VOID: it cannot be known with these errors. */
static enum outcome compare(const struct between *b, double ticks, double error)
{
	if (is_apart(b, ticks, error))
		return OUTCOME_OPEN;
	if (ticks - error > b->least && ticks + error <= b->most)
		return OUTCOME_DECIDED;
	return b->most - b->least > 2 * error ? OUTCOME_OPEN : OUTCOME_VOID;
}

/* Lines that come from one level take equally long. Of a level that keeps some and
 * loses others, at random, samples differ: of p lost out of n by
 * sqrt(p * (1 - p) / n), which is more than half of p while p is less than a half.
 * With more lost lines than that the mean is above @most.
 */
static bool is_alike(const struct between *b)
{
	const double step = b->at->p->m->timer.resolution_ticks / LANES;
	const double usual = 1.5 * fmax(b->kept.width, step);

	return b->lost.width <=
	       hypot(usual, (b->lost.ticks - b->kept.ticks) / 2);
}

/* All lines together. */
static int ask_all(struct between *b, size_t blocks, enum outcome *outcome,
		   struct failure *f)
{
	static const struct sequence nothing = { NULL, 0 };
	int error = time_lanes(b, false, &nothing, blocks, &b->kept, f);

	if (!error)
		error = time_lanes(b, false, &b->evict, blocks, &b->lost, f);
	if (error)
		return error;
	*outcome = compare(b, b->lost.ticks, b->lost.error);
	if (*outcome == OUTCOME_DECIDED && !is_alike(b))
		*outcome = OUTCOME_OPEN;
	return 0;
}

/* What each adds, if it is lost as all others are. Some that are kept always and
 * others that never are have a mean in between, too.
 */
static int ask_each(const struct between *b, size_t blocks,
		    enum outcome *outcome, struct failure *f)
{
	const size_t each = b->at->evicting;
	const double least = fmin(b->here, b->kept.ticks);
	int error = 0;

	for (size_t i = 0; !error && *outcome == OUTCOME_DECIDED && i < LANES;
	     i++) {
		/* Cyclic: those of the line @i are left out. */
		const struct sequence others = {
			b->evict.offsets + (i + 1) * each, (LANES - 1) * each
		};
		struct mean kept;

		error = time_lanes(b, false, &others, blocks, &kept, f);
		if (is_apart(b, least + LANES * (b->lost.ticks - kept.ticks),
			     LANES * (b->lost.error + kept.error)))
			*outcome = OUTCOME_OPEN;
	}
	return error;
}

static int ask_lanes(struct between *b, double memory, enum outcome *outcome,
		     struct failure *f)
{
	static const struct sequence nothing = { NULL, 0 };
	struct mean nowhere;
	int error = time_lanes(b, true, &nothing, 1, &nowhere, f);

	*outcome = OUTCOME_OPEN;
	if (error || nowhere.ticks + nowhere.error < LEVEL_END_SHARE * memory)
		return error;
	b->most = fmin(b->most, PLACE_FAR_ABOVE * nowhere.ticks);
	*outcome = OUTCOME_VOID;
	for (size_t n = 1; !error && *outcome == OUTCOME_VOID && n <= MEAN_MOST;
	     n *= MEAN_GROWTH) {
		error = ask_all(b, n, outcome, f);
		if (!error && *outcome == OUTCOME_DECIDED)
			error = ask_each(b, n, outcome, f);
	}
	return error;
}

int lost_mean_between(const struct place *at, double here, double memory,
		      double below, enum outcome *outcome, struct failure *f)
{
	const size_t each = at->evicting;
	uint64_t lines[LANES], *evict;
	struct between b = {
		.at = at,
		.here = here,
		.least = PLACE_FAR_BELOW * here,
		.most = PLACE_FAR_ABOVE * fmin(below, memory),
	};
	int error;

	*outcome = OUTCOME_OPEN;
	if (b.least >= b.most)
		return 0;
	/* Twice, so that all but those of one line are a row. */
	evict = calloc(2 * LANES * each, sizeof(*evict));
	if (!evict)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < LANES; i++)
		lines[i] = at->line + i * LANE_BYTES;
	sequence_shuffle(&(struct sequence){ lines, LANES }, &at->p->rng);
	for (size_t i = 0; i < 2 * LANES * each; i++)
		evict[i] = at->evict[i % each] +
			   (lines[i / each % LANES] - at->line);
	b.lines = (struct sequence){ lines, LANES };
	b.evict = (struct sequence){ evict, LANES * each };
	error = ask_lanes(&b, memory, outcome, f);
	free(evict);
	return error;
}

/* --- the control ----------------------------------------------------------- */

/* The other half of its page. */
static uint64_t neighbour_of(uint64_t offset)
{
	return offset ^ PLACE_PAGE_BYTES / 2;
}

/* The first of its lines after all of the others. */
static int time_control(struct prober *p, const struct sequence *s,
			struct mean *mean, struct failure *f)
{
	uint64_t near[CONTROL_LANES];
	const struct sequence first = { s->offsets, CONTROL_LANES },
			      rest = { s->offsets + CONTROL_LANES,
				       s->length - CONTROL_LANES },
			      neighbours = { near, CONTROL_LANES };
	const struct walk_step steps[] = {
		{ STEP_LOAD, &rest, 0 },
		{ STEP_LOAD, &neighbours, 0 },
	};
	const struct walk_plan plan = { .samples = MEAN_SAMPLES,
					.steps = steps,
					.step_count = 2 };

	for (size_t i = 0; i < CONTROL_LANES; i++)
		near[i] = neighbour_of(s->offsets[i]);
	return find_mean(p, &first, &plan, 1, mean, f);
}

int lost_mean_control(struct prober *p, const struct shape *control,
		      double *ticks, struct failure *f)
{
	struct sequence s;
	struct mean mean;
	uint64_t base;
	int error;

	*ticks = INFINITY;
	if (shape_length(control) <= CONTROL_LANES ||
	    !prober_choose_base(p, control, &base))
		return 0;
	error = prober_build(p, control, base, &s, f);
	if (error)
		return error == -ERANGE ? 0 : error;
	error = time_control(p, &s, &mean, f);
	if (!error && isfinite(mean.error))
		*ticks = mean.ticks + mean.error;
	sequence_free(&s);
	return error;
}
