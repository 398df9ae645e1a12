// SPDX-License-Identifier: GPL-2.0
/* evset.c - a level whose index no stride follows. */

#include "method/evset/evset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/evset/members.h"
#include "method/evset/minimal/cluster_pools.h"
#include "method/evset/minimal/minimal.h"
#include "method/evset/stages.h"
#include "method/evset/tuning.h"
#include "method/index/find.h"
#include "method/level/host_pages.h"
#include "method/probe/time_limit.h"

/* Attempts at each stage, by time, each with another set. In splintered pages
 * there is one attempt more, soon after the first one.
 */
#define STAGES 3
/* After this no stage is begun again: ten seconds of an uncontended machine. */
#define MOST_TESTS 150000
#define SETS_RENEWED 4

/* An inclusive level that loses a line takes it from the levels above, too:
 * unless the number of sets is known, its ways are not distinguished from those
 * above. In pages of a guest the number is seldom known, and lines are seldom
 * so far apart that they share a set below, too.
 */
static bool must_have_sets(const struct evset_machine *e)
{
	const struct xray *x = e->x;

	return !x->upper_count ||
	       (e->window.contiguous && !x->prober->m->virtual_machine);
}

static void withdraw_ways(struct evset_found *r)
{
	snprintf(
		r->reason, sizeof(r->reason),
		"%zu, or those of an inclusive level below: the sets are not known",
		(size_t)r->ways);
	r->ways = 0;
}

static int measure_line(struct evset_machine *e, struct evset_found *r,
			struct failure *f)
{
	return evset_measure_line(e, &r->set, &r->line_bytes, r->line_reason,
				  sizeof(r->line_reason), f);
}

static int measure_sets(struct evset_machine *e, struct evset_found *r,
			struct failure *f)
{
	struct evset_count *c = &r->count;

	c->set = &r->set;
	c->line_bytes = r->line_bytes;
	c->agreed = r->agreed;
	c->agreed_count = EVSET_AGREED;
	c->costly = r->costly;
	return evset_measure_sets(e, c, f);
}

/* Another set with as many ways, which may be uncontended. */
static int renew_set(struct evset_machine *e, struct evset_found *r,
		     struct failure *f)
{
	struct evset_set set = { .count = 0 };
	int error = 0;

	for (int i = 0; !error && set.count != r->set.count && i < SETS_RENEWED;
	     i++)
		error = evset_find(e, &set, f);
	r->found_ns = time_limit_now_ns(e->x->prober);
	if (!error && set.count == r->set.count)
		r->set = set;
	return error;
}

/* A neighbour that made a set smaller for a while has gone later: then its
 * lines fit. Another set may be uncontended.
 */
static int check_later(struct evset_machine *e, struct evset_found *r,
		       struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED;
	int error = 0;

	for (int i = 0;
	     !error && verdict != VERDICT_NON_COMPACT && i < LATER_LOOKS; i++) {
		if (i)
			error = renew_set(e, r, f);
		prober_progress(e->x->prober, "L%zu: a later look",
				e->x->upper_count + 1);
		time_limit_wait(e->x->prober, r->found_ns, LATER_MS);
		if (!error)
			error = evset_ask_set(&e->o, &r->set, r->set.lines,
					      r->set.count, true, &verdict, f);
	}
	if (error == -EAGAIN) {
		error = 0;
		verdict = VERDICT_UNDECIDED;
	}
	if (!error && verdict == VERDICT_COMPACT)
		evset_withdraw(
			r,
			"a minimal set was none later: others keep lines there");
	else if (!error && verdict == VERDICT_UNDECIDED)
		evset_withdraw(r, "too noisy to check a minimal set later");
	return error;
}

/* By time, the level may be contended for a while. */
static int patiently(struct evset_machine *e, struct evset_found *r,
		     int (*stage)(struct evset_machine *e,
				  struct evset_found *r, struct failure *f),
		     const uint64_t *value, struct failure *f)
{
	struct machine *m = e->x->prober->m;
	int error = stage(e, r, f);

	for (int i = e->window.splintered ? 0 : 1; !*value && i < STAGES; i++) {
		if (xray_counter(e->x) || (error && error != -EAGAIN) ||
		    e->o.tests > MOST_TESTS)
			break;
		m->ops->pause(m, i ? STAGES_PAUSE_MS : FIRST_PAUSE_MS);
		evset_allow(e);
		error = r->ways ? renew_set(e, r, f) : 0;
		if (!error)
			error = stage(e, r, f);
	}
	return error;
}

/* The masks give as many sets as were counted, and predict fresh lines: it is a
 * hash.
 */
static bool masks_say_all(const struct evset_found *r)
{
	const struct index_function *m = &r->function;

	return m->kind == INDEX_HASHED && !m->nonlinear && m->rank &&
	       m->rank < 64 && r->count.sets == UINT64_C(1) << m->rank;
}

/* If masks distinguish more sets than there are, neither masks nor sets nor
 * ways are known.
 */
static void contradict_sets(struct evset_found *r)
{
	const size_t rank = r->function.rank;
	const uint64_t sets = r->count.sets;

	index_check_sets(&r->function, sets);
	if (rank == r->function.rank)
		return;
	r->count.sets = 0;
	r->count.index = INDEX_UNKNOWN;
	withdraw_ways(r);
	snprintf(
		r->count.reason, sizeof(r->count.reason),
		"%llu fit, but %zu masks came out, which would distinguish more",
		(unsigned long long)sets, rank);
}

/* The set, or one of a level above, may be contended. */
static int ask_index(struct evset_machine *e, struct evset_found *r,
		     struct failure *f)
{
	const size_t pairs = e->x->prober->mask_pairs;
	int error = index_of_level(e, &r->set, r->line_bytes, pairs,
				   &r->function, f);

	for (int i = 1; !error && r->function.unanswered && i < INDEX_SETS;
	     i++) {
		evset_allow(e);
		error = renew_set(e, r, f);
		if (!error)
			error = index_of_level(e, &r->set, r->line_bytes, pairs,
					       &r->function, f);
	}
	return error;
}

/* If this is too noisy, the rest stays known. */
static int measure_index(struct evset_machine *e, struct evset_found *r,
			 struct failure *f)
{
	const struct machine *m = e->x->prober->m;
	int error;

	if (r->count.page_masks.rank || r->count.page_masks.reason[0]) {
		r->function = r->count.page_masks;
		contradict_sets(r);
		return 0;
	}
	if (m->virtual_machine && !r->count.linear && e->window.splintered) {
		snprintf(
			r->function.reason, sizeof(r->function.reason),
			"pieces of 4 KiB of a page need translations of their own: the host has pages as small, and what address bits from 12 on do cannot be known");
		return 0;
	}
	if (m->virtual_machine && !r->count.linear) {
		snprintf(
			r->function.reason, sizeof(r->function.reason),
			"the index is not linear in pages of %llu KiB: they may not be contiguous in the host",
			(unsigned long long)e->window.block_bytes / 1024);
		return 0;
	}
	evset_allow(e);
	prober_progress(e->x->prober, "L%zu: index function",
			e->x->upper_count + 1);
	error = ask_index(e, r, f);
	if (error == -EAGAIN || error == -ERANGE) {
		r->function =
			(struct index_function){ .reason =
							 "too noisy to go on" };
		error = 0;
	}
	contradict_sets(r);
	if (r->count.index == INDEX_UNKNOWN && masks_say_all(r))
		r->count.index = INDEX_HASHED;
	return error;
}

/* Lines for methods that open the set later. */
static int collect_lines(struct evset_machine *e, struct evset_found *r,
			 struct failure *f)
{
	const struct index_function unknown = { .rank = 0 };
	/* Masks are of addresses that are not known of other pages. */
	const bool by_masks = e->window.contiguous &&
			      !e->x->prober->m->virtual_machine;
	int error;

	evset_allow(e);
	error = evset_collect(e, &r->set, by_masks ? &r->function : &unknown,
			      r->lines, RESULT_SET_LINES, &r->line_count, f);
	return error == -EAGAIN ? 0 : error;
}

/*
 * More lines than ways, which all share a set of the level above, too, and fill
 * it. An exclusive level has room for the lines that are up there, whatever the
 * policies are; any other level that admits them has not.
 */
static int add_above(struct evset_machine *e, struct evset_found *r,
		     struct failure *f)
{
	const struct xray *x = e->x;
	size_t above = x->upper_count ? x->upper[x->upper_count - 1].ways : 0;
	size_t count = r->ways + (3 * above + 3) / 4;
	enum verdict verdict = VERDICT_UNDECIDED;
	int error;

	if (!above || count > r->line_count)
		return 0;
	evset_allow(e);
	error = evset_ask(&e->o, r->lines, count, true, &verdict, f);
	r->alone = verdict == VERDICT_NON_COMPACT;
	return error == -EAGAIN ? 0 : error;
}

/* The ways, the line size and the sets, as far as possible. */
static int measure_geometry(struct evset_machine *e, struct evset_found *r,
			    struct failure *f)
{
	int error = patiently(e, r, evset_measure_ways, &r->ways, f);

	r->ways_bound = evset_drawn(e, r);
	snprintf(r->line_reason, sizeof(r->line_reason), "%s", r->reason);
	snprintf(r->count.reason, sizeof(r->count.reason), "%s", r->reason);
	if (!error && r->ways)
		error = patiently(e, r, measure_line, &r->line_bytes, f);
	r->line_bound = evset_drawn(e, r);
	if (!error && r->ways && !r->line_bytes)
		snprintf(r->count.reason, sizeof(r->count.reason),
			 "the line size is not decided");
	if (!error && r->line_bytes)
		error = e->window.contiguous ? measure_sets(e, r, f) :
					       patiently(e, r, measure_sets,
							 &r->count.sets, f);
	r->sets_bound = evset_drawn(e, r);
	return error;
}

static int measure(struct evset_machine *e, struct evset_found *r,
		   struct failure *f)
{
	int error = measure_geometry(e, r, f);

	/* If the rest is too noisy, the ways stay known if they still hold. */
	if ((!error || error == -EAGAIN) && r->ways) {
		int later;

		evset_allow(e);
		later = check_later(e, r, f);
		error = later ? later : error;
	}
	if (error == -EINTR && r->ways && !evset_is_still_minimal(e, &r->set))
		evset_withdraw(r, XRAY_ENDED);
	if (!error && r->ways && r->line_bytes)
		error = measure_index(e, r, f);
	if (!error && r->ways && r->line_bytes &&
	    (r->count.index != INDEX_UNKNOWN || e->window.splintered))
		error = collect_lines(e, r, f);
	if (!error)
		error = add_above(e, r, f);
	return error;
}

int evset_measure(struct xray *x, struct cache_result *c, uint64_t seen_bytes,
		  struct failure *f)
{
	struct evset_found r = { .drawn_before =
					 x->prober->budget.alpha_drawn };
	struct evset_machine e;
	bool possible;
	int error = 0;

	if (x->upper_count)
		error = host_pages_measure(x->prober, &x->upper[0], f);
	if (error)
		return error;
	evset_machine_begin(&e, x, &possible);
	if (!possible)
		return 0;
	prober_progress(x->prober, "L%zu: eviction sets", x->upper_count + 1);
	error = measure(&e, &r, f);
	evset_cluster_pools_end(&e);
	if (error == -ERANGE || error == -EAGAIN || error == -EINTR) {
		char why[TIME_LIMIT_WHY_BYTES];

		if (error == -EINTR)
			time_limit_why(x->prober, why, sizeof(why));
		else
			snprintf(why, sizeof(why), "%s",
				 error == -ERANGE ? "too little memory" :
						    "too noisy to go on");
		evset_say_undecided(&r, why);
		error = error == -EINTR ? error : 0;
	}
	/* Contention makes a level look smaller, never larger. */
	if (r.count.sets && r.ways * r.line_bytes * r.count.sets < seen_bytes)
		evset_withdraw(&r,
			       "it held more before: others keep lines there");
	if (r.ways && !r.count.sets && must_have_sets(&e))
		withdraw_ways(&r);
	x->reference.penalty_ticks = e.scale.penalty;
	/* An interrupted run reports what is known. */
	if (!error || error == -EINTR)
		evset_report(&e, &r, c);
	return error;
}
