// SPDX-License-Identifier: GPL-2.0
/* coalesced.c - do adjacent pages share one entry? */
#include <errno.h>

#include "method/tlb/hierarchy.h"

#define METHOD "x-ray"

#define MOST_COALESCED 16

/*
 * Whether a row of @factor times the entries fits; @more: one page more per
 * set.
 */
static int fits(struct tlb_search *x, const struct tlb_geometry *g,
		size_t factor, bool more, enum verdict *verdict,
		struct failure *f)
{
	const struct shape w = { .inner = 1,
				 .stride = 1,
				 .outer = factor * g->sets *
					  (g->ways + (more ? 1 : 0)) };

	return tlb_decide(x, &w, true, (double)g->ways + 1, verdict, f);
}

/* The paper's own sequences: how many pages of contiguous memory fit. */
static int count_coalesced(struct tlb_search *x, const struct tlb_geometry *g,
			   uint64_t lines, size_t *factor,
			   enum verdict *verdict, struct failure *f)
{
	int error = fits(x, g, 1, false, verdict, f);

	*factor = 0;
	while (!error && *verdict == VERDICT_COMPACT) {
		*factor = *factor ? 2 * *factor : 1;
		/* Each page has a line of its own here. */
		if (2 * *factor * g->entries > lines ||
		    *factor == MOST_COALESCED) {
			*verdict = VERDICT_UNDECIDED;
			return 0;
		}
		error = fits(x, g, 2 * *factor, false, verdict, f);
	}
	if (!error && *factor && *verdict == VERDICT_NON_COMPACT)
		error = fits(x, g, *factor, true, verdict, f);
	return error;
}

/*
 * Contiguous frames of a guest need not be contiguous in the host, and hardware
 * coalesces what is contiguous in the host.
 */
static void report_factor(const struct prober *p, size_t factor, double bound,
			  struct parameter *coalesced)
{
	if (p->m->virtual_machine && factor == 1) {
		parameter_undecided(
			coalesced, METHOD,
			"virtual machine: frames may lie anywhere in the host, which hides that pages share an entry (measure on the host)");
		return;
	}
	parameter_measured(coalesced, (double)factor, bound, METHOD);
}

static int report_coalesced(struct tlb_search *x, const struct tlb_geometry *g,
			    uint64_t lines, struct parameter *coalesced,
			    struct parameter *entries, struct failure *f)
{
	struct prober *p = x->view->prober;
	const struct budget_scope scope = budget_open(&p->budget);
	enum verdict verdict;
	size_t factor;
	int error = count_coalesced(x, g, lines, &factor, &verdict, f);
	const double bound = budget_close(&p->budget, &scope);

	if (error)
		return error;
	if (factor && verdict == VERDICT_NON_COMPACT) {
		report_factor(p, factor, bound, coalesced);
		return 0;
	}
	parameter_undecided(
		coalesced, METHOD,
		"no clear verdict on more than %zu pages in contiguous memory",
		factor * g->entries);
	if (!factor && verdict == VERDICT_NON_COMPACT)
		parameter_undecided(
			entries, METHOD,
			"%zu pages find room when they show one frame, fewer in contiguous memory",
			g->entries);
	return 0;
}

int tlb_find_coalesced(const struct tlb_hierarchy *tlbs, struct prober *p,
		       const struct cache_result *cache,
		       struct parameter *coalesced, struct parameter *entries,
		       struct failure *f)
{
	const struct tlb_level *level = &tlbs->levels[0];
	struct tlb_search x = { .counter = COUNTER_DTLB_MISS,
				.penalty_ticks = level->penalty_ticks };
	uint64_t pages = TLB_LEAST_PAGES;
	struct failure why = { .text = "" };
	struct tlb_view v;
	int error;

	if (!level->geometry.found || level->geometry.index == INDEX_HASHED ||
	    2 * level->geometry.entries > tlb_lines_of(cache))
		return 0;
	while (pages < 2 * MOST_COALESCED * level->geometry.entries)
		pages *= 2;
	error = tlb_hierarchy_open_view(tlbs, p, cache, pages, true, &v, &why);
	if (error) {
		parameter_unavailable(coalesced, "%s", why.text);
		return 0;
	}
	x.view = &v;
	if (v.wide->contiguous)
		error = report_coalesced(&x, &level->geometry,
					 tlb_lines_of(cache), coalesced,
					 entries, f);
	else
		parameter_unavailable(coalesced,
				      "frames lie in an order that is unknown");
	tlb_view_close(&v);
	return tlb_failure(error);
}
