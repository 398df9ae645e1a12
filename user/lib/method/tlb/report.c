// SPDX-License-Identifier: GPL-2.0
/* report.c - findings about arrays become results. */
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
