// SPDX-License-Identifier: GPL-2.0
/*
 * last.c - the last arrays by accessed bits. Where both are known, time has to agree.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/probe/time_limit.h"
#include "method/tlb/last.h"
#include "method/tlb/survey.h"
#include "method/tlb/tuning.h"

/* No first-level array is known to have as many (Golden Cove: 256 for code). */
#define LEAST_BELOW 512
/* No second array is known to have fewer times as many entries as the first one (4). */
#define LEAST_RATIO 2
#define NS_PER_MS 1e6

static const char *const types[SIDES] = { "data", "instruction" };

/**
 * struct last - the last arrays of one page size
 * @s: the survey
 * @page_bytes: page size
 * @views: pages for loads, and for fetches; view NULL: none
 * @arrays: what accessed bits show of each
 * @policies: of these that were found
 * @shared: compact: both are one; non-compact: they are two
 * @bound: error of that
 * @ended: -errno of what ended the search for policies; 0: nothing did
 */
struct last {
	struct tlb_survey *s;
	uint64_t page_bytes;
	struct kept_view views[SIDES];
	struct accessed_array arrays[SIDES];
	struct policy_finding policies[SIDES];
	enum verdict shared;
	double bound;
	int ended;
};

/* --- what accessed bits show --------------------------------------------- */

/* The result that is farthest from the core; NULL: there is none. */
static struct tlb_result *last_result(struct last *l, int side)
{
	struct tlb_result *last = NULL;

	for (size_t i = 0; i < l->s->h->tlb_count; i++) {
		struct tlb_result *t = &l->s->h->tlbs[i];

		if (t->page_bytes == l->page_bytes &&
		    (!strcmp(t->type, types[side]) ||
		     !strcmp(t->type, "unified")) &&
		    (!last || t->level > last->level))
			last = t;
	}
	return last;
}

static const struct tlb_result *first_result(const struct last *l, int side)
{
	for (size_t i = 0; i < l->s->h->tlb_count; i++) {
		const struct tlb_result *t = &l->s->h->tlbs[i];

		if (t->page_bytes == l->page_bytes && t->level == 1 &&
		    !strcmp(t->type, types[side]))
			return t;
	}
	return NULL;
}

static double entries_above(const struct last *l, int side)
{
	const struct tlb_result *t = first_result(l, side);

	return t && parameter_is_measured(&t->entries) ? t->entries.value : 0;
}

/* Where others disturb without end, a search would be worth nothing, and last. */
static int find_array(struct last *l, int side, struct failure *f)
{
	struct accessed_array *a = &l->arrays[side];
	struct prober *p = l->s->p;
	struct time_limit before;
	int error;

	if (!l->views[side].view)
		return 0;
	l->views[side].above = entries_above(l, side);
	time_limit_set(p,
		       p->m->clearing_disturbs ? LAST_MS * NS_PER_MS : INFINITY,
		       &before);
	error = accessed_find_array(&l->views[side], a, f);
	if (!time_limit_ended(p, &before, error))
		return error;
	a->found = a->ways_found = false;
	snprintf(a->reason, sizeof(a->reason),
		 "time-limit: undecided after %d s of other load",
		 LAST_MS / 1000);
	return 0;
}

/* A row that is much longer than what is kept of few pages would be needless. */
static double fewest(const struct last *l)
{
	double kept[SIDES];

	for (int side = 0; side < SIDES; side++) {
		kept[side] = l->arrays[side].kept.middle;
		if (!(kept[side] > 0))
			kept[side] = LEAST_BELOW;
	}
	return fmin(kept[LOADS], kept[FETCHES]);
}

static int find_shared(struct last *l, struct failure *f)
{
	const struct budget *b = &l->s->p->budget;
	const double before = b->alpha_drawn;
	int error = 0;

	if (l->views[FETCHES].view && l->shared == VERDICT_UNDECIDED)
		error = accessed_find_shared(&l->views[FETCHES], fewest(l),
					     &l->shared, f);
	l->bound += budget_bound(b, before);
	return error;
}

/* What loads and fetches share is measured by loads. */
static int find_arrays(struct last *l, struct failure *f)
{
	struct prober *p = l->s->p;
	int error = find_array(l, LOADS, f);

	if (!error)
		error = tlb_last_ask_time(l->s, &l->views[LOADS],
					  &l->arrays[LOADS], f);
	if (!error)
		error = find_shared(l, f);
	if (!error && l->shared != VERDICT_COMPACT)
		error = find_array(l, FETCHES, f);
	if (!error)
		error = find_shared(l, f);
	if (!error)
		p->m->ops->pause(p->m, LAST_LOOK_MS);
	for (int side = 0; !error && side < SIDES; side++)
		if (l->arrays[side].found)
			error = accessed_look_later(&l->views[side],
						    &l->arrays[side], f);
	return error;
}

/* Most entries of an array above; 0: what was found has none above it. */
static size_t most_above(struct last *l, int side)
{
	const struct tlb_result *t = last_result(l, side);
	const double above = entries_above(l, side);

	if (t && t->level == 1 && parameter_is_measured(&t->entries) &&
	    t->entries.value == l->arrays[side].entries)
		return 0;
	return above > 0 ? (size_t)above : LEAST_BELOW;
}

static int find_policies(struct last *l, struct failure *f)
{
	int error = 0;

	prober_progress(l->s->p, "replacement policies of these TLBs");
	for (int side = 0; !error && side < SIDES; side++)
		if (l->arrays[side].ways_found)
			error = accessed_find_policy(&l->views[side],
						     &l->arrays[side],
						     most_above(l, side),
						     &l->policies[side], f);
	return error;
}

static int open_views(struct last *l, struct failure *f)
{
	struct prober *p = l->s->p;
	struct failure why = { .text = "" };
	int error =
		kept_view_open(&l->views[LOADS], p, l->page_bytes, false, f);

	if (error || !p->m->view_executable)
		return error;
	if (kept_view_open(&l->views[FETCHES], p, l->page_bytes, true, &why))
		machine_note(p->m, "last TLB of code by accessed bits: %s",
			     why.text);
	return 0;
}

static int measure(struct last *l, struct failure *f)
{
	int error = open_views(l, f);

	if (!error)
		error = find_arrays(l, f);
	if (!error)
		l->ended = find_policies(l, f);
	for (int side = 0; side < SIDES; side++)
		kept_view_close(&l->views[side]);
	return error;
}

/* --- results ------------------------------------------------------------- */

/* Whether more is kept than the array has that is last by time. */
static bool lies_below(const struct accessed_array *a,
		       const struct tlb_result *t)
{
	const double least = a->found ? a->entries : a->kept.low / LEAST_RATIO;

	return t && parameter_is_measured(&t->entries) ?
		       least > t->entries.value :
		       least >= LEAST_BELOW;
}

/*
 * The result that an array belongs to. What is last by time may lie above it; an array
 * that nothing is known of may be the first, unless it is too large for that.
 */
static struct tlb_result *result_for(struct last *l, int side)
{
	const struct accessed_array *a = &l->arrays[side];
	struct tlb_result *t = last_result(l, side);

	if (t && t->level > 1)
		return t;
	if (lies_below(a, t))
		return hierarchy_add_tlb(l->s->h, 2, types[side],
					 l->page_bytes);
	return a->found && t && parameter_is_measured(&t->entries) ? t : NULL;
}

static struct tlb_result *report_array(struct last *l, int side)
{
	const struct accessed_array *a = &l->arrays[side];
	struct tlb_result *t = result_for(l, side);

	if (!a->found && t && l->s->p->m->clearing_disturbs)
		tlb_last_doubt(t, a);
	if (!a->found)
		tlb_last_add_reason(t ? t : last_result(l, side), a);
	else if (t)
		tlb_last_give(t, a, &l->policies[side]);
	return t;
}

/*
 * What a miss of the first array costs is what a hit in this one takes, if the pages
 * that miss there fit here. They are as far apart as that array has sets, and use no
 * fewer than one set here for each such distance.
 */
static void give_latency(struct last *l)
{
	struct tlb_result *t = last_result(l, LOADS);
	const struct tlb_result *first = first_result(l, LOADS);
	const struct accessed_array *a = &l->arrays[LOADS];

	if (!t || t->level != 2 || !first ||
	    parameter_is_measured(&t->latency_cycles) ||
	    !parameter_is_measured(&first->entries) ||
	    !parameter_is_measured(&first->miss_cycles) ||
	    first->index == INDEX_HASHED)
		return;
	if (TLB_ALL_MISSING * first->ways.value * first->sets.value <=
	    a->kept.low)
		t->latency_cycles = first->miss_cycles;
}

static void leave_sharing(struct tlb_result *t, const char *by_time,
			  const char *by_bits)
{
	char reason[128];

	snprintf(reason, sizeof(reason),
		 "loads and fetches: %s by time, %s by accessed bits", by_time,
		 by_bits);
	tlb_last_leave(t, reason);
}

static void remove_result(struct hierarchy *h, struct tlb_result *t)
{
	size_t after = (size_t)(&h->tlbs[h->tlb_count] - (t + 1));

	memmove(t, t + 1, after * sizeof(*t));
	h->tlb_count--;
}

/*
 * One array of unknown size may be the first one. If time has found two of those, it
 * lies below.
 */
static void report_below(struct last *l, const struct tlb_result *code)
{
	struct tlb_result *t;

	if (!code || code->level > 1 || !parameter_is_measured(&code->entries))
		return;
	t = hierarchy_add_tlb(l->s->h, 2, "unified", l->page_bytes);
	if (t)
		tlb_last_add_reason(t, &l->arrays[LOADS]);
}

/* Time may not have decided what fetches see of an array of loads. */
static void report_shared(struct last *l)
{
	const struct accessed_array *a = &l->arrays[LOADS];
	struct tlb_result *data = report_array(l, LOADS);
	struct tlb_result *code;

	if (!data)
		data = last_result(l, LOADS);
	code = last_result(l, FETCHES);
	if (!data || data == code)
		return;
	if (!a->found && data->level == 1) {
		report_below(l, code);
	} else if (!code || code->level < data->level) {
		data->type = "unified";
	} else if (parameter_is_measured(&code->entries)) {
		leave_sharing(code, "two arrays", "one");
	} else {
		remove_result(l->s->h, code);
		last_result(l, LOADS)->type = "unified";
	}
}

static void report_apart(struct last *l)
{
	struct tlb_result *data = report_array(l, LOADS);
	struct tlb_result *code;

	if (!data)
		data = last_result(l, LOADS);
	if (data && !strcmp(data->type, "unified")) {
		leave_sharing(data, "one array", "two");
		return;
	}
	code = report_array(l, FETCHES);
	if (code || !data || data->level < 2)
		return;
	code = last_result(l, FETCHES);
	if (code && code->level > 1)
		return;
	code = hierarchy_add_tlb(l->s->h, data->level, types[FETCHES],
				 l->page_bytes);
	if (code)
		parameter_undecided(&code->entries, TLB_LAST_METHOD, "%s",
				    l->arrays[FETCHES].reason);
}

/* Results of fetches belong to an array of their own, or to that of loads. */
static void report(struct last *l)
{
	if (l->shared == VERDICT_COMPACT)
		report_shared(l);
	else if (l->shared == VERDICT_NON_COMPACT)
		report_apart(l);
	else
		report_array(l, LOADS);
	give_latency(l);
}

int tlb_measure_last(struct tlb_survey *s, size_t size, struct failure *f)
{
	struct last l = { .s = s,
			  .page_bytes = s->p->m->view_page_bytes[size] };
	struct failure why = { .text = "" };
	int error;

	if (!s->p->m->accessed_bits)
		return 0;
	prober_progress(s->p, "last TLBs of %llu KiB pages by accessed bits",
			(unsigned long long)(l.page_bytes >> 10));
	error = measure(&l, &why);
	if (error == -EINTR)
		return error;
	if (!error)
		report(&l);
	/* Larger pages are not to be had everywhere. */
	else if (!size)
		machine_note(s->p->m, "last TLB by accessed bits: %s",
			     why.text);
	(void)f;
	return l.ended == -EINTR ? -EINTR : 0;
}
