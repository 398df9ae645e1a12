// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/array.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/accessed/search.h"
#include "method/accessed/tuning.h"

/* Entries hold two pages or more, or one: gaps leave a half at most, or nearly all. */
#define ALONE 5
#define KEPT_ALONE 0.6
/*
 * Where the kernel clears the bits, its own data take entries: between 2 and 8 % of
 * an array were seen (Zen 3, Zen 5). Half of this decides less, twice as much too.
 */
#define MOST_LOST 0.14
#define MOST_LOST_ROWS (2 * MOST_LOST)
/* Where nothing takes them, tests take some from each other: PARTS in trials.c. */
#define LEAST_LOST 0.005
/*
 * Where that little is lost of a full array, next to nothing is lost of one with room
 * left: what the kernel takes finds that room. Another thread on the same core takes far
 * more: 5 to 6 % of such a row were lost then. Rows far apart lose twice as much.
 */
#define ROOM_LEFT 0.7
#define ROWS_LEFT 0.75
#define LOST_WITH_ROOM 0.025
/*
 * Known last arrays have 1 to 6, 8, 10, 12, 16, 20 or 24 ways: 1, 3 or 5 times a power of
 * two.
 */
#define MOST_KNOWN_ODD 5
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

/* A view that is too short, or disturbed, leaves the question undecided. */
static int leave(struct accessed_array *a, int error, const char *what)
{
	if (error == -ERANGE)
		snprintf(a->reason, sizeof(a->reason),
			 "%s: more pages than a view can show", what);
	else if (error == -EAGAIN)
		snprintf(a->reason, sizeof(a->reason),
			 "%s: all trials were interrupted", what);
	else
		return error;
	return 0;
}

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

static struct bounds bounds_of(const struct accessed_search *s,
			       const struct kept *k, double lost, bool above)
{
	return (struct bounds){
		.least = k->low - (above ? slack(s, k->low) : 0),
		.most = k->high / (1 - lost),
	};
}

/* Where entries are lost, a number of ways that no known array has is more likely another
 * one.
 */
static bool is_known(const struct accessed_search *s, double ways)
{
	uint64_t odd = (uint64_t)ways;

	if (!s->v->prober->m->clearing_disturbs)
		return true;
	while (odd % 2 == 0)
		odd /= 2;
	return odd <= MOST_KNOWN_ODD;
}

/* Bounds may be wide, but nothing that disturbs makes more to be kept. */
static bool is_exceeded(const struct accessed_search *s, double ways)
{
	return s->v->prober->m->clearing_disturbs &&
	       s->half.middle > (ways + 0.5) * (double)s->columns;
}

/*
 * Whole numbers of ways that @half allows, whose products with the number of sets are
 * entries that @all allows. Return: how many; a->ways is one.
 */
static unsigned int count_ways(struct accessed_search *s, bool above)
{
	const struct bounds all = bounds_of(s, &s->all, s->lost, above);
	const struct bounds half = bounds_of(s, &s->half, s->lost_rows, above);
	const double columns = (double)s->columns, sets = s->a->sets;
	unsigned int count = 0;

	for (double ways = fmax(1, ceil(half.least / columns - ROUNDING));
	     ways <= half.most / columns + ROUNDING; ways++) {
		if ((ways + ROUNDING) * sets < all.least ||
		    (ways - ROUNDING) * sets > all.most || !is_known(s, ways) ||
		    is_exceeded(s, ways))
			continue;
		s->a->ways = ways;
		count++;
	}
	return count;
}

/* That pages are in the array above alone is the exception, or is not known. */
static void combine(struct accessed_search *s)
{
	const double columns = (double)s->columns;
	struct accessed_array *a = s->a;
	unsigned int count =
		s->v->prober->m->clearing_disturbs ? 0 : count_ways(s, false);

	if (!count)
		count = count_ways(s, true);
	a->entries = a->ways * a->sets;
	a->found = a->ways_found = count == 1;
	if (count != 1)
		snprintf(
			a->reason, sizeof(a->reason),
			"%.0f to %.0f pages are kept, %.1f to %.1f of each of %.0f sets: %s",
			s->all.low, s->all.high, s->half.low / columns,
			s->half.high / columns, a->sets,
			count ? "more than one number of ways is possible" :
				"no number of ways fits both");
}

/*
 * One entry may hold several neighbours whose frames are neighbours, too (AMD, Arm).
 * Pages this far apart share none, and use all sets of an array that has no multiple of
 * that number of them.
 */
static int check_neighbours(struct accessed_search *s, bool *alone,
			    struct failure *f)
{
	struct kept_shape w = kept_row((uint64_t)s->all.pages);
	struct kept k;
	int error;

	w.spacing = ALONE;
	w.stride *= ALONE;
	error = kept_measure(s->v, &w, &k, f);
	*alone = !error && k.middle >= KEPT_ALONE * s->all.middle;
	if (!error && !*alone)
		snprintf(
			s->a->reason, sizeof(s->a->reason),
			"%.0f pages in a row are kept, %.0f with gaps: one entry may hold several",
			s->all.middle, k.middle);
	return error;
}

/*
 * What is lost in a pause would have been lost before it, too. Less than an array may
 * lose, or others take entries all the time, and it looks smaller.
 */
static bool is_quiet(struct accessed_search *s, const struct kept *k,
		     double lost)
{
	if (k->still >= (1 - lost) * k->middle)
		return true;
	s->a->found = s->a->ways_found = false;
	snprintf(
		s->a->reason, sizeof(s->a->reason),
		"of %.0f pages %.0f are kept, and %.0f after a pause: something takes entries",
		k->pages, k->middle, k->still);
	return false;
}

/* Losses as large as those of a full array may be larger there, and ways fewer. */
static int check_room(struct accessed_search *s, struct failure *f)
{
	struct accessed_array *a = s->a;
	const struct kept_shape row =
		kept_row((uint64_t)(ROOM_LEFT * a->entries));
	const struct kept_shape rows = { .rows = (uint64_t)fmax(
						 1, ROWS_LEFT * a->ways),
					 .columns = s->columns,
					 .stride = s->stride };
	struct kept k = { .pages = 0 };

	for (int i = 0; i < ROOM_ATTEMPTS; i++) {
		/* Not each index spreads a row evenly. */
		const bool row_only = a->index != INDEX_HASHED || i % 2 == 0;
		int error = kept_measure(s->v, row_only ? &row : &rows, &k, f);

		if (error)
			return leave(a, error, "a shorter row");
		if (k.middle >=
		    (1 - LOST_WITH_ROOM * (row_only ? 1 : 2)) * k.pages)
			return 0;
	}
	a->found = a->ways_found = false;
	snprintf(
		a->reason, sizeof(a->reason),
		"%.0f pages are kept, but of %.0f only %.0f: something takes entries",
		s->all.middle, k.pages, k.middle);
	return 0;
}

static int search(struct accessed_search *s, struct failure *f)
{
	struct accessed_array *a = s->a;
	struct kept_shape w;
	double most;
	int error = accessed_find_row(s->v, &w, &most, f);
	bool alone;

	if (!error && most < FEWEST) {
		snprintf(
			a->reason, sizeof(a->reason),
			"next to no page is kept: the clearing of accessed bits empties TLBs here");
		return 0;
	}
	if (error)
		return leave(a, error, "a row");
	error = kept_measure(s->v, &w, &s->all, f);
	if (error)
		return leave(a, error, "a row");
	a->kept = s->all;
	if (!is_quiet(s, &s->all, s->lost))
		return 0;
	error = check_neighbours(s, &alone, f);
	if (error || !alone)
		return leave(a, error, "pages that are no neighbours");
	error = accessed_find_ways(s, f);
	if (error)
		return leave(a, error, "rows far apart");
	if (s->columns && is_quiet(s, &s->half, s->lost_rows))
		combine(s);
	return a->found && s->v->prober->m->clearing_disturbs ?
		       check_room(s, f) :
		       0;
}

/* Whether what was kept is what an array of that number of entries keeps. */
static bool explains(const struct accessed_search *s, const struct kept *k)
{
	const struct bounds b = bounds_of(s, k, s->lost, true);

	return s->a->entries >= b.least && s->a->entries <= b.most;
}

/*
 * Where others disturb, a number that was found must come out again: each time that it
 * does not, a quieter moment may follow, but more than the array holds is never kept.
 */
int accessed_look_later(const struct kept_view *v, struct accessed_array *a,
			struct failure *f)
{
	const double before = v->prober->budget.alpha_drawn;
	const struct kept_shape w = kept_row((uint64_t)a->kept.pages);
	const bool disturbs = v->prober->m->clearing_disturbs;
	const struct accessed_search s = {
		.v = v, .a = a, .lost = disturbs ? MOST_LOST : LEAST_LOST
	};
	struct kept k = { .pages = 0 };
	bool agrees = false, more = false;

	for (int i = 0; i < (disturbs ? ROOM_ATTEMPTS : 1) && !agrees && !more;
	     i++) {
		int error = kept_measure(v, &w, &k, f);

		if (error)
			return leave(a, error, "a later look");
		more = k.low > a->kept.high;
		agrees = !disturbs || explains(&s, &k);
	}
	a->bound += budget_bound(&v->prober->budget, before);
	if (agrees && !more)
		return 0;
	a->found = a->ways_found = false;
	snprintf(
		a->reason, sizeof(a->reason),
		"%.0f pages were kept, and %.0f later: something takes entries now and then",
		a->kept.middle, k.middle);
	return 0;
}

int accessed_find_array(const struct kept_view *v, struct accessed_array *a,
			struct failure *f)
{
	struct prober *p = v->prober;
	const double before = p->budget.alpha_drawn;
	const bool disturbs = p->m->clearing_disturbs;
	struct accessed_search s = {
		.v = v,
		.a = a,
		.lost = disturbs ? MOST_LOST : LEAST_LOST,
		.lost_rows = disturbs ? MOST_LOST_ROWS : LEAST_LOST,
	};
	int error;

	*a = (struct accessed_array){ .index = INDEX_UNKNOWN };
	error = search(&s, f);
	a->bound = budget_bound(&p->budget, before);
	return error;
}
