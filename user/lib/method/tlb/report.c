// SPDX-License-Identifier: GPL-2.0
/*
 * report.c - findings about arrays become results, and which of these are one: of loads
 * and fetches, and of two page sizes.
 */
#include <stdio.h>

#include "method/tlb/survey.h"

#define METHOD "x-ray"

struct tlb_result *tlb_result_of(struct tlb_survey *s, struct tlb_array a)
{
	int at = a.tlbs->levels[a.level].result;

	return at < 0 ? NULL : &s->h->tlbs[at];
}

bool tlb_has_views(const struct tlb_hierarchy *tlbs)
{
	return tlbs->page_bytes != 0;
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

/* A hypervisor may splinter pages that the guest's system left whole. */
static bool may_be_splintered(const struct tlb_survey *s,
			      const struct tlb_hierarchy *tlbs)
{
	return s->p->m->virtual_machine && !tlbs->whole &&
	       tlbs->page_bytes > s->p->m->view_page_bytes[0];
}

static void set_effective(struct tlb_result *t,
			  const struct tlb_hierarchy *tlbs,
			  const struct tlb_geometry *g)
{
	char reason[200];

	if (tlbs->splintered_bytes)
		snprintf(
			reason, sizeof(reason),
			"splintered: pieces of %llu KiB of one page need translations of their own (no array for such pages, or a hypervisor with smaller ones)",
			(unsigned long long)(tlbs->splintered_bytes >> 10));
	else
		snprintf(
			reason, sizeof(reason),
			"virtual machine: whether the hypervisor has pages as large is unknown");
	set_open(t, g->found || tlbs->splintered_bytes ? reason : g->reason);
	if (g->found)
		parameter_measured(&t->effective_entries, (double)g->entries,
				   g->bound, METHOD);
}

void tlb_report_level(struct tlb_survey *s, struct tlb_hierarchy *tlbs,
		      int number, const char *type)
{
	struct tlb_level *level = &tlbs->levels[number];
	const struct tlb_geometry *g = &level->geometry;
	struct tlb_result *t;

	/* The first level is always reported, if only as undecided. */
	if (!level->tried || (number && g->absent))
		return;
	t = hierarchy_add_tlb(s->h, number + 1, type, tlbs->page_bytes);
	if (!t)
		return;
	level->result = (int)(t - s->h->tlbs);
	t->latency_cycles = level->latency;
	t->miss_cycles = level->miss;
	if (tlbs->splintered_bytes || may_be_splintered(s, tlbs))
		set_effective(t, tlbs, g);
	else if (g->found)
		set_found(t, g);
	else
		set_open(t, g->reason);
}

bool tlb_is_measurable(const struct tlb_survey *s,
		       const struct tlb_hierarchy *tlbs, int level)
{
	return tlb_has_views(tlbs) && !tlbs->splintered_bytes &&
	       !may_be_splintered(s, tlbs) && tlbs->levels[level].tried &&
	       tlbs->levels[level].geometry.found;
}

/*
 * Without the geometry of the first cache, words cannot be laid out such that
 * they hit there.
 */
void tlb_report_unknown_cache(struct tlb_survey *s)
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
