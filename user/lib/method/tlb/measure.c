// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/measure.h"

#include <math.h>
#include <stdio.h>

#include "method/level/level.h"
#include "method/probe/time_limit.h"
#include "method/tlb/survey.h"
#include "method/tlb/tuning.h"

/*
 * A first cache of one set may hold lines of page tables just as an array holds
 * translations: the same number at any stride. Caches of several sets differ.
 */
static void doubt_lower(const struct tlb_survey *s, struct tlb_hierarchy *tlbs)
{
	struct tlb_geometry *g = &tlbs->levels[1].geometry;
	const struct cache_result *c = s->cache;

	if (!g->found || c->sets.status != PARAMETER_MEASURED ||
	    c->sets.value > 1 || g->sets > 1 ||
	    (double)g->entries > c->ways.value)
		return;
	g->found = false;
	snprintf(
		g->reason, sizeof(g->reason),
		"%zu entries may be as many lines of page tables in the first cache, which has one set",
		g->entries);
}

/* @known: only where the first level of smaller pages is known; else where it is not */
static int find_splintered(struct tlb_survey *s, size_t size, int which,
			   bool known, struct failure *f)
{
	struct tlb_hierarchy *tlbs = &s->all[size][which];
	int error = 0;

	for (size_t i = 0; !error && i < size && !tlbs->splintered_bytes; i++) {
		const struct tlb_hierarchy *smaller = &s->all[i][which];

		if (tlb_has_views(smaller) &&
		    smaller->levels[0].geometry.found == known)
			error = tlb_find_splintered(tlbs, smaller, s->p,
						    s->cache, f);
	}
	return error;
}

/* The pages of code have a hypervisor below them that splinters those of data. */
static bool may_be_pieces(const struct tlb_survey *s, size_t size, int which)
{
	return s->all[size][which].splintered_bytes ||
	       (s->p->m->virtual_machine &&
		s->all[size][LOADS].splintered_bytes);
}

/*
 * Large pages that are entered in pieces have the arrays of small pages below their
 * first level, which are measured already.
 */
static int measure_levels(struct tlb_survey *s, size_t size, int which,
			  struct failure *f)
{
	struct tlb_hierarchy *tlbs = &s->all[size][which];
	int error = find_splintered(s, size, which, true, f);

	tlbs->few = may_be_pieces(s, size, which);
	if (!error)
		error = tlb_hierarchy_measure(tlbs, s->p, s->cache, f);
	if (!error && tlbs->levels[0].geometry.found)
		error = find_splintered(s, size, which, false, f);
	return error;
}

static int measure_side(struct tlb_survey *s, size_t size, int which)
{
	struct tlb_hierarchy *tlbs = &s->all[size][which];
	struct failure why = { .text = "" };
	double earlier[TLB_LEVELS];
	int error;

	for (int i = 0; i < TLB_LEVELS; i++)
		earlier[i] = tlbs->levels[i].geometry.bound;
	*tlbs = (struct tlb_hierarchy){
		.page_bytes = s->p->m->view_page_bytes[size],
		.executable = which == FETCHES,
	};
	error = measure_levels(s, size, which, &why);
	/* Any of the attempts may be the wrong one, so their errors add up. */
	for (int i = 0; i < TLB_LEVELS; i++)
		tlbs->levels[i].geometry.bound =
			fmin(tlbs->levels[i].geometry.bound + earlier[i], 1);
	if (error == -EINTR) {
		tlbs->page_bytes = 0;
		return error;
	}
	if (error) {
		machine_note(s->p->m, "TLB of %llu KiB pages: %s",
			     (unsigned long long)(tlbs->page_bytes >> 10),
			     why.text);
		tlbs->page_bytes = 0;
		return 0;
	}
	doubt_lower(s, tlbs);
	return 0;
}

/* Levels below were measured with pages that may have hit above. */
static void leave_held(struct tlb_hierarchy *tlbs, int from, const char *why)
{
	for (int k = from; k < TLB_LEVELS; k++) {
		struct tlb_geometry *g = &tlbs->levels[k].geometry;

		if (!g->found)
			continue;
		g->found = false;
		snprintf(g->reason, sizeof(g->reason), "L%d TLB: %s", from + 1,
			 why);
	}
}

/* Known first arrays of one set have as many entries at most, or a multiple of eight. */
#define FEW_ENTRIES 16
#define ENTRIES_STEP 8

/*
 * A thread that waits in a loop, of another guest on the same core, holds one entry of a
 * first array for as long as it waits: 71 of a Zen 4's 72 fitted for seconds.
 */
static bool is_some_short(const struct tlb_survey *s,
			  const struct tlb_hierarchy *tlbs, int level)
{
	const struct tlb_geometry *g = &tlbs->levels[level].geometry;

	return s->p->m->virtual_machine && !level && g->sets == 1 &&
	       g->ways > FEW_ENTRIES && (uint64_t)g->ways % ENTRIES_STEP;
}

/* @doubted: (out) a level in which more pages may fit; TLB_LEVELS: none */
static int look_at_side(struct tlb_survey *s, const struct tlb_hierarchy *tlbs,
			int *doubted, struct failure *f)
{
	for (*doubted = 0; *doubted < TLB_LEVELS; ++*doubted) {
		const struct tlb_array a = { tlbs, *doubted };
		enum verdict verdict;
		int error;

		if (!tlb_has_views(tlbs) ||
		    !tlbs->levels[*doubted].geometry.found)
			continue;
		if (is_some_short(s, tlbs, *doubted))
			return 0;
		error = tlb_check_later(a, s->p, s->cache, &verdict, f);
		if (error || verdict == VERDICT_COMPACT)
			return error;
	}
	return 0;
}

/*
 * @doubts: (out) hierarchies in which more pages fit now; they were measured
 *          once more or, the last time, left undecided
 */
static int look_once(struct tlb_survey *s, bool last, int *doubts,
		     struct failure *f)
{
	int error = 0;

	prober_progress(s->p, "a later look at TLBs");
	s->p->m->ops->pause(s->p->m, LOOKS_APART_MS);
	for (size_t i = 0; !error && i < SIDES * s->sizes; i++) {
		struct tlb_hierarchy *tlbs = &s->all[i / SIDES][i % SIDES];
		int doubted;

		error = look_at_side(s, tlbs, &doubted, f);
		if (error || doubted == TLB_LEVELS)
			continue;
		++*doubts;
		if (last)
			leave_held(tlbs, doubted, XRAY_MORE_ROOM);
		else
			error = measure_side(s, i / SIDES, i % SIDES);
	}
	return error;
}

/*
 * Contention that takes entries of each set all the time looks like a smaller
 * array, until it ends.
 */
static int look_later(struct tlb_survey *s, struct failure *f)
{
	int doubts = 1, error = 0;

	for (int last = 0; doubts && last < 2; last++) {
		doubts = 0;
		for (int i = 0; !error && i < LATER_LOOKS; i++)
			error = look_once(s, last, &doubts, f);
	}
	return error;
}

/*
 * The check comes without a pause; where it fails, contention cannot be
 * excluded.
 */
static void look_interrupted(struct tlb_survey *s)
{
	struct failure unused = { .text = "" };
	struct time_limit before;
	int doubts = 0, error;

	time_limit_lift(s->p, &before);
	error = look_once(s, true, &doubts, &unused);
	time_limit_restore(s->p, &before);
	for (size_t i = 0; error && i < SIDES * s->sizes; i++)
		leave_held(&s->all[i / SIDES][i % SIDES], 0, XRAY_ENDED);
}

static int measure_sides(struct tlb_survey *s, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < s->sizes; i++) {
		error = measure_side(s, i, LOADS);
		if (!error && s->p->m->view_executable)
			error = measure_side(s, i, FETCHES);
	}
	if (!error)
		error = look_later(s, f);
	if (error == -EINTR)
		look_interrupted(s);
	return error;
}

/* Of a page in pieces only one has to be walked for. */
static bool are_entered_whole(const struct tlb_survey *s, size_t size)
{
	const struct tlb_hierarchy *tlbs = &s->all[size][LOADS];

	return !size || (!tlbs->splintered_bytes &&
			 (tlbs->whole || !s->p->m->virtual_machine));
}

static int measure_all(struct tlb_survey *s, struct failure *f)
{
	int error = measure_sides(s, f);

	for (size_t i = 0; i < s->sizes; i++)
		for (int k = 0;
		     tlb_has_views(&s->all[i][LOADS]) && k < TLB_LEVELS; k++)
			tlb_report_level(s, &s->all[i][LOADS], k, "data");
	for (size_t i = 0; !error && i < s->sizes; i++)
		error = tlb_report_fetches(s, i, f);
	for (size_t i = 0; i < s->sizes; i++)
		for (size_t j = i + 1; !error && j < s->sizes; j++)
			error = tlb_match_sizes(s, i, j, f);
	if (!error)
		error = tlb_report_coalesced(s, f);
	for (size_t i = 0; !error && i < s->sizes; i++)
		if (are_entered_whole(s, i))
			error = tlb_measure_last(s, i, f);
	return error;
}

static bool is_known(const struct cache_result *c)
{
	return c->capacity_bytes.status == PARAMETER_MEASURED &&
	       c->ways.status == PARAMETER_MEASURED &&
	       c->line_bytes.status == PARAMETER_MEASURED;
}

int tlb_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct tlb_survey s = { .p = p, .h = h };
	int error;

	if (!p->m->ops->view_open || !p->m->view_page_count)
		return 0;
	s.sizes = p->m->view_page_count;
	if (!h->cache_count || !is_known(&h->caches[0])) {
		tlb_report_unknown_cache(&s);
		return 0;
	}
	s.cache = &h->caches[0];
	error = measure_all(&s, f);
	h->tests = p->tests;
	h->complete = h->complete && !error;
	return error;
}
