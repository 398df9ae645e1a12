// SPDX-License-Identifier: GPL-2.0
/* side.c - the levels of one page size, for loads or for fetches. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "method/tlb/survey.h"

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

int tlb_measure_side(struct tlb_survey *s, size_t size, int which)
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
