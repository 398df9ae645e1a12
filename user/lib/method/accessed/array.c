// SPDX-License-Identifier: GPL-2.0
#include "method/accessed/array.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/accessed/search.h"
#include "method/accessed/tuning.h"

/* Entries hold two pages or more, or one: gaps leave a half at most, or nearly all. */
#define KEPT_ALONE 0.6
/* As many ways as pages are kept of a set at most, with those that others hold. */
#define WAYS_PER_KEPT (1 / (1 - MOST_HELD))
/*
 * Pages of a set per way: of fewer some are lost while the others are tested, as
 * policies are not LRU. On an Emerald Rapids of 16 ways 20 pages showed 14 ways at most,
 * 41 to 64 all of them.
 */
#define ROWS_PER_WAY 2.5
/* A fifth of the ways is held by others where they are counted. */
#define ROWS_PER_KEPT (1.25 * ROWS_PER_WAY)

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

static bool fits(const struct accessed_search *s, double ways, bool above)
{
	if (!s->v->prober->m->clearing_disturbs)
		return accessed_fits_bounds(s, ways, above);
	return accessed_allows(s, ways) &&
	       accessed_is_only_one(s, &s->all, ways * s->a->sets);
}

/* Whole numbers of ways that fit. Return: how many; a->ways is one. */
static unsigned int count_ways(struct accessed_search *s, bool above)
{
	const double kept = s->half.high / (double)s->columns;
	unsigned int count = 0;

	for (double ways = 1; ways <= WAYS_PER_KEPT * kept + 1; ways++) {
		if (!fits(s, ways, above))
			continue;
		s->a->ways = ways;
		count++;
	}
	return count;
}

static void leave_undecided(struct accessed_search *s, unsigned int count)
{
	struct accessed_array *a = s->a;
	const double columns = (double)s->columns;
	char sets[96];

	s->ambiguous = count > 1;
	column_describe(&s->looks, sets, sizeof(sets));
	snprintf(
		a->reason, sizeof(a->reason),
		"%.0f to %.0f pages are kept, %.1f to %.1f of each of %.0f sets%s: %s",
		s->all.low, s->all.high, s->half.low / columns,
		s->half.high / columns, a->sets, sets,
		count ? "more than one number of ways is possible" :
			"no number of ways fits both");
}

/* That pages are in the array above alone is the exception, or is not known. */
static void combine(struct accessed_search *s)
{
	struct accessed_array *a = s->a;
	unsigned int count =
		s->v->prober->m->clearing_disturbs ? 0 : count_ways(s, false);

	if (!count)
		count = count_ways(s, true);
	a->entries = a->ways * a->sets;
	a->found = a->ways_found = count == 1;
	if (count != 1)
		leave_undecided(s, count);
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

	w.spacing = KEPT_APART;
	w.stride *= KEPT_APART;
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

/* Where something disturbs, some moments are quieter. */
static int find_number(struct accessed_search *s, struct failure *f)
{
	const bool disturbs = s->v->prober->m->clearing_disturbs;

	for (int i = 0; i < (disturbs ? COLUMN_ATTEMPTS : 1) && !s->a->found;
	     i++) {
		int error = accessed_look_at_sets(
			s, ROWS_PER_KEPT * s->half.middle / (double)s->columns,
			f);

		if (!error)
			error = accessed_try_fits(s, f);
		if (error)
			return leave(s->a, error, "pages of one set");
		combine(s);
	}
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
	if (s->v->prober->m->clearing_disturbs)
		a->least = accessed_least(s, &s->all);
	if (!is_quiet(s, &s->all, s->lost))
		return 0;
	error = check_neighbours(s, &alone, f);
	if (error || !alone)
		return leave(a, error, "pages that are no neighbours");
	error = accessed_find_ways(s, f);
	if (error)
		return leave(a, error, "rows far apart");
	return s->columns && is_quiet(s, &s->half, s->lost) ?
		       find_number(s, f) :
		       0;
}

/*
 * What was found needs no second proof, but others that held entries then may be away
 * now. Sets keep more, then.
 */
static int see_no_more(struct accessed_search *s, bool *agrees,
		       struct failure *f)
{
	const unsigned int ways = (unsigned int)s->a->ways;
	int error = accessed_look_at_sets(s, ROWS_PER_WAY * ways, f);

	if (!error)
		error = accessed_try_one_more(s, ways, f);
	*agrees = !error && !accessed_is_exceeded(s, ways) &&
		  !column_exceeds(&s->looks, s->v->kind, ways,
				  s->v->prober->rules.alpha);
	return error;
}

/* @agrees: as many are kept again; @more: more are, which none may take back */
static int look_again(struct accessed_search *s, struct kept *k, bool *agrees,
		      bool *more, struct failure *f)
{
	const struct kept_shape w = kept_row((uint64_t)s->a->kept.pages);
	int error = kept_measure(s->v, &w, k, f);

	*more = !error && k->low > s->a->kept.high;
	*agrees = true;
	if (error || *more || !s->v->prober->m->clearing_disturbs)
		return error;
	s->all = *k;
	*agrees = accessed_is_only_one(s, k, s->a->entries);
	return *agrees ? see_no_more(s, agrees, f) : 0;
}

/*
 * Where others disturb, a number that was found must come out again: each time that it
 * does not, a quieter moment may follow, but more than the array holds is never kept.
 */
int accessed_look_later(const struct kept_view *v, struct accessed_array *a,
			struct failure *f)
{
	const double before = v->prober->budget.alpha_drawn;
	const bool disturbs = v->prober->m->clearing_disturbs;
	struct accessed_search s = {
		.v = v, .a = a, .columns = a->columns, .stride = a->stride
	};
	struct kept k = { .pages = 0 };
	bool agrees = false, more = false;

	for (int i = 0; i < (disturbs ? LATER_ATTEMPTS : 1) && !agrees && !more;
	     i++) {
		int error = look_again(&s, &k, &agrees, &more, f);

		if (error) {
			a->found = a->ways_found = false;
			return leave(a, error, "a later look");
		}
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

static int search_once(const struct kept_view *v, struct accessed_array *a,
		       bool *ambiguous, struct failure *f)
{
	struct accessed_search s = {
		.v = v,
		.a = a,
		.lost = v->prober->m->clearing_disturbs ? MOST_HELD :
							  LEAST_LOST,
	};
	int error;

	*a = (struct accessed_array){ .index = INDEX_UNKNOWN };
	error = search(&s, f);
	*ambiguous = s.ambiguous;
	return error;
}

/* Bounds that allow two numbers of ways are those of one placement: the next one's may
 * not.
 */
int accessed_find_array(const struct kept_view *v, struct accessed_array *a,
			struct failure *f)
{
	const struct prober *p = v->prober;
	const double before = p->budget.alpha_drawn;
	bool ambiguous = true;
	int error = 0;

	for (int i = 0; !error && ambiguous && i < SEARCH_ATTEMPTS; i++) {
		error = search_once(v, a, &ambiguous, f);
		if (p->m->clearing_disturbs)
			break;
	}
	a->bound = budget_bound(&p->budget, before);
	return error;
}
