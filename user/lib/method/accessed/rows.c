// SPDX-License-Identifier: GPL-2.0
/* rows.c - how many pages in a row are more than the last array holds. */
#include <errno.h>
#include <math.h>

#include "method/accessed/search.h"

/* As many as take a view to its end. */
#define MOST_ROWS 64
/* Of so few more pages than entries few are lost while others are tested. */
#define MORE 1.25
/* The fewer are lost, the less the number of those varies. */
#define SLIGHTLY_MORE 1.125
/* Where this share is kept, twice as many pages do not pass the end of the search. */
#define FEW_LOST 0.95
/* Other sets are at least half as many again; and as many, but for noise. */
#define GROWS 1.25
#define SAME 1.12
/* The same where nothing disturbs: a row of an array that leaves out bits keeps 89 % in one
 * that is a fifth too short.
 */
#define SAME_QUIET 1.06
/*
 * Twice as many pages as fill some of the sets need not use others: an index that leaves
 * out a bit has them in the same sets. More do, by a share that shows.
 */
#define GO_ON 2.5
/* Less than this share of the pages is kept when there are many more than entries. */
#define MANY_LOST 0.7

/**
 * struct rows - rows of more and more pages
 * @pages: of each
 * @kept: how many were kept
 * @count: of them
 * @most: the most that were kept of one
 */
struct rows {
	double pages[MOST_ROWS];
	double kept[MOST_ROWS];
	size_t count;
	double most;
};

/* The shortest one that, @times as many, keeps as many as any of @pages at most. */
static double shortest(const struct rows *r, double times, double pages)
{
	double most = 0;
	size_t i = 0;

	for (size_t j = 0; j < r->count; j++)
		if (r->pages[j] <= pages)
			most = fmax(most, r->kept[j]);
	while (i < r->count && r->kept[i] * times < most)
		i++;
	return i < r->count ? r->pages[i] : 0;
}

/*
 * What is kept of a row that is longer than needed is less certain. Where something
 * disturbs, the next longer one may have more in other sets, but for noise.
 */
static double row_length(const struct kept_view *v, const struct rows *r)
{
	const bool disturbs = v->prober->m->clearing_disturbs;
	const double more = disturbs ? MORE : 1;
	const double same = disturbs ? SAME : SAME_QUIET;
	double end = shortest(r, GROWS, HUGE_VAL) * MORE * MORE;
	double most = 0;

	for (size_t i = 0; i < r->count; i++)
		if (r->pages[i] <= end)
			most = fmax(most, r->kept[i]);
	return fmax(ceil(SLIGHTLY_MORE * most),
		    fmin(ceil(more * shortest(r, same, end)), (double)v->most));
}

static int add_row(const struct kept_view *v, double pages, struct rows *r,
		   struct failure *f)
{
	const struct kept_shape w = kept_row((uint64_t)pages);
	struct kept k;
	int error =
		r->count < MOST_ROWS ?
			kept_estimate_up_to(v, &w, FEW_LOST * pages, &k, f) :
			-ERANGE;

	if (error)
		return error;
	r->pages[r->count] = k.pages;
	r->kept[r->count++] = k.middle;
	r->most = fmax(r->most, k.middle);
	return 0;
}

/*
 * Rows until those of GO_ON times as many pages keep no more. An index need not take all
 * low bits of page numbers: Zen 3's L2 iTLB takes six, and one of bit 9 on, so that 512
 * pages in a row use half of its sets.
 */
static int find_most(const struct kept_view *v, struct rows *r,
		     struct failure *f)
{
	double pages = FEWEST;

	*r = (struct rows){ .count = 0 };
	for (;;) {
		double last, kept;
		int error = add_row(v, pages, r, f);

		if (error)
			/* A longer row cannot be seen, but this one is. */
			return error == -ERANGE && r->count &&
					       r->kept[r->count - 1] <
						       MANY_LOST *
							       r->pages[r->count -
									1] ?
				       0 :
				       error;
		last = r->pages[r->count - 1];
		kept = r->kept[r->count - 1];
		if (kept >= MANY_LOST * last)
			pages *= v->prober->m->clearing_disturbs &&
						 kept > FEW_LOST * last ?
					 2 :
					 MORE;
		else if (last >= floor(GO_ON * shortest(r, GROWS, HUGE_VAL)))
			return 0;
		else
			pages = last * MORE;
	}
}

int accessed_find_row(const struct kept_view *v, struct kept_shape *w,
		      double *most, struct failure *f)
{
	struct rows r;
	int error = find_most(v, &r, f);

	*most = r.most;
	*w = kept_row((uint64_t)row_length(v, &r));
	return error;
}
