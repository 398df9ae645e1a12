// SPDX-License-Identifier: GPL-2.0
/* last_result.c - what accessed bits show of an array as parameters of its result. */
#include <stdio.h>
#include <string.h>

#include "method/tlb/last.h"

#define METHOD TLB_LAST_METHOD
#define POLICY_METHOD "simulate and compare"

static void leave_both(struct parameter *p, const char *what, double by_bits)
{
	if (parameter_is_measured(p))
		parameter_undecided(p, METHOD,
				    "%s: %g by time, %g by accessed bits", what,
				    p->value, by_bits);
}

static void set_array(struct tlb_result *t, const struct accessed_array *a)
{
	parameter_measured(&t->entries, a->entries, a->bound, METHOD);
	if (!a->ways_found)
		return;
	parameter_measured(&t->ways, a->ways, a->bound, METHOD);
	parameter_measured(&t->sets, a->sets, a->bound, METHOD);
	parameter_measured(&t->index_decision, 0, a->bound, METHOD);
	t->index = a->index;
}

static bool is_named(const struct policy_finding *found)
{
	return found->kind == POLICY_KNOWN || found->kind == POLICY_RANDOMISED;
}

static void set_policy(struct tlb_result *t, const struct policy_finding *found)
{
	struct parameter *p = &t->policy_decision;

	if (!is_named(found)) {
		parameter_undecided(p, POLICY_METHOD, "%s",
				    found->reason[0] ?
					    found->reason :
				    found->kind == POLICY_UNDECIDED ?
					    "not reached" :
					    "none of the known ones");
		p->by = METHOD;
		return;
	}
	parameter_measured(p, 0, found->answer_bound, POLICY_METHOD);
	p->by = METHOD;
	t->policy_count = found->name_count;
	memcpy(t->policies, found->names, sizeof(t->policies));
}

static bool agrees(const struct tlb_result *t, const struct accessed_array *a)
{
	return t->entries.value == a->entries &&
	       (!parameter_is_measured(&t->ways) || !a->ways_found ||
		t->ways.value == a->ways);
}

/*
 * Nothing that takes entries makes more pages to be kept, but a search by time then finds
 * fewer of them: 2,560 of a Zen 4's 3,072.
 */
static bool is_refuted(const struct tlb_result *t,
		       const struct accessed_array *a)
{
	return t->entries.value < a->least;
}

/* Both decided, and differently: one of them is wrong. */
static void compare(struct tlb_result *t, const struct accessed_array *a)
{
	if (agrees(t, a))
		return;
	if (is_refuted(t, a)) {
		set_array(t, a);
		return;
	}
	leave_both(&t->entries, "entries", a->entries);
	leave_both(&t->ways, "ways", a->ways);
	leave_both(&t->sets, "sets", a->sets);
	parameter_undecided(&t->index_decision, METHOD, "%s",
			    t->entries.reason);
	t->index = INDEX_UNKNOWN;
}

void tlb_last_give(struct tlb_result *t, const struct accessed_array *a,
		   const struct policy_finding *policy)
{
	if (parameter_is_measured(&t->entries))
		compare(t, a);
	else
		set_array(t, a);
	if (a->ways_found && agrees(t, a))
		set_policy(t, policy);
}

void tlb_last_leave(struct tlb_result *t, const char *reason)
{
	struct parameter *all[] = { &t->entries, &t->ways, &t->sets,
				    &t->index_decision, &t->policy_decision };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		parameter_undecided(all[i], METHOD, "%s", reason);
	t->index = INDEX_UNKNOWN;
}

void tlb_last_doubt(struct tlb_result *t, const struct accessed_array *a)
{
	char reason[sizeof(t->entries.reason)];

	if (t->level < 2 || !parameter_is_measured(&t->entries) ||
	    !a->reason[0])
		return;
	snprintf(reason, sizeof(reason),
		 "%.0f entries by time; by accessed bits: %.160s",
		 t->entries.value, a->reason);
	tlb_last_leave(t, reason);
}

void tlb_last_add_reason(struct tlb_result *t, const struct accessed_array *a)
{
	char by_time[sizeof(t->entries.reason)];

	if (!t || parameter_is_measured(&t->entries) || !a->reason[0])
		return;
	if (t->entries.status != PARAMETER_UNDECIDED) {
		tlb_last_leave(t, a->reason);
		return;
	}
	snprintf(by_time, sizeof(by_time), "%s", t->entries.reason);
	parameter_undecided(&t->entries, METHOD,
			    "%.90s; by accessed bits: %.140s", by_time,
			    a->reason);
}
