// SPDX-License-Identifier: GPL-2.0
/* tlb_rise.c - which rises of T(n,k) are those of TLBs (section IV-C). */
#include <math.h>

#include "method/cooper/tlb.h"

/* "A miss incurs at least a 25% performance penalty" (V-B), ... */
#define LEAST_RISE 1.25
/* ... and more cycles than rounding makes of one. */
#define LEAST_CYCLES 2
/* Noise and rounding of a level. */
#define FLAT 1.1
#define ROUNDING 1
/*
 * T(n,k) beyond the first two extends this factor beyond the rise in question.
 */
#define BEYOND 4
/* "By the same cycles", within this factor, as caches may add to it. */
#define ALIKE 1.25
/* No processor has caches of n lines for this many n. */
#define ENOUGH 3

static bool is_decided(const struct cooper_survey *s, size_t kind)
{
	return s->curves[kind] && s->curves[kind]->found.decided;
}

double cooper_cycles_at(const struct cooper_survey *s, size_t kind, size_t at)
{
	const struct side_curve *curve = s->curves[kind];

	return curve->points[at < curve->count ? at : curve->count - 1].y;
}

/* A step of T(n,k) ends with this string. */
static bool ends_step(const struct cooper_survey *s, size_t kind, size_t at)
{
	const struct curve_result *found = &s->curves[kind]->found;
	double bytes = (double)(s->grid[at] * s->pages.page_bytes);

	for (size_t i = 0; i + 1 < found->step_count; i++)
		if (fabs(found->steps[i].end - bytes) < 1)
			return true;
	return false;
}

/*
 * An edge that the analysis takes for a part of another rise: the step after it
 * is steeper than the slope before it.
 */
static bool jumps(const struct cooper_survey *s, size_t kind, size_t at)
{
	double here = cooper_cycles_at(s, kind, at);
	double before = here - cooper_cycles_at(s, kind, at < 2 ? 0 : at - 2);
	double behind = fmin(cooper_cycles_at(s, kind, at + 1),
			     cooper_cycles_at(s, kind, at + 2));

	return behind >= here + LEAST_CYCLES && behind >= LEAST_RISE * here &&
	       before <= (behind - here) / 2;
}

bool cooper_rises_at(const struct cooper_survey *s, size_t kind, size_t at)
{
	return ends_step(s, kind, at) || jumps(s, kind, at);
}

/* The same, within one string. */
static bool rises_near(const struct cooper_survey *s, size_t kind, size_t at)
{
	size_t last = s->curves[kind]->count - 1;

	for (size_t i = at ? at - 1 : 0; i <= at + 1 && i < last; i++)
		if (cooper_rises_at(s, kind, i))
			return true;
	return false;
}

/*
 * An octave before the rise T(n,k) is as fast or, next to another rise, half an
 * octave before it. Where page tables gradually fall out of caches, there are
 * edges at the same pages for all n, too, but on a slope.
 */
static bool is_flat_before(const struct cooper_survey *s, size_t kind,
			   size_t at)
{
	const size_t octave = COOPER_STRINGS_PER_OCTAVE;
	double here = cooper_cycles_at(s, kind, at);
	double half = cooper_cycles_at(s, kind, at < 2 ? 0 : at - 2);
	double whole = cooper_cycles_at(s, kind, at < octave ? 0 : at - octave);

	return here <= FLAT * whole || here <= half + ROUNDING;
}

double cooper_rise_at(const struct cooper_survey *s, size_t kind, size_t at)
{
	return cooper_cycles_at(s, kind, at + 2) -
	       cooper_cycles_at(s, kind, at);
}

/* --- TLBs and caches ----------------------------------------------------- */

static size_t index_of(const struct cooper_survey *s, double pages)
{
	size_t best = 0;

	for (size_t i = 1; i < s->grid_count; i++)
		if (fabs(log2((double)s->grid[i] / pages)) <
		    fabs(log2((double)s->grid[best] / pages)))
			best = i;
	return best;
}

/*
 * Without a TLB all strings up to this kind rise after @at only if there is a
 * cache for each n, of n times as many lines. Such a cache shows in other
 * strings, too: at the number of pages whose lines fill it.
 */
static bool may_be_caches(const struct cooper_survey *s, size_t kind, size_t at)
{
	double lines = (double)(s->grid[at] * COOPER_LINES(kind));

	for (size_t i = 0; i < kind; i++)
		if (is_decided(s, i) &&
		    rises_near(s, i,
			       index_of(s, lines / (double)COOPER_LINES(i))))
			return true;
	return rises_near(
		s, kind,
		index_of(s, (double)s->grid[at] / (double)COOPER_LINES(kind)));
}

/* A string that rises by less than half of the cost of a TLB miss. */
static bool contradicts(const struct cooper_survey *s, size_t kinds, size_t at,
			double cost)
{
	for (size_t i = 0; i < kinds; i++)
		if (is_decided(s, i) && !rises_near(s, i, at) &&
		    cooper_rise_at(s, i, at) < cost / 2)
			return true;
	return false;
}

/* Two rise by the same; a cache may add to other rises. */
static bool are_alike(const double *rises, size_t count, double least)
{
	size_t alike = 0;

	for (size_t i = 0; i < count; i++)
		alike += rises[i] <= ALIKE * least && rises[i] >= least / ALIKE;
	return alike >= 2 && least >= LEAST_CYCLES;
}

/*
 * For a TLB all T(n,k) rise at the same pages, and by the same cycles; for
 * caches only if there is another cache for each n.
 */
static int judge(struct cooper_survey *s, size_t at, struct failure *f)
{
	double rises[COOPER_KINDS], cost = INFINITY;
	bool is_level = false;
	size_t read = 0, seen = 0;

	s->rises[at] = RISE_OPEN;
	for (size_t kind = 0; kind < COOPER_KINDS; kind++) {
		int error = 0;

		if (!s->curves[kind])
			error = cooper_time_pages(s, kind, BEYOND * s->grid[at],
						  f);
		if (error)
			return error;
		/* An undecided curve contradicts nothing. */
		if (!is_decided(s, kind))
			continue;
		rises[read++] = cooper_rise_at(s, kind, at);
		if (rises_near(s, kind, at)) {
			seen++;
			cost = fmin(cost, rises[read - 1]);
			is_level |= is_flat_before(s, kind, at);
		}
		if (seen && contradicts(s, kind + 1, at, cost)) {
			s->rises[at] = RISE_OF_CACHE;
			return 0;
		}
		if (!are_alike(rises, read, cost))
			continue;
		if (is_level && (seen >= ENOUGH ||
				 (seen >= 2 && !may_be_caches(s, kind, at)))) {
			s->rises[at] = RISE_OF_TLB;
			return 0;
		}
	}
	s->unclear[at] = is_level && seen >= 2;
	return 0;
}

/* Evidence for a level that ends exactly here. */
static size_t weight(const struct cooper_survey *s, size_t at)
{
	size_t weight = s->rises[at] == RISE_OF_TLB ? 2 * COOPER_KINDS : 0;

	for (size_t kind = 0; kind < COOPER_KINDS; kind++)
		weight += is_decided(s, kind) && cooper_rises_at(s, kind, at);
	return weight;
}

/*
 * Of adjacent strings that rise for one TLB, keep the one after which most
 * strings rise, or the first of these; an undecided neighbour is no level.
 */
static void choose_among_neighbours(struct cooper_survey *s)
{
	size_t best = COOPER_MOST_STRINGS;

	for (size_t i = 0; i < s->grid_count; i++) {
		if (s->rises[i] != RISE_OF_TLB && s->rises[i] != RISE_OPEN) {
			best = COOPER_MOST_STRINGS;
			continue;
		}
		if (best == COOPER_MOST_STRINGS) {
			best = i;
			continue;
		}
		if (weight(s, i) > weight(s, best)) {
			s->rises[best] = RISE_OF_NOTHING;
			best = i;
		} else {
			s->rises[i] = RISE_OF_NOTHING;
		}
	}
}

/*
 * After a rise that may be a TLB or not, a second TLB may be the first one's
 * other half.
 */
static void doubt_behind_unclear(struct cooper_survey *s)
{
	bool unclear = false;

	for (size_t i = 0; i < s->grid_count; i++) {
		if (s->rises[i] == RISE_OF_TLB && unclear)
			s->rises[i] = RISE_OPEN;
		unclear |= s->unclear[i] && s->rises[i] != RISE_OF_TLB &&
			   (!i || s->rises[i - 1] != RISE_OF_TLB) &&
			   (i + 1 == s->grid_count ||
			    s->rises[i + 1] != RISE_OF_TLB);
	}
}

/* Largest first: smaller rises need the strings that are timed for it. */
int cooper_judge_rises(struct cooper_survey *s, struct failure *f)
{
	for (size_t at = s->grid_count - 1; at-- > 0;) {
		int error = 0;

		if (cooper_rises_at(s, 0, at) || cooper_rises_at(s, 1, at))
			error = judge(s, at, f);
		if (error)
			return error;
		if (s->rises[at] == RISE_OPEN && !ends_step(s, 0, at))
			s->rises[at] = RISE_OF_NOTHING;
	}
	choose_among_neighbours(s);
	doubt_behind_unclear(s);
	return 0;
}
