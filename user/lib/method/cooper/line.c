// SPDX-License-Identifier: GPL-2.0
/*
 * line.c - line sizes by L(n,s) (IV-D): two patterns of n bytes each share
 * lines until their stripes are as wide as a line; then both fit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/cooper/time.h"
#include "sequence/reference_strings.h"

#define MOST_STRIPES 16
#define WHAT "line sizes L(n,s)"
/* A miss costs at least 25 % more (V-B), and half of them go. */
#define LEAST_DROP 1.125
/*
 * A second step, as a share of the greatest one. On 20 simulated systems with
 * noise it was at most an eighth; on hashed levels a third and more.
 */
#define STEP_SHARE 0.25
/* Stripes that have to be as fast. */
#define WIDER 3
/*
 * Where frames are random, few choices of pages leave no set too many lines. The
 * least of three sweeps has one step more often than that of one; a hashed index
 * has several, whichever pages are chosen.
 */
#define MOST_SWEEPS 3

/**
 * struct stripes - a sweep over s
 * @c: the measurement
 * @n: bytes of each pattern
 * @pages: pages of a trial, @count of them, in random order; all stripes use
 *         the same pages, so that they differ in nothing else
 * @trial: number of that trial, from 1
 * @all: number of all pages
 * @strings: by s, whose value is x; @stripe_count of them
 */
struct stripes {
	struct cooper *c;
	uint64_t *pages;
	size_t count;
	unsigned int trial;
	size_t all;
	struct cooper_string strings[MOST_STRIPES];
	size_t stripe_count;
};

/* Each page at most once, every choice as likely as any other. */
static void draw_pages(struct stripes *t)
{
	struct sequence pages = { t->pages, t->count };
	struct rng *rng = &t->c->p->rng;
	size_t drawn = 0;

	for (size_t i = 0; drawn < t->count; i++)
		if (rng_below(rng, t->all - i) < t->count - drawn)
			t->pages[drawn++] = i * COOPER_PAGE_BYTES;
	sequence_shuffle(&pages, rng);
}

static int make(void *context, size_t which, unsigned int trial,
		struct sequence *s, struct failure *f)
{
	struct stripes *t = context;

	if (t->trial != trial + 1)
		draw_pages(t);
	t->trial = trial + 1;
	return string_stripes(s, t->pages, t->count, COOPER_PAGE_BYTES,
			      (uint64_t)t->strings[which].x, &t->c->p->rng) ?
		       prober_out_of_memory(f) :
		       0;
}

/* No level has shorter lines than the first one. */
static uint64_t least_stripe(const struct cooper *c, size_t level)
{
	return level && c->l1.line_found &&
			       c->l1.line_bytes >= 2 * sizeof(uint64_t) ?
		       c->l1.line_bytes / 2 :
		       sizeof(uint64_t);
}

/*
 * Whether no stripe from number @i on takes longer than the one before. Much
 * wider ones visit each page seldom, and translations cost them more.
 */
static bool stays_below(const struct stripes *t, size_t i)
{
	double before = t->strings[i - 1].cycles;

	for (size_t end = i + WIDER; i < end && i < t->stripe_count; i++)
		if (t->strings[i].cycles > before)
			return false;
	return true;
}

/*
 * The paper compares with the narrowest stripe. But of several words in a line
 * only the first misses. And where a pattern fills the whole cache, a few pages
 * too many in one set always miss. So the narrowest stripe can be faster than
 * the right one. From one stripe to the next there is a single drop.
 */
static size_t find_drop(const struct stripes *t)
{
	double greatest = LEAST_DROP;
	size_t found = 0;

	for (size_t i = 1; i < t->stripe_count; i++) {
		double drop = t->strings[i - 1].cycles / t->strings[i].cycles;

		if (drop < greatest || !stays_below(t, i))
			continue;
		greatest = drop;
		found = i;
	}
	return found;
}

/*
 * Several steps down: some lines of the narrower stripes did not fit, and fit
 * when each page has half as many. An index that is no bit field of the address
 * spreads them over more sets. Which of the steps is the line is undecided.
 */
static bool falls_again(const struct stripes *t, size_t drop)
{
	double step = t->strings[drop - 1].cycles - t->strings[drop].cycles;

	for (size_t i = 1; i < t->stripe_count; i++)
		if (i != drop &&
		    t->strings[i - 1].cycles - t->strings[i].cycles >
			    STEP_SHARE * step)
			return true;
	return false;
}

static bool is_disturbed(const struct stripes *t)
{
	for (size_t i = 0; i < t->stripe_count; i++)
		if (!isfinite(t->strings[i].cycles))
			return true;
	return false;
}

static void conclude(struct cooper *c, const struct stripes *t, size_t level)
{
	struct parameter *line = &c->r->caches[level].line_bytes;
	size_t at = find_drop(t);
	double bytes = t->strings[at].x;

	if (is_disturbed(t))
		parameter_undecided(
			line, COOPER_METHOD,
			"strings were disturbed in all trials (the CPU is too busy: choose another with --cpu)");
	else if (!at)
		parameter_undecided(
			line, COOPER_METHOD,
			"no width of stripes makes two patterns fit");
	else if (falls_again(t, at))
		parameter_undecided(
			line, COOPER_METHOD,
			"two patterns fit better in several steps, up to stripes of %.0f bytes (is the index hashed?)",
			bytes);
	else if (!level && c->l1.line_found &&
		 bytes != (double)c->l1.line_bytes)
		parameter_undecided(
			line, COOPER_METHOD,
			"stripes say %.0f bytes, the gap test says %llu", bytes,
			(unsigned long long)c->l1.line_bytes);
	else
		parameter_measured(line, bytes, 0, COOPER_METHOD);
	if (parameter_is_measured(line))
		snprintf(
			line->reason, sizeof(line->reason),
			"effective: L(n,s) falls from %.0f to %.0f cycles; prefetchers that bring pairs of lines double it",
			t->strings[at - 1].cycles, t->strings[at].cycles);
}

/* Each sweep takes other pages; a stripe keeps its least time of all sweeps. */
static int sweep_again(struct cooper *c, struct stripes *t,
		       struct cooper_sweep *sweep, struct failure *f)
{
	double least[MOST_STRIPES] = { 0 };
	int error;

	for (size_t i = 0; i < sweep->count; i++)
		least[i] = sweep->strings[i].cycles;
	t->trial = 0;
	error = cooper_sweep(c, sweep, f);
	for (size_t i = 0; i < sweep->count; i++)
		sweep->strings[i].cycles =
			fmin(sweep->strings[i].cycles, least[i]);
	return error;
}

static bool is_in_doubt(const struct stripes *t)
{
	size_t drop = find_drop(t);

	return !is_disturbed(t) && drop && falls_again(t, drop);
}

static int time_stripes(struct cooper *c, struct stripes *t, size_t level,
			struct failure *f)
{
	struct cooper_sweep sweep = {
		.strings = t->strings, .make = make, .context = t, .what = WHAT
	};
	struct side_curve *curve;
	int error;

	for (uint64_t s = least_stripe(c, level); s <= COOPER_PAGE_BYTES / 2;
	     s *= 2)
		t->strings[t->stripe_count++].x = (double)s;
	sweep.count = t->stripe_count;
	error = cooper_sweep(c, &sweep, f);
	for (int i = 1; i < MOST_SWEEPS && !error && is_in_doubt(t); i++)
		error = sweep_again(c, t, &sweep, f);
	if (error)
		return error;
	curve = cooper_keep(c, &sweep, SIDE_STRIDE_BYTES, "L(n,s)");
	if (curve)
		snprintf(curve->name, sizeof(curve->name), "L(%.0f KiB,s)",
			 (double)t->count * COOPER_PAGE_BYTES / 2 / 1024);
	conclude(c, t, level);
	return 0;
}

static int measure_level(struct cooper *c, size_t level, struct failure *f)
{
	struct side_level *of = &c->r->caches[level];
	struct stripes t = {
		.c = c,
		.count = 2 *
			 (size_t)(of->capacity_bytes.value / COOPER_PAGE_BYTES),
		.all = c->p->m->region.bytes / COOPER_PAGE_BYTES,
	};
	int error;

	if (!t.count)
		t.count = 2;
	if (t.count > t.all) {
		parameter_unavailable(
			&of->line_bytes,
			"the memory is less than two patterns of %.0f KiB (give more)",
			of->capacity_bytes.value / 1024);
		return 0;
	}
	t.pages = calloc(t.count, sizeof(*t.pages));
	if (!t.pages)
		return prober_out_of_memory(f);
	error = time_stripes(c, &t, level, f);
	free(t.pages);
	return error;
}

int cooper_measure_lines(struct cooper *c, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < c->r->cache_count; i++)
		error = measure_level(c, i, f);
	return error;
}
