// SPDX-License-Identifier: GPL-2.0
#include "method/tlb/hierarchy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/probe/time_limit.h"
#include "method/tlb/tuning.h"

#define METHOD "x-ray"
#define NS_PER_MS 1e6

/* Pages enough for an index of 2 * 8 XORed bits; real views may be shorter. */
#define MOST_PAGES (UINT64_C(1) << 20)
/* Two controls, one of them a third longer, must agree within this share. */
#define STEADY 0.05
/* Pages of the first view of pages that are entered in pieces, which lie in the same set
 * at any distance: of half as many an array of eight cannot be swept.
 */
#define SPLINTERED_PAGES 64

int tlb_hierarchy_open_view(const struct tlb_hierarchy *tlbs, struct prober *p,
			    const struct cache_result *cache, uint64_t pages,
			    bool contiguous, struct tlb_view *v,
			    struct failure *f)
{
	enum tlb_access access = TLB_LOADS;
	int error;

	if (tlbs->executable)
		access = tlbs->by_returns ? TLB_RETURNS : TLB_JUMPS;
	error = tlb_view_open(v, p, tlbs->page_bytes, access, cache, pages,
			      contiguous, f);
	if (error || access != TLB_RETURNS)
		return error;
	error = tlb_view_count_returns(v, f);
	if (error)
		tlb_view_close(v);
	return error;
}

enum machine_counter tlb_counter_of(bool executable, int level)
{
	if (executable)
		return level ? MACHINE_COUNTERS : COUNTER_ITLB_MISS;
	return level ? COUNTER_STLB_MISS : COUNTER_DTLB_MISS;
}

static int report_difference(struct parameter *p, struct tlb_view *v,
			     const struct shape *slow, const struct shape *fast,
			     struct failure *f)
{
	double cycles;
	int error = tlb_view_difference(v, slow, fast, &cycles, f);

	if (error && error != -ERANGE)
		return error;
	if (error)
		parameter_undecided(p, METHOD, "a view has too few pages");
	else if (!isfinite(cycles))
		parameter_undecided(p, METHOD,
				    "one core cycle could not be timed");
	else
		parameter_measured(p, cycles, 0, METHOD);
	return 0;
}

/* Pages that all miss here: many times the ways of one set. */
static struct shape all_missing(const struct tlb_search *x,
				const struct tlb_geometry *g)
{
	size_t multiple = TLB_ALL_MISSING;
	struct shape w = tlb_shape(x, g->conflict, multiple * g->ways);

	while (multiple > 2 &&
	       (shape_span(&w) > x->view->pages ||
		(!x->upper && tlb_layout_fills(x->view, shape_length(&w)))))
		w = tlb_shape(x, g->conflict, --multiple * g->ways);
	return w;
}

/* The clock of the core may change meanwhile, which loads and cycles follow alike. */
static bool steady(const struct tlb_least *a, const struct tlb_least *b)
{
	return fabs(a->ticks - b->ticks) <= STEADY * a->ticks ||
	       fabs(a->cycles - b->cycles) <= STEADY * a->cycles;
}

/*
 * Pages that should hit here take different times: some of them miss here or in
 * the level above. Then the hits that the ways were compared with were no hits.
 */
static void leave_unsteady(struct tlb_level *level, size_t few, size_t many)
{
	struct tlb_geometry *g = &level->geometry;

	parameter_undecided(&level->latency, METHOD,
			    "%zu pages and %zu pages take different times",
			    many, few);
	if (g->found)
		snprintf(
			g->reason, sizeof(g->reason),
			"%zu pages and %zu pages that should all hit take different times",
			many, few);
	g->found = false;
}

/*
 * A third more pages, as long as they have lines of their own where fewer do: what
 * several pages of one line cost is no translation.
 */
static size_t more_pages(const struct tlb_view *v, size_t few)
{
	size_t more = few * 4 / 3;

	while (more > few &&
	       tlb_layout_fills(v, more) != tlb_layout_fills(v, few))
		more--;
	return more;
}

/* What disturbs for a while would be part of it: @first has to come out again. */
static int report_latency(struct tlb_search *x, struct tlb_level *level,
			  const struct shape *hit,
			  const struct tlb_least *first, struct failure *f)
{
	struct machine *m = x->view->prober->m;
	struct tlb_least again;
	int error = report_difference(&level->latency, x->view, hit, NULL, f);

	if (error)
		return error;
	m->ops->pause(m, LOOKS_APART_MS);
	error = tlb_view_least(x->view, hit, &again, f);
	if (!error && !steady(first, &again))
		parameter_undecided(&level->latency, METHOD,
				    "other load: %.2f ticks, and %.2f later",
				    first->ticks, again.ticks);
	return error;
}

static int measure_costs(struct tlb_search *x, struct tlb_level *level,
			 struct failure *f)
{
	struct shape hit, fewer, slow;
	struct tlb_least a, b;
	int error = 0;

	if (x->upper) {
		hit = fewer = tlb_control(x);
		hit.outer = more_pages(x->view, fewer.outer);
		error = tlb_view_least(x->view, &hit, &a, f);
		if (!error)
			error = tlb_view_least(x->view, &fewer, &b, f);
		if (error == -ERANGE) {
			parameter_undecided(&level->latency, METHOD,
					    "a view has too few pages");
			return 0;
		}
		if (!error && !steady(&a, &b))
			leave_unsteady(level, fewer.outer, hit.outer);
		else if (!error)
			error = report_latency(x, level, &hit, &a, f);
	}
	if (error || !level->geometry.found)
		return error;
	slow = all_missing(x, &level->geometry);
	return report_difference(&level->miss, x->view, &slow,
				 x->upper ? &hit : NULL, f);
}

static int measure_level(struct tlb_hierarchy *tlbs, int number,
			 struct tlb_view *v, int attempts, struct failure *f)
{
	struct tlb_level *level = &tlbs->levels[number];
	struct tlb_search x = {
		.view = v,
		.upper = number ? &tlbs->levels[number - 1].geometry : NULL,
		.counter = tlb_counter_of(tlbs->executable, number),
	};
	int error = 0;

	prober_progress(v->prober, "TLB level %d, %s of %llu KiB pages",
			number + 1, tlbs->executable ? "fetches" : "loads",
			(unsigned long long)(tlbs->page_bytes >> 10));
	/*
	 * Contention may hide a level, so an absent answer is tried again. A
	 * geometry that was found rests on its own tests. What jumps hide, they
	 * hide each time, and few pages show no more the next time.
	 */
	for (int i = 0; i < attempts; i++) {
		if (i && !number)
			v->prober->m->ops->pause(v->prober->m,
						 ATTEMPTS_APART_MS);
		error = tlb_find_geometry(&x, &level->geometry, f);
		if (error || level->geometry.found || level->geometry.absent ||
		    (level->geometry.unseen && tlbs->few) ||
		    (level->geometry.small && !tlbs->by_returns))
			break;
	}
	level->tried = true;
	level->penalty_ticks = x.penalty_ticks;
	level->spacing = x.spacing;
	if (!error && !level->geometry.absent && !tlbs->by_returns)
		error = measure_costs(&x, level, f);
	return error;
}

/*
 * No short stride sweeps a hashed level. What a miss adds to a return is more than
 * what it adds to a jump (49 cycles on a Redwood Cove, instead of 20), so that returns
 * show one level alone, and no cost.
 */
static bool can_be_swept(const struct tlb_hierarchy *tlbs, int number)
{
	const struct tlb_geometry *g = &tlbs->levels[number].geometry;

	return g->found && g->index != INDEX_HASHED && !tlbs->by_returns;
}

/**
 * struct span - levels that are measured, and the view for them
 * @tlbs, @cache: as of tlb_hierarchy_measure()
 * @pages: that were asked for
 * @opened_ns: most time that opening a view took: the memory of the first one is
 *             found again
 * @v: the view
 */
struct span {
	struct tlb_hierarchy *tlbs;
	const struct cache_result *cache;
	uint64_t pages;
	double opened_ns;
	struct tlb_view v;
};

static uint64_t first_pages(const struct tlb_hierarchy *tlbs)
{
	return tlbs->few ? SPLINTERED_PAGES : MANY_PAGES;
}

static int open_span(struct span *s, struct prober *p, uint64_t pages,
		     struct failure *f)
{
	const double began_ns = time_limit_now_ns(p);
	const double before_ns = s->opened_ns;
	int error = tlb_hierarchy_open_view(s->tlbs, p, s->cache, pages, false,
					    &s->v, f);

	s->pages = pages;
	s->opened_ns = fmax(time_limit_now_ns(p) - began_ns, before_ns);
	return error;
}

/*
 * Where accessed bits decide on the last array of these pages, and are disturbed, what
 * time says of it is doubted unless it is the same.
 */
static bool is_decided_by_bits(const struct span *s, const struct prober *p,
			       int number)
{
	return number && p->m->accessed_bits && p->m->clearing_disturbs &&
	       s->tlbs->page_bytes == p->m->view_page_bytes[0];
}

static int attempts_at(const struct span *s, const struct prober *p, int number)
{
	if (is_decided_by_bits(s, p, number))
		return 1;
	return number || s->tlbs->few ? HIERARCHY_ATTEMPTS : FIRST_ATTEMPTS;
}

/*
 * Memory that a hypervisor has to find page by page takes a second where few pages are
 * enough, and shows no more than what a program can use of another array.
 */
static bool can_be_longer(const struct span *s)
{
	return s->pages < MOST_PAGES && s->v.pages == s->pages &&
	       (!s->tlbs->few || s->opened_ns < FEW_VIEW_MS * NS_PER_MS);
}

/* A hash spreads few pages over all sets, so "absent" needs the longer view, too. */
static int measure_longer(struct span *s, struct prober *p, int number,
			  struct failure *f)
{
	struct tlb_geometry *g = &s->tlbs->levels[number].geometry;
	const bool longer = can_be_longer(s);
	const int all = attempts_at(s, p, number);
	int error = measure_level(s->tlbs, number, &s->v, longer ? 1 : all, f);

	if (!error && longer && !g->found &&
	    (!g->small || s->tlbs->by_returns)) {
		tlb_view_close(&s->v);
		error = open_span(s, p, MOST_PAGES, f);
		if (!error)
			error = measure_level(s->tlbs, number, &s->v, all, f);
	}
	return error;
}

static int measure_by_returns(struct span *s, struct prober *p,
			      struct failure *f)
{
	struct failure why = { .text = "" };
	const uint64_t before = s->pages;
	int error;

	tlb_view_close(&s->v);
	s->tlbs->by_returns = true;
	error = open_span(s, p, first_pages(s->tlbs), &why);
	if (!error)
		return measure_longer(s, p, 0, f);
	s->tlbs->by_returns = false;
	if (error == -EINTR)
		return error;
	return open_span(s, p, before, f);
}

/*
 * Returns that are mispredicted take the prediction of jumps away: where that may
 * be all that is slow, they show what the fetch alone costs.
 */
static int measure_in_span(struct span *s, struct prober *p, int number,
			   struct failure *f)
{
	const struct budget_scope scope = budget_open(&p->budget);
	struct tlb_geometry *g = &s->tlbs->levels[number].geometry;
	int error = measure_longer(s, p, number, f);

	if (!error && !number && g->small)
		error = measure_by_returns(s, p, f);
	g->bound = budget_bound(&p->budget, scope.drawn);
	budget_close(&p->budget, &scope);
	return error;
}

static void begin(struct tlb_hierarchy *tlbs)
{
	for (int i = 0; i < TLB_LEVELS; i++) {
		parameter_unavailable(&tlbs->levels[i].latency, "not measured");
		parameter_unavailable(&tlbs->levels[i].miss, "not measured");
		tlbs->levels[i].result = -1;
	}
}

int tlb_hierarchy_measure(struct tlb_hierarchy *tlbs, struct prober *p,
			  const struct cache_result *cache, struct failure *f)
{
	struct span s = { .tlbs = tlbs, .cache = cache };
	int error;

	error = open_span(&s, p, first_pages(tlbs), f);
	if (error)
		return error;
	begin(tlbs);
	for (int i = 0; !error && i < (tlbs->few ? 1 : TLB_LEVELS); i++) {
		error = measure_in_span(&s, p, i, f);
		if (!can_be_swept(tlbs, i))
			break;
	}
	/* A miss of the first level costs what a hit in the second one takes. */
	if (tlbs->levels[1].latency.status == PARAMETER_MEASURED)
		tlbs->levels[0].miss = tlbs->levels[1].latency;
	tlb_view_close(&s.v);
	return error;
}

int tlb_failure(int error)
{
	switch (error) {
	case -ERANGE:
	case -ENOSPC:
	case -ENOMEM:
	case -EOPNOTSUPP:
	case -EAGAIN:
		return 0;
	}
	return error;
}

uint64_t tlb_lines_of(const struct cache_result *c)
{
	if (!c || c->capacity_bytes.status != PARAMETER_MEASURED ||
	    c->line_bytes.status != PARAMETER_MEASURED)
		return 0;
	return (uint64_t)(c->capacity_bytes.value / c->line_bytes.value);
}
