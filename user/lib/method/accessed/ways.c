// SPDX-License-Identifier: GPL-2.0
/*
 * ways.c - ways and sets: rows of fewer and fewer pages, as far apart as a view
 * allows, until they use half of the sets only.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/accessed/search.h"
#include "method/accessed/tuning.h"

/*
 * Rows have 0.625 times as many pages as the array holds, and a row more. If they use
 * half of the sets, half of what it holds is kept; if more, all of them.
 */
#define HALF 0.58
/* Half of the sets are half of the entries at most, and those may be more than are
 * kept.
 */
#define LARGEST_HALF 0.625
/* Rows have this share of half of the pages that the array holds. */
#define MORE 1.25
/* Rows of a shape at most: each needs page tables of its own. */
#define MOST_ROWS 96
/* Two shapes of the same sets keep as many pages, but for noise. */
#define SAME 0.12
/* Another number of rows is kept by sets of this odd number, but for noise. */
#define ODD_SHARE 1.25
#define MOST_ODD 31
/* More than that share is more in few trials, too: three times as many of no odd number. */
#define ODD_CLEAR (ODD_SHARE * ODD_SHARE)
/*
 * A few trials of 256 tests show a share that is off by less than that: five times
 * sqrt(1 / 4 / 768). A number that is tried in vain costs time only; one that is not tried
 * is an answer: 24 ways of 128 sets for 8 of 384.
 */
#define OFF 0.1
/* The number of sets is a power of two times that; a logarithm as far off is neither. */
#define FAR_OFF 0.35
/* Pages at random places do not fill all sets of an array, if it has several. */
#define SPREAD 0.97

static uint64_t power_below(double x)
{
	uint64_t power = 1;

	while ((double)(2 * power) <= x)
		power *= 2;
	return power;
}

/* Rows of @columns pages that are more than half of the array. */
static struct kept_shape rows_of(const struct accessed_search *s,
				 uint64_t columns, uint64_t stride)
{
	double rows = ceil(MORE * s->all.middle / 2 / (double)columns) + 1;

	return (struct kept_shape){ .rows = (uint64_t)rows,
				    .columns = columns,
				    .stride = stride };
}

static void leave_ways(struct accessed_search *s, const char *why)
{
	snprintf(s->a->reason, sizeof(s->a->reason), "%.0f pages are kept: %s",
		 s->all.middle, why);
}

static bool alike(const struct kept *a, const struct kept *b)
{
	return fabs(a->middle - b->middle) <= SAME * fmax(a->middle, b->middle);
}

/* What rows of half of the sets keep at most. Less of the array may have been seen. */
static double most_of_half(const struct accessed_search *s)
{
	return HALF * (s->v->prober->m->clearing_disturbs ? s->all.high :
							    s->all.middle);
}

/* Where no index takes higher bits of the page number. */
static uint64_t far_apart(const struct accessed_search *s)
{
	return power_below((double)s->v->pages / MOST_ROWS);
}

/*
 * Columns that all lie in different sets, fewer than half of the sets: with half as many
 * half as much is kept.
 * @columns: (out) 1: even single pages keep as many; 0: too many rows
 */
static int find_half(struct accessed_search *s, uint64_t *columns,
		     struct kept *half, struct failure *f)
{
	uint64_t c = power_below(LARGEST_HALF * s->all.middle);
	struct kept before = { .middle = s->all.middle };

	for (;; c /= 2) {
		const struct kept_shape w = rows_of(s, c, far_apart(s));
		struct kept twice;
		int error;

		*columns = 0;
		if (w.rows > MOST_ROWS || w.stride < c)
			return 0;
		error = kept_estimate(s->v, &w, half, f);
		if (error)
			return error;
		twice = *half;
		twice.middle *= 2;
		if (before.middle < most_of_half(s) && alike(&twice, &before)) {
			*columns = 2 * c;
			*half = before;
			return 0;
		}
		*columns = 1;
		if (c == 1)
			return 0;
		before = *half;
	}
}

/* Rows far apart keep @most times as many as others at most, and, @both, those as them. */
struct bounds_of_shape {
	double most;
	bool both;
};

static bool fits(const struct bounds_of_shape *b, const struct kept *k,
		 const struct kept *half)
{
	return b->both ? alike(k, half) : k->middle < b->most * half->middle;
}

/*
 * What another shape keeps, and what rows far apart do. Where something disturbs, both
 * are seen again next to each other.
 */
static int confirm(struct accessed_search *s, const struct kept_shape *w,
		   const struct bounds_of_shape *b, uint64_t columns,
		   const struct kept *half, bool *confirmed, struct failure *f)
{
	const struct kept_shape far = rows_of(s, columns, far_apart(s));
	const int attempts =
		s->v->prober->m->clearing_disturbs ? ALIKE_ATTEMPTS : 1;
	struct kept k, again = *half;
	int error = kept_estimate(s->v, w, &k, f);

	for (int i = 1; !error && !fits(b, &k, &again) && i < attempts; i++) {
		error = kept_estimate(s->v, &far, &again, f);
		if (!error)
			error = kept_estimate(s->v, w, &k, f);
	}
	*confirmed = !error && fits(b, &k, &again);
	return error;
}

/* As many at half the distance, and no more where neighbours are left out. */
static int confirm_half(struct accessed_search *s, uint64_t columns,
			const struct kept *half, bool *confirmed,
			struct failure *f)
{
	const struct kept_shape nearer = rows_of(s, columns, far_apart(s) / 2);
	struct kept_shape spaced = rows_of(s, columns, far_apart(s));
	int error = confirm(s, &nearer,
			    &(struct bounds_of_shape){ .both = true }, columns,
			    half, confirmed, f);

	if (error || !*confirmed) {
		leave_ways(s, "rows at other distances keep another number");
		return error;
	}
	spaced.spacing = 2;
	error = confirm(s, &spaced,
			&(struct bounds_of_shape){ .most = ODD_SHARE }, columns,
			half, confirmed, f);
	if (!error && !*confirmed)
		leave_ways(s, "adjacent pages share sets");
	return error;
}

/* Whether a number of ways that would be kept so may be a multiple of @m. */
static bool may_divide(const struct accessed_search *s, uint64_t m, double ways)
{
	double most = (1 + OFF) * ways / (1 - s->lost);

	return floor(most / (double)m) * (double)m >= (1 - OFF) * ways;
}

/*
 * Sets that are an odd multiple m of a power of two: rows at distances that are
 * powers of two come round in m sets, at m times such a distance in one.
 * @odd: (out) m
 */
static int find_odd(struct accessed_search *s, uint64_t columns,
		    const struct kept *half, uint64_t *odd, struct failure *f)
{
	const double ways = half->middle / (double)columns;

	*odd = 1;
	for (uint64_t m = 3; m <= MOST_ODD; m += 2) {
		struct kept_shape w =
			rows_of(s, columns, far_apart(s) / 16 * m);
		struct kept k;
		int error;

		if (!may_divide(s, m, ways))
			continue;
		error = kept_estimate_up_to(
			s->v, &w, ODD_CLEAR * half->middle / (double)m, &k, f);
		if (error)
			return error;
		if (k.middle * (double)m < ODD_SHARE * half->middle) {
			*odd = m;
			return 0;
		}
	}
	return 0;
}

/*
 * Whether rows lie in more sets than rows far apart, each time that they are looked at.
 * What others hold makes fewer to be kept, and says nothing of sets.
 */
static int is_spread(struct accessed_search *s, const struct kept_shape *w,
		     bool *spread, struct failure *f)
{
	*spread = true;
	for (int i = 0; *spread && i < ALIKE_ATTEMPTS; i++) {
		struct kept k;
		int error = kept_estimate(s->v, w, &k, f);

		if (error)
			return error;
		*spread = k.middle > s->half.middle && !alike(&k, &s->half);
	}
	return 0;
}

/*
 * Rows as far apart as there are sets, or a multiple, share sets where nothing is
 * hashed.
 */
static int find_index(struct accessed_search *s, uint64_t odd,
		      struct failure *f)
{
	uint64_t stride = (uint64_t)s->a->sets, far = far_apart(s);

	s->a->index = odd > 1 ? INDEX_MODULO : INDEX_LINEAR;
	for (; stride <= far && s->a->index != INDEX_HASHED; stride *= 2) {
		const struct kept_shape w = rows_of(s, s->columns, stride);
		bool spread;
		int error = is_spread(s, &w, &spread, f);

		if (error)
			return error;
		if (spread)
			s->a->index = INDEX_HASHED;
	}
	return 0;
}

/* What the array keeps, by what each set does. Return: 0: no such number. */
static double sets_of(const struct accessed_search *s, uint64_t odd)
{
	double ways = s->half.middle / (double)s->columns;
	double exponent = log2(s->all.middle / ways / (double)odd);

	if (fabs(exponent - round(exponent)) > FAR_OFF)
		return 0;
	return (double)odd * exp2(round(exponent));
}

/*
 * Columns that share sets keep as many as half of them do. @half, of few trials, may have
 * missed that.
 */
static int check_columns(struct accessed_search *s, const struct kept_shape *w,
			 bool *apart, struct failure *f)
{
	struct kept_shape less = *w;
	struct kept k;
	int error;

	*apart = true;
	if (w->columns < 2)
		return 0;
	less.columns /= 2;
	error = kept_measure(s->v, &less, &k, f);
	*apart = !error && 2 * k.low < ODD_SHARE * s->half.high &&
		 2 * k.middle < ODD_SHARE * s->half.middle;
	if (!error && !*apart)
		leave_ways(s, "half of the columns keep more than half");
	return error;
}

static int measure_half(struct accessed_search *s, uint64_t columns,
			const struct kept *half, struct failure *f)
{
	struct kept_shape w;
	uint64_t odd;
	bool apart;
	int error = find_odd(s, columns, half, &odd, f);

	if (error)
		return error;
	w = rows_of(s, columns, far_apart(s) / (odd > 1 ? 16 : 1) * odd);
	/* The fewer are lost, the less the number of those varies. */
	w.rows = (uint64_t)ceil(half->middle / (double)(columns * odd)) + 1;
	for (int i = 0;
	     i < (s->v->prober->m->clearing_disturbs ? ALIKE_ATTEMPTS : 1);
	     i++) {
		error = kept_measure(s->v, &w, &s->half, f);
		if (!error)
			error = check_columns(s, &w, &apart, f);
		if (error || apart)
			break;
	}
	if (error || !apart)
		return error;
	s->columns = s->a->columns = columns;
	s->stride = s->a->stride = w.stride;
	s->a->sets = sets_of(s, odd);
	if (s->a->sets > 0)
		return find_index(s, odd, f);
	s->columns = 0;
	leave_ways(s, "no power of two of sets keeps as many");
	return 0;
}

static int find_sets(struct accessed_search *s, uint64_t columns,
		     const struct kept *half, struct failure *f)
{
	bool confirmed;
	int error = confirm_half(s, columns, half, &confirmed, f);

	return error || !confirmed ? error : measure_half(s, columns, half, f);
}

/* One set: any pages fill it, wherever they lie. */
static int find_single(struct accessed_search *s, struct failure *f)
{
	const struct kept_shape w = {
		.rows = (uint64_t)s->all.pages,
		.columns = 1,
		.stride = 1,
		.random = true,
	};
	struct kept k;
	int error;

	error = kept_estimate(s->v, &w, &k, f);
	if (error)
		return error;
	if (k.middle < SPREAD * s->all.middle) {
		leave_ways(s, "no distance of pages is seen to share sets");
		return 0;
	}
	s->columns = s->a->columns = 1;
	s->stride = s->a->stride = 1;
	s->half = s->all;
	s->a->sets = 1;
	s->a->index = INDEX_LINEAR;
	return 0;
}

int accessed_find_ways(struct accessed_search *s, struct failure *f)
{
	struct kept half;
	uint64_t columns;
	int error = find_half(s, &columns, &half, f);

	if (error)
		return error;
	if (!columns) {
		leave_ways(s, "ways would need too many rows");
		return 0;
	}
	if (half.middle >= most_of_half(s))
		return find_single(s, f);
	return find_sets(s, columns, &half, f);
}
