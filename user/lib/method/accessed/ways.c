// SPDX-License-Identifier: GPL-2.0
/*
 * ways.c - ways and sets: rows of fewer and fewer pages, as far apart as a view
 * allows, until they use half of the sets only.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/accessed/search.h"

/*
 * Rows have 0.625 times as many pages as the array holds, and a row more. If they use
 * half of the sets, half of what it holds is kept; if more, all of them.
 */
#define HALF 0.58
/* Half of the sets are half of the entries at most, and those may be more than are
 * kept.
 */
#define LARGEST_HALF 0.625
/* Rows have so many times half of the pages that the array holds. */
#define MORE 1.25
/* Rows of a shape at most: each needs page tables of its own. */
#define MOST_ROWS 96
/* Two shapes of the same sets keep as many pages, but for noise. */
#define SAME 0.12
/* Another number of rows is kept by sets of this odd number, but for noise. */
#define ODD_SHARE 1.25
#define MOST_ODD 9
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

/* Where no index takes higher bits of the page number. */
static uint64_t far_apart(const struct accessed_search *s)
{
	return power_below((double)s->v->pages / MOST_ROWS);
}

/* @columns: (out) 1: even single pages keep as many; 0: too many rows */
static int find_half(struct accessed_search *s, uint64_t *columns,
		     struct kept *half, struct failure *f)
{
	uint64_t c = power_below(LARGEST_HALF * s->all.middle);

	for (;; c /= 2) {
		const struct kept_shape w = rows_of(s, c, far_apart(s));
		int error;

		*columns = c;
		if (w.rows > MOST_ROWS || w.stride < c) {
			*columns = 0;
			return 0;
		}
		error = kept_estimate(s->v, &w, half, f);
		if (error || half->middle < HALF * s->all.middle || c == 1)
			return error;
	}
}

/* As many at other distances, and half of them in half of the columns. */
static int confirm_half(struct accessed_search *s, uint64_t columns,
			const struct kept *half, bool *confirmed,
			struct failure *f)
{
	const struct kept_shape nearer = rows_of(s, columns, far_apart(s) / 2);
	struct kept_shape less = { .rows = nearer.rows,
				   .columns = columns / 2,
				   .stride = far_apart(s) };
	struct kept k;
	int error = kept_estimate(s->v, &nearer, &k, f);

	*confirmed = !error && alike(&k, half);
	if (error || !*confirmed || columns < 2)
		return error;
	error = kept_estimate(s->v, &less, &k, f);
	k.middle *= 2;
	*confirmed = !error && alike(&k, half);
	return error;
}

/*
 * Sets that are an odd multiple m of a power of two: rows at distances that are
 * powers of two come round in m sets, at m times such a distance in one.
 * @odd: (out) m
 */
static int find_odd(struct accessed_search *s, uint64_t columns,
		    const struct kept *half, uint64_t *odd, struct failure *f)
{
	*odd = 1;
	for (uint64_t m = 3; m <= MOST_ODD; m += 2) {
		struct kept_shape w =
			rows_of(s, columns, far_apart(s) / 16 * m);
		struct kept k;
		int error = kept_estimate(s->v, &w, &k, f);

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
		struct kept k;
		int error = kept_estimate(s->v, &w, &k, f);

		if (error)
			return error;
		if (!alike(&k, &s->half))
			s->a->index = INDEX_HASHED;
	}
	return 0;
}

static int find_sets(struct accessed_search *s, uint64_t columns,
		     const struct kept *half, struct failure *f)
{
	struct kept_shape w;
	uint64_t odd;
	bool confirmed;
	int error = confirm_half(s, columns, half, &confirmed, f);

	if (error)
		return error;
	if (!confirmed) {
		leave_ways(s, "rows at other distances keep another number");
		return 0;
	}
	error = find_odd(s, columns, half, &odd, f);
	if (error)
		return error;
	w = rows_of(s, columns, far_apart(s) / (odd > 1 ? 16 : 1) * odd);
	/* The fewer are lost, the less the number of those varies. */
	w.rows = (uint64_t)ceil(half->middle / (double)(columns * odd)) + 1;
	error = kept_measure(s->v, &w, &s->half, f);
	if (error)
		return error;
	s->columns = columns;
	s->a->sets = (double)(2 * columns * odd);
	return find_index(s, odd, f);
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
	s->columns = 1;
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
		leave_ways(s, "too many rows would be needed to tell ways");
		return 0;
	}
	if (half.middle >= HALF * s->all.middle)
		return find_single(s, f);
	return find_sets(s, columns, &half, f);
}
