// SPDX-License-Identifier: GPL-2.0
/*
 * match.c - which arrays are one: of loads and fetches, and of two page sizes.
 */
#include <stdio.h>

#include "method/tlb/survey.h"

static void leave_unmatched(struct tlb_hierarchy *fetches, int level,
			    const char *why)
{
	struct tlb_geometry *g = &fetches->levels[level].geometry;

	g->found = false;
	snprintf(g->reason, sizeof(g->reason),
		 "fetches see %zu entries of %zu ways%s", g->entries, g->ways,
		 why);
}

/* Arrays of equal geometry may be one: nothing has refuted it. */
static bool alike(struct tlb_array a, struct tlb_array b)
{
	const struct tlb_geometry *x = &a.tlbs->levels[a.level].geometry;
	const struct tlb_geometry *y = &b.tlbs->levels[b.level].geometry;

	return x->entries == y->entries && x->ways == y->ways;
}

/*
 * One array has one geometry. Lost cache lines can look like lost translations.
 */
static void check_twins(struct tlb_array loads, struct tlb_hierarchy *fetches,
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
			", as loads do: whether both are one array is undecided");
	}
}

/*
 * An array is unified if fetches find the translations that loads have entered.
 * @gone: levels of the fetches that are levels of the loads
 */
static int match_fetches(struct tlb_survey *s, size_t size, int level,
			 bool *gone, struct failure *f)
{
	struct tlb_hierarchy *loads = &s->all[size][LOADS];
	struct tlb_hierarchy *fetches = &s->all[size][FETCHES];
	enum tlb_sharing sharing = TLB_SHARING_UNKNOWN;
	struct tlb_array a = { loads, level };
	int error = 0;

	if (!tlb_is_measurable(s, loads, level))
		return 0;
	for (int i = level; i >= 0 && sharing != TLB_SHARED && !error; i--) {
		struct tlb_array b = { fetches, i };

		if (!tlb_is_measurable(s, fetches, i) || gone[i])
			continue;
		error = tlb_find_shared(a, b, s->p, s->cache, &sharing, f);
		check_twins(a, fetches, i, &sharing);
		gone[i] = sharing == TLB_SHARED;
	}
	if (sharing == TLB_SHARED && tlb_result_of(s, a))
		tlb_result_of(s, a)->type = "unified";
	return error;
}

int tlb_report_fetches(struct tlb_survey *s, size_t size, struct failure *f)
{
	struct tlb_hierarchy *fetches = &s->all[size][FETCHES];
	bool gone[TLB_LEVELS] = { false };
	int error = 0;

	for (int i = 0; !error && i < TLB_LEVELS; i++)
		error = match_fetches(s, size, i, gone, f);
	for (int i = 0; tlb_has_views(fetches) && i < TLB_LEVELS; i++)
		if (!gone[i])
			tlb_report_level(s, fetches, i, "instruction");
	return error;
}

static void note_shared(struct tlb_result *t, uint64_t page_bytes)
{
	if (t && t->shared_count < MACHINE_PAGE_SIZES)
		t->shared_page_bytes[t->shared_count++] = page_bytes;
}

int tlb_match_sizes(struct tlb_survey *s, size_t i, size_t j, struct failure *f)
{
	int error = 0;

	for (int level = 0; !error && level < TLB_LEVELS; level++) {
		struct tlb_array a = { &s->all[i][LOADS], level };
		struct tlb_array b = { &s->all[j][LOADS], level };
		enum tlb_sharing sharing;

		if (!tlb_is_measurable(s, a.tlbs, level) ||
		    !tlb_is_measurable(s, b.tlbs, level))
			continue;
		error = tlb_find_shared(a, b, s->p, s->cache, &sharing, f);
		if (error || sharing != TLB_SHARED)
			continue;
		note_shared(tlb_result_of(s, a), b.tlbs->page_bytes);
		note_shared(tlb_result_of(s, b), a.tlbs->page_bytes);
	}
	return error;
}

int tlb_report_coalesced(struct tlb_survey *s, struct failure *f)
{
	struct tlb_hierarchy *tlbs = &s->all[0][LOADS];
	struct tlb_result *t;

	if (!tlb_is_measurable(s, tlbs, 0))
		return 0;
	t = tlb_result_of(s, (struct tlb_array){ tlbs, 0 });
	return t ? tlb_find_coalesced(tlbs, s->p, s->cache, &t->coalesced_pages,
				      &t->entries, f) :
		   0;
}
