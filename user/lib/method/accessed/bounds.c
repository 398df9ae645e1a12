// SPDX-License-Identifier: GPL-2.0
/* bounds.c - what an array can hold, by what was kept. */
#include "method/accessed/search.h"

/* The last pages are in the array above and, but for a few, in this one, too. */
#define ABOVE_SHARE 0.25
#define ABOVE_UNKNOWN (1 / 64.0)
/*
 * Where something disturbs, none of them may be in this one (Zen 3: 512 entries for code
 * kept up to 576 pages). No first array is known with more than an eighth of the last
 * one's entries (64 of 512, 256 of 2,048).
 */
#define ABOVE_MOST (1 / 8.0)
/* Of a number of ways that is no whole one by chance. */
#define ROUNDING 0.01

static double slack(const struct accessed_search *s, double kept)
{
	const bool disturbs = s->v->prober->m->clearing_disturbs;
	const double share = disturbs ? 1 : ABOVE_SHARE;

	return s->v->above > 0 ? share * s->v->above :
				 (disturbs ? ABOVE_MOST : ABOVE_UNKNOWN) * kept;
}

/**
 * struct bounds - of what an array can hold, by what was kept
 * @least, @most: bounds
 */
struct bounds {
	double least;
	double most;
};

double accessed_least(const struct accessed_search *s, const struct kept *k)
{
	return k->low - slack(s, k->low);
}

static struct bounds bounds_of(const struct accessed_search *s,
			       const struct kept *k, double lost, bool above)
{
	return (struct bounds){
		.least = above ? accessed_least(s, k) : k->low,
		.most = k->high / (1 - lost),
	};
}

/* What fits both numbers of pages that are kept, where nothing disturbs. */
bool accessed_fits_bounds(const struct accessed_search *s, double ways,
			  bool above)
{
	const struct bounds all = bounds_of(s, &s->all, LEAST_LOST, above);
	const struct bounds half = bounds_of(s, &s->half, LEAST_LOST, above);
	const double columns = (double)s->columns, sets = s->a->sets;

	return (ways + ROUNDING) * columns >= half.least &&
	       (ways - ROUNDING) * columns <= half.most &&
	       (ways + ROUNDING) * sets >= all.least &&
	       (ways - ROUNDING) * sets <= all.most;
}

/*
 * Others may hold entries, and all the time. With half or twice as many sets, what is
 * kept of @k has to be impossible.
 */
bool accessed_is_only_one(const struct accessed_search *s, const struct kept *k,
			  double entries)
{
	const struct bounds b = bounds_of(s, k, MOST_HELD, true);

	return entries >= b.least && entries <= b.most &&
	       entries / 2 < b.least && entries * 2 > b.most;
}
