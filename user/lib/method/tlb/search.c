// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/finding.h"

#include <stdio.h>

#include "observe/sampler.h"

/* No array is known with more ways (Apple M1: 192). */
#define MOST_WAYS 512
/* No index without a hash takes more bits of the page number. */
#define FAR_APART 4096
/* A clear rise of the average, not a decision: it only bounds the search. */
#define CLEARLY_SLOW 1.15
#define CONTROL_WORDS 64
/* Cycles that a jump must take longer. */
#define LEAST_OF_JUMPS 3
#define ODD_SPACING 17
#define MAY_BE_JUMPS \
	"slower by so little that it may be the prediction of jumps"
/*
 * Of pages that come round in a set of three times fewer ways, random
 * replacement keeps a share h = exp(-3 (1 - h)).
 */
#define RESIDUE 0.06

/* Largest power of two that leaves room for @count pages. */
static uint64_t far_apart(const struct tlb_search *x, size_t count)
{
	uint64_t stride = FAR_APART;

	while (stride > 1) {
		struct shape w = tlb_shape(x, stride, count);

		if (shape_span(&w) <= x->lens->pages)
			break;
		stride /= 2;
	}
	return stride;
}

/* @hit: (out) what these pages take when none misses */
static int time_pages(const struct tlb_search *x, uint64_t stride, size_t count,
		      double *hit, double *ticks, struct failure *f)
{
	struct shape w = tlb_shape(x, stride, count);

	*hit = lens_fills(x->lens, shape_length(&w)) ? x->dense_ticks :
						       x->hit_ticks;
	return lens_time(x->lens, &w, 0, ticks, f);
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

/* Some number of pages that is slow; twice, as something may pass by. */
static int find_slow(struct finding *s, struct failure *f)
{
	for (size_t n = 2; n <= MOST_WAYS; n *= 2) {
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
 * What a miss costs at least. Far apart, pages that miss here may miss below as
 * well; the closer together, the fewer. Too small only makes the test
 * stricter.
 */
static int find_penalty(struct finding *s, struct failure *f)
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

/* Return: 0 with VERDICT_UNDECIDED and a reason when it cannot be told. */
static int compact(struct finding *s, uint64_t stride, size_t count,
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
static int find_shortest(struct finding *s, uint64_t stride, size_t high,
			 size_t *shortest, struct failure *f)
{
	size_t low = 1;

	*shortest = 0;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		enum verdict verdict;
		int error = compact(s, stride, middle, &verdict, f);

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

/* Both answers as wanted, or a reason. */
static int expect(struct finding *s, uint64_t stride, size_t count,
		  enum verdict wanted, bool *good, struct failure *f)
{
	enum verdict verdict;
	int error;

	if (!*good)
		return 0;
	error = compact(s, stride, count, &verdict, f);
	if (error)
		return error;
	*good = verdict == wanted;
	if (!*good && verdict != VERDICT_UNDECIDED)
		tlb_leave_open(s, stride, count,
			       wanted == VERDICT_COMPACT ?
				       "not compact, against Theorem 1" :
				       "compact, against Theorem 1");
	return 0;
}

/* Upwards until the number settles (section 4.1.2). */
static int settle_ways(struct finding *s, bool *good, struct failure *f)
{
	struct shape twice = tlb_shape(s->x, 2 * s->stride, s->slow);
	size_t high = s->slow, shortest = 0, before;

	/* The number has to come out twice; verify() will try it again. */
	if (shape_span(&twice) > s->x->lens->pages && s->stride > 1)
		s->stride /= 2;
	do {
		int error;

		before = shortest;
		error = find_shortest(s, s->stride, high, &shortest, f);
		if (error || !shortest) {
			*good = false;
			return error;
		}
		high = shortest;
		s->stride *= 2;
	} while (shortest != before);
	s->ways = shortest - 1;
	s->stride /= 2;
	*good = true;
	return 0;
}

/* Where jumps lead, and how far, matters to branch predictors too. How much that
 * is cannot be told where a cycle cannot be timed.
 */
static bool is_small(const struct tlb_search *x)
{
	double cycle;

	if (!x->lens->executable)
		return false;
	cycle = sampler_cycle_ticks(x->lens->prober->m);
	return cycle <= 0 || x->penalty_ticks < LEAST_OF_JUMPS * cycle;
}

/* Misses may cost less than what is clearly slow, where walks below the level
 * above take long: then what was clearly slow were misses elsewhere.
 */
static int refine_penalty(struct finding *s, bool *good, struct failure *f)
{
	struct tlb_search *x = s->x;
	double hit, ticks;
	int error = time_pages(x, s->stride, 2 * s->ways, &hit, &ticks, f);

	if (error)
		return error == -ERANGE ? 0 : error;
	if (ticks > hit && ticks - hit < x->penalty_ticks)
		x->penalty_ticks = ticks - hit;
	*good = !is_small(x);
	if (!*good)
		tlb_leave_open(s, s->stride, 2 * s->ways, MAY_BE_JUMPS);
	return 0;
}

static int search_ways(struct finding *s, bool *good, struct failure *f)
{
	int error;

	*good = false;
	s->slow = 0;
	error = find_slow(s, f);
	if (!error && s->slow)
		error = find_penalty(s, f);
	if (error || !s->slow)
		return error;
	if (s->x->penalty_ticks <= 0) {
		tlb_leave_open(s, s->stride, s->slow, "slow only now and then");
		return 0;
	}
	if (is_small(s->x)) {
		tlb_leave_open(s, s->stride, s->slow, MAY_BE_JUMPS);
		return 0;
	}
	error = settle_ways(s, good, f);
	return error || !*good || !s->x->upper ? error :
						 refine_penalty(s, good, f);
}

/*
 * Columns that share a set take each other's ways. Placed otherwise they may
 * do so less often, never is it the other way round: the larger number counts.
 */
static int find_ways(struct finding *s, bool *good, struct failure *f)
{
	enum verdict verdict;
	int error = search_ways(s, good, f);

	if (error || !*good || !s->x->upper)
		return error;
	s->x->spacing = ODD_SPACING;
	error = compact(s, s->stride, s->ways + 1, &verdict, f);
	if (!error && verdict == VERDICT_COMPACT)
		return search_ways(s, good, f);
	s->x->spacing = 0;
	return error;
}

/* The smallest stride at which one more page than the ways still misses. */
static int descend(struct finding *s, bool *good, struct failure *f)
{
	s->sets = s->stride;
	while (*good && s->sets > 1) {
		enum verdict verdict;
		int error = compact(s, s->sets / 2, s->ways + 1, &verdict, f);

		if (error)
			return error;
		*good = verdict != VERDICT_UNDECIDED;
		if (verdict != VERDICT_NON_COMPACT)
			break;
		s->sets /= 2;
	}
	return 0;
}

/*
 * Sets that are an odd multiple m of a power of two: at strides that are powers
 * of two, pages come round in m sets, which look like one of m times the ways.
 */
static int find_odd_sets(struct finding *s, bool *good, struct failure *f)
{
	size_t all = s->ways;

	for (size_t m = all; m >= 3 && *good; m--) {
		enum verdict verdict;
		int error;

		if (m % 2 == 0 || all % m)
			continue;
		error = compact(s, m * s->sets, all / m + 1, &verdict, f);
		if (error)
			return error;
		*good = verdict != VERDICT_UNDECIDED;
		if (verdict != VERDICT_NON_COMPACT)
			continue;
		s->ways = all / m;
		s->sets *= m;
		s->g->index = INDEX_MODULO;
		break;
	}
	return 0;
}

/* Theorem 1 around the answer, then all of it in a row. */
static int verify(struct finding *s, struct failure *f)
{
	struct shape farther = tlb_shape(s->x, 3 * s->sets, s->ways + 1);
	bool good = true;
	int error = expect(s, s->sets, s->ways, VERDICT_COMPACT, &good, f);

	s->g->conflict = s->sets;
	if (!error)
		error = expect(s, s->sets, s->ways + 1, VERDICT_NON_COMPACT,
			       &good, f);
	if (!error && shape_span(&farther) <= s->x->lens->pages)
		error = expect(s, 3 * s->sets, s->ways + 1, VERDICT_NON_COMPACT,
			       &good, f);
	if (!error && good)
		error = tlb_find_group(s, &good, f);
	return error || !good ? error : tlb_check_row(s, f);
}

static int time_dense(struct tlb_search *x, const struct shape *w,
		      struct failure *f)
{
	struct laid laid;
	int error = lens_place_dense(x->lens, w, false, &laid, f);

	if (error)
		return error;
	error = lens_time_laid(x->lens, &laid, &x->dense_ticks, f);
	sequence_free(&laid.s);
	return error;
}

static int find_hit(struct tlb_search *x, struct failure *f)
{
	struct shape w;
	double above;
	int error;

	if (!x->upper) {
		error = lens_time(x->lens, NULL, CONTROL_WORDS, &x->hit_ticks,
				  f);
		x->dense_ticks = x->hit_ticks;
		return error;
	}
	w = tlb_control(x);
	error = lens_time(x->lens, &w, 0, &x->hit_ticks, f);
	if (!error)
		error = time_dense(x, &w, f);
	if (!error && x->dense_ticks <= 0)
		error = lens_unseen(f);
	if (!error)
		error = lens_time(x->lens, NULL, CONTROL_WORDS, &above, f);
	if (!error && x->dense_ticks > above)
		x->residue_ticks = RESIDUE * (x->dense_ticks - above);
	return error;
}

int tlb_find_geometry(struct tlb_search *x, struct tlb_geometry *g,
		      struct failure *f)
{
	struct finding s = { .x = x, .g = g };
	bool good = false;
	int error;

	*g = (struct tlb_geometry){ .index = INDEX_LINEAR };
	error = find_hit(x, f);
	if (!error)
		error = find_ways(&s, &good, f);
	if (error == -ERANGE) {
		snprintf(g->reason, sizeof(g->reason),
			 "a view has too few pages");
		return 0;
	}
	if (!error && !s.slow && s.untried) {
		snprintf(
			g->reason, sizeof(g->reason),
			"%zu pages far apart are more than a view can show, and fewer never miss",
			s.untried);
	} else if (!error && !s.slow) {
		g->absent = true;
		snprintf(g->reason, sizeof(g->reason),
			 "up to %d pages far apart never miss", MOST_WAYS);
	}
	if (!error && good)
		error = descend(&s, &good, f);
	if (!error && good)
		error = find_odd_sets(&s, &good, f);
	if (!error && good)
		error = verify(&s, f);
	return error;
}
