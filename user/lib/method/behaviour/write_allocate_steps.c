// SPDX-License-Identifier: GPL-2.0
/*
 * write_allocate_steps.c - write-allocate of a level below one whose sets no
 * stride keeps to: is a line that no level had there after a store to it, once
 * the levels above have lost it?
 *
 * Lines that no level has are stored to, or not, and others evict them from the
 * levels above (pinned.h): they hit here then, or miss. That they hit is a sign
 * test on placements; that they miss has reasons above, so what is decided is
 * that the level has them.
 */
#include <errno.h>

#include "method/behaviour/pinned.h"
#include "method/behaviour/write_allocate.h"

#define METHOD "store and load, in steps"

static void lay(const struct pinned *k, const struct pinned_place *at,
		const struct pinned_act *act, struct pinned_steps *s)
{
	pinned_step_all(k, at, STEP_FLUSH, PINNED_X, s);
	if (act->how)
		pinned_step_all(k, at, STEP_STORE, PINNED_WORD, s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, s);
}

/* Lines that were stored to and lines that were not. */
static int vote(void *context, const struct pinned_place *at,
		struct pinned_votes *votes, struct failure *f)
{
	static const struct pinned_act acts[] = {
		{ .lay = lay, .how = true },
		{ .lay = lay, .how = false },
	};
	enum pinned_fate fates[2];
	int error = pinned_fates(context, at, acts, fates, f);

	if (!error)
		pinned_count(fates, votes);
	return error;
}

int write_allocate_by_steps(struct prober *p, const struct hierarchy *h,
			    size_t level, struct parameter *to,
			    struct failure *f)
{
	struct pinned k = { .p = p, .h = h, .level = level, .unpushed = true };
	const char *why = pinned_prepare(&k);
	struct budget_scope scope;
	struct pinned_votes votes;
	double bound;
	int error;

	if (!why && k.assumed)
		why = "what a miss costs is not known";
	if (why) {
		parameter_undecided(to, METHOD, "%s", why);
		return 0;
	}
	scope = budget_open(&p->budget);
	error = pinned_decide(&k, vote, &k, &votes, f);
	bound = budget_close(&p->budget, &scope);
	if (error && error != -ERANGE)
		return error;
	if (!(k.stray <= PINNED_STRAY))
		parameter_undecided(
			to, METHOD,
			"lines that should miss above and hit here do not all do so");
	else if (pinned_surely(&k, &votes))
		parameter_measured(to, 1, bound, METHOD);
	else
		parameter_undecided(
			to, METHOD,
			"what was stored to is not there for certain: the levels above may not have had it");
	to->by = k.scales[PINNED_HERE].counter ? "counters" : "time";
	return 0;
}
