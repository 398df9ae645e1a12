// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/measure.h"

#include <math.h>
#include <stdio.h>

#include "method/level/level.h"
#include "method/probe/time_limit.h"
#include "method/tlb/side.h"

#define METHOD "x-ray"
/* Later looks, and how far they lie apart. */
#define LOOKS 2
#define LOOKS_APART_MS 300

enum {
	LOADS,
	FETCHES,
	SIDES
};

/**
 * struct survey - everything about translation
 * @p: the measurement
 * @h: where results go
 * @cache: first-level data cache
 * @sides: by page size, loads and fetches; page_bytes 0: no such views
 * @sizes: page sizes
 */
struct survey {
	struct prober *p;
	struct hierarchy *h;
	const struct cache_result *cache;
	struct tlb_side sides[MACHINE_PAGE_SIZES][SIDES];
	size_t sizes;
};

static struct tlb_result *result_of(struct survey *s, struct tlb_array a)
{
	int at = a.side->levels[a.level].result;

	return at < 0 ? NULL : &s->h->tlbs[at];
}

static bool has_views(const struct tlb_side *side)
{
	return side->page_bytes != 0;
}

/*
 * A first cache of one set may hold the lines of page tables just as an array
 * holds translations: as many of them, at any stride. Other caches show their
 * sets.
 */
static void doubt_lower(const struct survey *s, struct tlb_side *side)
{
	struct tlb_geometry *g = &side->levels[1].geometry;
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

static int measure_side(struct survey *s, size_t size, int which,
			struct failure *f)
{
	struct tlb_side *side = &s->sides[size][which];
	struct failure why = { .text = "" };
	double earlier[TLB_LEVELS];
	int error;

	for (int i = 0; i < TLB_LEVELS; i++)
		earlier[i] = side->levels[i].geometry.bound;
	*side = (struct tlb_side){
		.page_bytes = s->p->m->view_page_bytes[size],
		.executable = which == FETCHES,
	};
	error = tlb_side_measure(side, s->p, s->cache, &why);
	/* Whichever attempt is wrong, its answer may be the one that stays. */
	for (int i = 0; i < TLB_LEVELS; i++)
		side->levels[i].geometry.bound =
			fmin(side->levels[i].geometry.bound + earlier[i], 1);
	if (error == -EINTR) {
		side->page_bytes = 0;
		return error;
	}
	if (error) {
		machine_note(s->p->m, "TLB of %llu KiB pages: %s",
			     (unsigned long long)(side->page_bytes >> 10),
			     why.text);
		side->page_bytes = 0;
		return 0;
	}
	doubt_lower(s, side);
	for (size_t i = 0; !error && i < size && !side->broken_bytes; i++)
		if (has_views(&s->sides[i][which]) &&
		    side->levels[0].geometry.found)
			error = tlb_find_broken(side, &s->sides[i][which], s->p,
						s->cache, f);
	return error;
}

static void set_found(struct tlb_result *t, const struct tlb_geometry *g)
{
	const double bound = g->bound;

	parameter_measured(&t->entries, (double)g->entries, bound, METHOD);
	parameter_measured(&t->ways, (double)g->ways, bound, METHOD);
	parameter_measured(&t->sets, (double)g->sets, bound, METHOD);
	parameter_measured(&t->index_decision, 0, bound, METHOD);
	t->index = g->index;
	if (g->group > 1)
		snprintf(t->index_decision.reason,
			 sizeof(t->index_decision.reason),
			 "%llu adjacent pages share a set",
			 (unsigned long long)g->group);
}

static void set_open(struct tlb_result *t, const char *reason)
{
	parameter_undecided(&t->entries, METHOD, "%s", reason);
	parameter_undecided(&t->ways, METHOD, "%s", reason);
	parameter_undecided(&t->sets, METHOD, "%s", reason);
	parameter_undecided(&t->index_decision, METHOD, "%s", reason);
	t->index = INDEX_UNKNOWN;
}

/* A hypervisor may break pages that the system left whole. */
static bool may_be_broken(const struct survey *s, const struct tlb_side *side)
{
	return s->p->m->virtual_machine && !side->whole &&
	       side->page_bytes > s->p->m->view_page_bytes[0];
}

static void set_effective(struct tlb_result *t, const struct tlb_side *side,
			  const struct tlb_geometry *g)
{
	char reason[200];

	if (side->broken_bytes)
		snprintf(
			reason, sizeof(reason),
			"splintered: pieces of %llu KiB of one page need translations of their own (no array for such pages, or a hypervisor with smaller ones)",
			(unsigned long long)(side->broken_bytes >> 10));
	else
		snprintf(
			reason, sizeof(reason),
			"virtual machine: whether the hypervisor has pages as large could not be told");
	set_open(t, g->found || side->broken_bytes ? reason : g->reason);
	if (g->found)
		parameter_measured(&t->effective_entries, (double)g->entries,
				   g->bound, METHOD);
}

static void add_level(struct survey *s, struct tlb_side *side, int number,
		      const char *type)
{
	struct tlb_level *level = &side->levels[number];
	const struct tlb_geometry *g = &level->geometry;
	struct tlb_result *t;

	/* There is always a first level to report, if only as undecided. */
	if (!level->tried || (number && g->absent))
		return;
	t = hierarchy_add_tlb(s->h, number + 1, type, side->page_bytes);
	if (!t)
		return;
	level->result = (int)(t - s->h->tlbs);
	t->latency_cycles = level->latency;
	t->miss_cycles = level->miss;
	if (side->broken_bytes || may_be_broken(s, side))
		set_effective(t, side, g);
	else if (g->found)
		set_found(t, g);
	else
		set_open(t, g->reason);
}

static bool measurable(const struct survey *s, const struct tlb_side *side,
		       int level)
{
	return has_views(side) && !side->broken_bytes &&
	       !may_be_broken(s, side) && side->levels[level].tried &&
	       side->levels[level].geometry.found;
}

static void leave_unmatched(struct tlb_side *fetches, int level,
			    const char *why)
{
	struct tlb_geometry *g = &fetches->levels[level].geometry;

	g->found = false;
	snprintf(g->reason, sizeof(g->reason),
		 "fetches see %zu entries of %zu ways%s", g->entries, g->ways,
		 why);
}

/* Twins that may be one: that two arrays are the same was not refuted. */
static bool alike(struct tlb_array a, struct tlb_array b)
{
	const struct tlb_geometry *x = &a.side->levels[a.level].geometry;
	const struct tlb_geometry *y = &b.side->levels[b.level].geometry;

	return x->entries == y->entries && x->ways == y->ways;
}

/* One array has one geometry, and lines that are lost look like translations. */
static void check_twins(struct tlb_array loads, struct tlb_side *fetches,
			int level, enum tlb_sharing *sharing)
{
	const bool same = alike(loads, (struct tlb_array){ fetches, level });

	if (*sharing == TLB_SHARED && !same) {
		*sharing = TLB_SHARING_UNKNOWN;
		leave_unmatched(
			fetches, level,
			", loads others, but each push out what the other has entered");
	} else if (*sharing == TLB_SHARING_UNKNOWN && same) {
		leave_unmatched(
			fetches, level,
			", as loads do: whether of the same array could not be told");
	}
}

/*
 * Where fetches find what loads have entered, the array is unified.
 * @gone: levels of the fetches that belong to the loads
 */
static int match_fetches(struct survey *s, size_t size, int level, bool *gone,
			 struct failure *f)
{
	struct tlb_side *loads = &s->sides[size][LOADS];
	struct tlb_side *fetches = &s->sides[size][FETCHES];
	enum tlb_sharing sharing = TLB_SHARING_UNKNOWN;
	struct tlb_array a = { loads, level };
	int error = 0;

	if (!measurable(s, loads, level))
		return 0;
	for (int i = level; i >= 0 && sharing != TLB_SHARED && !error; i--) {
		struct tlb_array b = { fetches, i };

		if (!measurable(s, fetches, i) || gone[i])
			continue;
		error = tlb_find_shared(a, b, s->p, s->cache, &sharing, f);
		check_twins(a, fetches, i, &sharing);
		gone[i] = sharing == TLB_SHARED;
	}
	if (sharing == TLB_SHARED && result_of(s, a))
		result_of(s, a)->type = "unified";
	return error;
}

static int report_size(struct survey *s, size_t size, struct failure *f)
{
	struct tlb_side *fetches = &s->sides[size][FETCHES];
	bool gone[TLB_LEVELS] = { false };
	int error = 0;

	for (int i = 0; !error && i < TLB_LEVELS; i++)
		error = match_fetches(s, size, i, gone, f);
	for (int i = 0; has_views(fetches) && i < TLB_LEVELS; i++)
		if (!gone[i])
			add_level(s, fetches, i, "instruction");
	return error;
}

static void note_shared(struct tlb_result *t, uint64_t page_bytes)
{
	if (t && t->shared_count < MACHINE_PAGE_SIZES)
		t->shared_page_bytes[t->shared_count++] = page_bytes;
}

static int match_sizes(struct survey *s, size_t i, size_t j, struct failure *f)
{
	int error = 0;

	for (int level = 0; !error && level < TLB_LEVELS; level++) {
		struct tlb_array a = { &s->sides[i][LOADS], level };
		struct tlb_array b = { &s->sides[j][LOADS], level };
		enum tlb_sharing sharing;

		if (!measurable(s, a.side, level) ||
		    !measurable(s, b.side, level))
			continue;
		error = tlb_find_shared(a, b, s->p, s->cache, &sharing, f);
		if (error || sharing != TLB_SHARED)
			continue;
		note_shared(result_of(s, a), b.side->page_bytes);
		note_shared(result_of(s, b), a.side->page_bytes);
	}
	return error;
}

static int find_coalesced(struct survey *s, struct failure *f)
{
	struct tlb_side *side = &s->sides[0][LOADS];
	struct tlb_result *t;

	if (!measurable(s, side, 0))
		return 0;
	t = result_of(s, (struct tlb_array){ side, 0 });
	return t ? tlb_find_coalesced(side, s->p, s->cache, &t->coalesced_pages,
				      &t->entries, f) :
		   0;
}

/* What is below was reached through pages that may have stayed above. */
static void leave_held(struct tlb_side *side, int from, const char *why)
{
	for (int k = from; k < TLB_LEVELS; k++) {
		struct tlb_geometry *g = &side->levels[k].geometry;

		if (!g->found)
			continue;
		g->found = false;
		snprintf(g->reason, sizeof(g->reason), "L%d TLB: %s", from + 1,
			 why);
	}
}

/* @doubted: (out) a level that has more room now; TLB_LEVELS: none */
static int look_at_side(struct survey *s, const struct tlb_side *side,
			int *doubted, struct failure *f)
{
	for (*doubted = 0; *doubted < TLB_LEVELS; ++*doubted) {
		const struct tlb_array a = { side, *doubted };
		bool more = false;
		int error;

		if (!has_views(side) || !side->levels[*doubted].geometry.found)
			continue;
		error = tlb_look_later(a, s->p, s->cache, &more, f);
		if (error || more)
			return error;
	}
	return 0;
}

/* @doubts: (out) sides with arrays that have more room now, which were measured
 * once more or, the last time, are left open
 */
static int look_once(struct survey *s, bool last, int *doubts,
		     struct failure *f)
{
	int error = 0;

	prober_progress(s->p, "a later look at TLBs");
	s->p->m->ops->pause(s->p->m, LOOKS_APART_MS);
	for (size_t i = 0; !error && i < SIDES * s->sizes; i++) {
		struct tlb_side *side = &s->sides[i / SIDES][i % SIDES];
		int doubted;

		error = look_at_side(s, side, &doubted, f);
		if (error || doubted == TLB_LEVELS)
			continue;
		++*doubts;
		if (last)
			leave_held(side, doubted, XRAY_MORE_ROOM);
		else
			error = measure_side(s, i / SIDES, i % SIDES, f);
	}
	return error;
}

/* A neighbour who holds entries of each set all the time looks like an array
 * that has fewer, until he leaves.
 */
static int look_later(struct survey *s, struct failure *f)
{
	int doubts = 1, error = 0;

	for (int last = 0; doubts && last < 2; last++) {
		doubts = 0;
		for (int i = 0; !error && i < LOOKS; i++)
			error = look_once(s, last, &doubts, f);
	}
	return error;
}

/* The later look comes at once; where it fails, nobody knows who held entries. */
static void look_interrupted(struct survey *s)
{
	struct failure unused = { .text = "" };
	struct time_limit before;
	int doubts = 0, error;

	time_limit_lift(s->p, &before);
	error = look_once(s, true, &doubts, &unused);
	time_limit_restore(s->p, &before);
	for (size_t i = 0; error && i < SIDES * s->sizes; i++)
		leave_held(&s->sides[i / SIDES][i % SIDES], 0, XRAY_ENDED);
}

static int measure_sides(struct survey *s, struct failure *f)
{
	int error = 0;

	for (size_t i = 0; !error && i < s->sizes; i++) {
		error = measure_side(s, i, LOADS, f);
		if (!error && s->p->m->view_executable)
			error = measure_side(s, i, FETCHES, f);
	}
	if (!error)
		error = look_later(s, f);
	if (error == -EINTR)
		look_interrupted(s);
	return error;
}

static int measure_all(struct survey *s, struct failure *f)
{
	int error = measure_sides(s, f);

	for (size_t i = 0; i < s->sizes; i++)
		for (int k = 0;
		     has_views(&s->sides[i][LOADS]) && k < TLB_LEVELS; k++)
			add_level(s, &s->sides[i][LOADS], k, "data");
	for (size_t i = 0; !error && i < s->sizes; i++)
		error = report_size(s, i, f);
	for (size_t i = 0; i < s->sizes; i++)
		for (size_t j = i + 1; !error && j < s->sizes; j++)
			error = match_sizes(s, i, j, f);
	return error ? error : find_coalesced(s, f);
}

static bool is_known(const struct cache_result *c)
{
	return c->capacity_bytes.status == PARAMETER_MEASURED &&
	       c->ways.status == PARAMETER_MEASURED &&
	       c->line_bytes.status == PARAMETER_MEASURED;
}

/* Words could not be laid such that they hit in a cache that nobody knows. */
static void leave_all(struct survey *s)
{
	static const char *const types[SIDES] = { "data", "instruction" };
	const struct machine *m = s->p->m;

	for (size_t i = 0; i < s->sizes; i++)
		for (int k = 0; k < (m->view_executable ? SIDES : 1); k++) {
			struct tlb_result *t = hierarchy_add_tlb(
				s->h, 1, types[k], m->view_page_bytes[i]);

			if (t)
				set_open(
					t,
					"the geometry of the first cache is not known: what is slow may be its misses");
		}
}

int xray_measure_tlbs(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct survey s = { .p = p, .h = h };
	int error;

	if (!p->m->ops->view_open || !p->m->view_page_count)
		return 0;
	s.sizes = p->m->view_page_count;
	if (!h->cache_count || !is_known(&h->caches[0])) {
		leave_all(&s);
		return 0;
	}
	s.cache = &h->caches[0];
	error = measure_all(&s, f);
	h->tests = p->tests;
	h->complete = h->complete && !error;
	return error;
}
