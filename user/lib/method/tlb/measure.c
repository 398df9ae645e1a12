// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/measure.h"

#include <errno.h>
#include <stdio.h>

#include "method/level/level.h"
#include "method/probe/time_limit.h"
#include "method/tlb/survey.h"
#include "method/tlb/tuning.h"

#define MOST_GLANCES (MACHINE_PAGE_SIZES * SIDES * TLB_LEVELS)

/**
 * struct glance - one page more than the ways of an array
 * @side: index of its hierarchy, page size by page size
 * @level: of the array
 * @open: there is a view of such pages
 * @more: more pages than it has ways have found room
 */
struct glance {
	size_t side;
	int level;
	bool open;
	bool more;
	struct tlb_view view;
	struct tlb_search x;
	struct shape w;
};

static struct tlb_hierarchy *side_of(struct tlb_survey *s, size_t side)
{
	return &s->all[side / SIDES][side % SIDES];
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
 * first array for as long as it waits: 71 of a Zen 4's 72 fitted for seconds. A busy one
 * holds a way of each set: 80 of a Golden Cove's 96, where no known first array of
 * several sets has an odd number of ways.
 */
static bool is_some_short(const struct tlb_survey *s,
			  const struct tlb_hierarchy *tlbs, int level)
{
	const struct tlb_geometry *g = &tlbs->levels[level].geometry;

	if (!s->p->m->virtual_machine || level)
		return false;
	if (g->sets > 1)
		return g->ways > 1 && g->ways % 2;
	return g->ways > FEW_ENTRIES && g->ways % ENTRIES_STEP;
}

static int open_glance(struct tlb_survey *s, struct glance *g,
		       struct failure *f)
{
	const struct tlb_hierarchy *tlbs = side_of(s, g->side);
	const struct tlb_level *level = &tlbs->levels[g->level];
	uint64_t pages = tlbs->few ? TLB_LEAST_PAGES : SHORT_PAGES;
	int error;

	g->x = (struct tlb_search){
		.view = &g->view,
		.upper = g->level ? &tlbs->levels[g->level - 1].geometry : NULL,
		.counter = tlb_counter_of(tlbs->executable, g->level),
		.spacing = level->spacing,
		.penalty_ticks = level->penalty_ticks,
	};
	g->w = tlb_shape(&g->x, level->geometry.conflict,
			 level->geometry.ways + 1);
	while (pages < shape_span(&g->w))
		pages *= 2;
	error = tlb_hierarchy_open_view(tlbs, s->p, s->cache, pages, false,
					&g->view, f);
	g->open = !error;
	return error == -EINTR ? error : 0;
}

static int open_glances(struct tlb_survey *s, struct glance *glances,
			size_t *count, struct failure *f)
{
	int error = 0;

	*count = 0;
	for (size_t i = 0; !error && i < SIDES * s->sizes * TLB_LEVELS; i++) {
		struct glance *g = &glances[*count];
		const struct tlb_hierarchy *tlbs;

		*g = (struct glance){ .side = i / TLB_LEVELS,
				      .level = (int)(i % TLB_LEVELS) };
		tlbs = side_of(s, g->side);
		if (!tlb_has_views(tlbs) ||
		    !tlbs->levels[g->level].geometry.found)
			continue;
		++*count;
		g->more = is_some_short(s, tlbs, g->level);
		if (!g->more)
			error = open_glance(s, g, f);
	}
	return error;
}

/* A test that is impossible shows nothing. */
static int glance_at(struct tlb_survey *s, struct glance *g, struct failure *f)
{
	const struct tlb_hierarchy *tlbs = side_of(s, g->side);
	const size_t ways = tlbs->levels[g->level].geometry.ways;
	enum verdict verdict;
	int error =
		tlb_decide(&g->x, &g->w, false, (double)ways + 1, &verdict, f);

	g->more = !error && verdict == VERDICT_COMPACT;
	if (!error)
		return 0;
	tlb_view_close(&g->view);
	g->open = false;
	return error == -EINTR ? error : 0;
}

/* All arrays are looked at after the same pauses. */
static int glance(struct tlb_survey *s, struct glance *glances, size_t count,
		  struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < GLANCES; i++) {
		s->p->m->ops->pause(s->p->m, GLANCES_APART_MS);
		for (size_t j = 0; !error && j < count; j++)
			if (glances[j].open && !glances[j].more)
				error = glance_at(s, &glances[j], f);
	}
	return error;
}

static int find_doubted(struct tlb_survey *s, struct glance *glances,
			size_t *count, struct failure *f)
{
	int error = open_glances(s, glances, count, f);

	if (!error)
		error = glance(s, glances, *count, f);
	for (size_t i = 0; i < *count; i++)
		if (glances[i].open)
			tlb_view_close(&glances[i].view);
	return error;
}

/*
 * @doubts: (out) hierarchies in which more pages fit now; they were measured
 *          once more or, the last time, left undecided
 */
static int look_once(struct tlb_survey *s, bool last, int *doubts,
		     struct failure *f)
{
	struct glance glances[MOST_GLANCES];
	size_t count, done = SIZE_MAX;
	int error;

	prober_progress(s->p, "a later look at TLBs");
	s->p->m->ops->pause(s->p->m, LOOKS_APART_MS);
	error = find_doubted(s, glances, &count, f);
	for (size_t i = 0; !error && i < count; i++) {
		const struct glance *g = &glances[i];

		/* Levels ascend. */
		if (!g->more || g->side == done)
			continue;
		done = g->side;
		++*doubts;
		if (last)
			leave_held(side_of(s, g->side), g->level,
				   XRAY_MORE_ROOM);
		else
			error = tlb_measure_side(s, g->side / SIDES,
						 (int)(g->side % SIDES));
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
		leave_held(side_of(s, i), 0, XRAY_ENDED);
}

static bool is_open(const struct tlb_hierarchy *tlbs)
{
	const struct tlb_geometry *g = &tlbs->levels[0].geometry;

	return tlb_has_views(tlbs) && !tlbs->few && !g->found && !g->absent &&
	       !g->small;
}

/* What takes entries of a first array for seconds may be away after the others. */
static int try_again(struct tlb_survey *s)
{
	int error = 0;

	for (size_t i = 0; !error && i < SIDES * s->sizes; i++)
		if (is_open(side_of(s, i)))
			error = tlb_measure_side(s, i / SIDES,
						 (int)(i % SIDES));
	return error;
}

static int measure_sides(struct tlb_survey *s, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < s->sizes; i++) {
		error = tlb_measure_side(s, i, LOADS);
		if (!error && s->p->m->view_executable)
			error = tlb_measure_side(s, i, FETCHES);
	}
	for (int i = 0; !error && i < FIRST_AGAIN; i++)
		error = try_again(s);
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
