// SPDX-License-Identifier: GPL-2.0
/* shared.c - do fetches find the translations that loads have entered? */
#include <math.h>

#include "method/accessed/array.h"
#include "method/accessed/tuning.h"

/* Few of the pages, so that what takes entries meanwhile finds free ones. */
#define PART 4
#define MOST_PAGES 256
#define LEAST_PAGES 16
#define TRIALS 24
/*
 * If both are one, nearly all are kept; if not, next to none. What lies between
 * speaks for neither.
 */
#define KEPT 0.75
#define LOST 0.25

/* Disturbed trials are left out; more of them than this are no trials. */
#define MOST_DISTURBED (TRIALS * (TRIAL_PATIENCE - 1))

static bool agree(const double *shares, bool kept)
{
	for (int i = 0; i < TRIALS; i++)
		if (kept ? shares[i] < KEPT : shares[i] > LOST)
			return false;
	return true;
}

/**
 * struct sharing - trials under way
 * @v: the pages
 * @pages: of each trial
 * @next: the first page that none has touched
 */
struct sharing {
	const struct kept_view *v;
	uint64_t pages;
	uint64_t next;
};

static int take(struct sharing *s, enum touch_kind before,
		enum touch_kind after, double *shares, struct failure *f)
{
	int found = 0, disturbed = 0, error = 0;

	while (!error && found < TRIALS && disturbed < MOST_DISTURBED) {
		error = kept_across(s->v, s->next, s->pages, before, after,
				    &shares[found], f);
		s->next += s->pages;
		disturbed += error == -EAGAIN;
		found += !error;
		if (error == -EAGAIN)
			error = 0;
	}
	return error || found == TRIALS ? error : -EAGAIN;
}

int accessed_find_shared(const struct kept_view *v, double entries,
			 enum verdict *verdict, struct failure *f)
{
	const double alpha = pow(0.5, TRIALS);
	struct prober *p = v->prober;
	double loads[TRIALS], fetches[TRIALS], across[TRIALS];
	struct sharing s = { .v = v, .pages = (uint64_t)(entries / PART) };
	int error;

	*verdict = VERDICT_UNDECIDED;
	if (s.pages > MOST_PAGES)
		s.pages = MOST_PAGES;
	if (s.pages < LEAST_PAGES || !budget_draw(&p->budget, alpha))
		return 0;
	error = take(&s, TOUCH_LOADS, TOUCH_LOADS, loads, f);
	if (!error)
		error = take(&s, TOUCH_FETCHES, TOUCH_FETCHES, fetches, f);
	if (!error)
		error = take(&s, TOUCH_LOADS, TOUCH_FETCHES, across, f);
	if (error)
		return error == -EAGAIN || error == -ERANGE ? 0 : error;
	p->tests++;
	if (!agree(loads, true) || !agree(fetches, true))
		return 0;
	if (agree(across, true))
		*verdict = VERDICT_COMPACT;
	else if (agree(across, false))
		*verdict = VERDICT_NON_COMPACT;
	return 0;
}
