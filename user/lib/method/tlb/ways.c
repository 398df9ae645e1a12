// SPDX-License-Identifier: GPL-2.0
/* ways.c - ways of a level: how many pages far apart fit. */
#include <stdio.h>

#include "method/tlb/finding.h"
#include "observe/sampler.h"

/* No index without a hash takes more bits of the page number. */
#define FAR_APART 4096
/* A clear rise of the average; no decision, it only bounds the search. */
#define CLEARLY_SLOW 1.15
/* A miss of a fetch must add this many cycles. */
#define LEAST_OF_JUMPS 3
#define ODD_SPACING 17
#define MAY_BE_JUMPS \
	"slower by so little that it may be the prediction of jumps"
#define MAY_BE_RETURNS "slower by so little that it may be the returns"

void tlb_leave_open(struct tlb_finding *s, uint64_t stride, size_t count,
		    const char *why)
{
	snprintf(s->g->reason, sizeof(s->g->reason),
		 "%zu pages, %llu pages apart: %s", count,
		 (unsigned long long)stride, why);
}

/* Largest power of two that leaves room for @count pages. */
static uint64_t far_apart(const struct tlb_search *x, size_t count)
{
	uint64_t stride = FAR_APART;

	while (stride > 1) {
		struct shape w = tlb_shape(x, stride, count);

		if (shape_span(&w) <= x->view->pages)
			break;
		stride /= 2;
	}
	return stride;
}

/* @hit: (out) time of a load if none of these pages misses */
static int time_pages(const struct tlb_search *x, uint64_t stride, size_t count,
		      double *hit, double *ticks, struct failure *f)
{
	struct shape w = tlb_shape(x, stride, count);

	*hit = tlb_layout_fills(x->view, shape_length(&w)) ? x->dense_ticks :
							     x->hit_ticks;
	return tlb_view_time(x->view, &w, 0, ticks, f);
}

static int excess(const struct tlb_search *x, uint64_t stride, size_t count,
		  double *ticks, struct failure *f)
{
	double hit, t;
	int error = time_pages(x, stride, count, &hit, &t, f);

	if (!error)
		*ticks = t < CLEARLY_SLOW * hit ? 0 : t - hit;
	return error;
}

/* A number of pages that is slow in two measurements. */
static int find_slow(struct tlb_finding *s, struct failure *f)
{
	for (size_t n = 2; n <= TLB_MOST_WAYS; n *= 2) {
		uint64_t stride = far_apart(s->x, n);
		double ticks = 0;
		int error = excess(s->x, stride, n, &ticks, f);

		if (!error && ticks > 0)
			error = excess(s->x, stride, n, &ticks, f);
		if (error == -ERANGE)
			s->untried = n;
		if (error)
			return error == -ERANGE ? 0 : error;
		if (ticks > 0) {
			s->slow = n;
			s->stride = stride;
			return 0;
		}
	}
	return 0;
}

/*
 * Least cost of a miss. Far apart, pages that miss here may miss below as well;
 * the closer together, the fewer do. Too small a value only makes the test
 * stricter.
 */
static int find_penalty(struct tlb_finding *s, struct failure *f)
{
	double least = 0;

	for (uint64_t stride = s->stride; stride; stride /= 2) {
		double ticks;
		int error = excess(s->x, stride, 2 * s->slow, &ticks, f);

		if (error == -ERANGE)
			continue;
		if (error)
			return error;
		if (ticks <= 0)
			break;
		if (least <= 0 || ticks < least)
			least = ticks;
	}
	s->x->penalty_ticks = least;
	return 0;
}

int tlb_compact(struct tlb_finding *s, uint64_t stride, size_t count,
		enum verdict *verdict, struct failure *f)
{
	struct shape w = tlb_shape(s->x, stride, count);
	int error = tlb_decide(s->x, &w, false, (double)count, verdict, f);

	if (error && error != -ERANGE)
		return error;
	if (error) {
		*verdict = VERDICT_UNDECIDED;
		tlb_leave_open(s, stride, count, "more than a view can show");
	} else if (*verdict == VERDICT_UNDECIDED) {
		tlb_leave_open(s, stride, count, "no clear verdict");
	}
	return 0;
}

/* Shortest non-compact number at a stride, 0 when undecided. */
static int find_shortest(struct tlb_finding *s, uint64_t stride, size_t high,
			 size_t *shortest, struct failure *f)
{
	size_t low = 1;

	*shortest = 0;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		enum verdict verdict;
		int error = tlb_compact(s, stride, middle, &verdict, f);

		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_COMPACT)
			low = middle;
		else
			high = middle;
	}
	*shortest = high;
	return 0;
}

/* Double the stride until the number of ways stays the same (section 4.1.2). */
static int settle_ways(struct tlb_finding *s, enum outcome *outcome,
		       struct failure *f)
{
	struct shape twice = tlb_shape(s->x, 2 * s->stride, s->slow);
	size_t high = s->slow, shortest = 0, before;

	/* The number has to be found twice; verify() will test it again. */
	if (shape_span(&twice) > s->x->view->pages && s->stride > 1)
		s->stride /= 2;
	do {
		int error;

		before = shortest;
		error = find_shortest(s, s->stride, high, &shortest, f);
		if (error || !shortest) {
			*outcome = OUTCOME_OPEN;
			return error;
		}
		high = shortest;
		s->stride *= 2;
	} while (shortest != before);
	s->ways = shortest - 1;
	s->stride /= 2;
	*outcome = OUTCOME_DECIDED;
	return 0;
}

/*
 * Branch predictors depend on where jumps lead, and how far. Where a cycle
 * cannot be timed, their share is unknown.
 */
static bool is_small(const struct tlb_search *x)
{
	double cycle;

	if (!x->view->executable)
		return false;
	cycle = sampler_cycle_ticks(x->view->prober->m);
	return cycle <= 0 || x->penalty_ticks < LEAST_OF_JUMPS * cycle;
}

static void leave_small(struct tlb_finding *s, size_t count)
{
	const bool jumps = s->x->view->code == VIEW_JUMPS;

	tlb_leave_open(s, s->stride, count,
		       jumps ? MAY_BE_JUMPS : MAY_BE_RETURNS);
	s->g->small = true;
}

/*
 * A miss may cost less than a clear rise where walks below the level above take
 * long: then the clear rise were misses elsewhere.
 */
static int refine_penalty(struct tlb_finding *s, enum outcome *outcome,
			  struct failure *f)
{
	struct tlb_search *x = s->x;
	double hit, ticks;
	int error = time_pages(x, s->stride, 2 * s->ways, &hit, &ticks, f);

	if (error)
		return error == -ERANGE ? 0 : error;
	if (ticks > hit && ticks - hit < x->penalty_ticks)
		x->penalty_ticks = ticks - hit;
	*outcome = outcome_if(!is_small(x), OUTCOME_OPEN);
	if (*outcome != OUTCOME_DECIDED)
		leave_small(s, 2 * s->ways);
	return 0;
}

static int search_ways(struct tlb_finding *s, enum outcome *outcome,
		       struct failure *f)
{
	int error;

	*outcome = OUTCOME_OPEN;
	s->slow = 0;
	error = find_slow(s, f);
	if (!error && s->slow)
		error = find_penalty(s, f);
	if (error || !s->slow)
		return error;
	/* Two jumps may take longer than four: those are no misses. */
	if (s->x->penalty_ticks <= 0) {
		tlb_leave_open(s, s->stride, s->slow, "slow only now and then");
		s->g->small = s->x->view->executable;
		return 0;
	}
	if (is_small(s->x)) {
		leave_small(s, s->slow);
		return 0;
	}
	error = settle_ways(s, outcome, f);
	return error || *outcome != OUTCOME_DECIDED || !s->x->upper ?
		       error :
		       refine_penalty(s, outcome, f);
}

/*
 * Columns that share a set take each other's ways. Another spacing may make
 * that rarer, never more frequent: the larger number of ways counts.
 */
int tlb_find_ways(struct tlb_finding *s, enum outcome *outcome,
		  struct failure *f)
{
	enum verdict verdict;
	int error = search_ways(s, outcome, f);

	if (error || *outcome != OUTCOME_DECIDED || !s->x->upper)
		return error;
	s->x->spacing = ODD_SPACING;
	error = tlb_compact(s, s->stride, s->ways + 1, &verdict, f);
	if (!error && verdict == VERDICT_COMPACT)
		return search_ways(s, outcome, f);
	s->x->spacing = 0;
	return error;
}
