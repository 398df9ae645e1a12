// SPDX-License-Identifier: GPL-2.0
/* shared.c - do fetches find the translations that loads have entered? */
#include <errno.h>
#include <math.h>

#include "method/accessed/array.h"
#include "method/accessed/tuning.h"

/* Few of the pages, so that what takes entries meanwhile finds free ones. */
#define PART 4
#define MOST_PAGES 256
#define LEAST_PAGES 16
#define TRIALS 24
/* Of these, where something disturbs a few. */
#define MOST (TRIALS * 3 / 4)
/*
 * If both are one, nearly all are kept; if not, next to none. What lies between
 * speaks for neither.
 */
#define KEPT 0.75
#define LOST 0.25

/* Disturbed trials are left out; more of them than this are no trials. */
#define MOST_DISTURBED (3 * TRIALS * (TRIAL_PATIENCE - 1))

/* Trials of a kind in which next to all pages are kept, and next to none. */
struct votes {
	int kept;
	int lost;
};

static void count(struct votes *v, double share)
{
	v->kept += share >= KEPT;
	v->lost += share <= LOST;
}

/**
 * struct sharing - trials under way
 * @v: the pages
 * @pages: of each trial
 * @next: the first page that none has touched
 * @disturbed: trials that say nothing
 */
struct sharing {
	const struct kept_view *v;
	uint64_t pages;
	uint64_t next;
	int disturbed;
};

static int take(struct sharing *s, enum touch_kind before,
		enum touch_kind after, struct votes *v, struct failure *f)
{
	double share;
	int error;

	do {
		error = kept_across(s->v, s->next, s->pages, before, after,
				    &share, f);
		s->next += s->pages;
	} while (error == -EAGAIN && s->disturbed++ < MOST_DISTURBED);
	if (!error)
		count(v, share);
	return error;
}

/*
 * Pages that were kept were not walked for, whatever disturbs: if there are two arrays,
 * none of the trials across keeps them. Disturbance loses them, in fewer than half of
 * the trials where controls say so; if there is one array, all trials across would
 * have to be disturbed to look like two.
 */
static enum verdict judge(const struct votes *loads,
			  const struct votes *fetches,
			  const struct votes *across)
{
	if (loads->kept < MOST || fetches->kept < MOST)
		return VERDICT_UNDECIDED;
	if (across->kept >= MOST)
		return VERDICT_COMPACT;
	return across->lost == TRIALS ? VERDICT_NON_COMPACT : VERDICT_UNDECIDED;
}

int accessed_find_shared(const struct kept_view *v, double entries,
			 enum verdict *verdict, struct failure *f)
{
	const double alpha = pow(0.5, TRIALS);
	struct votes loads = { 0 }, fetches = { 0 }, across = { 0 };
	struct sharing s = { .v = v, .pages = (uint64_t)(entries / PART) };
	struct prober *p = v->prober;
	int error = 0;

	*verdict = VERDICT_UNDECIDED;
	if (s.pages > MOST_PAGES)
		s.pages = MOST_PAGES;
	if (s.pages < LEAST_PAGES || !budget_draw(&p->budget, alpha))
		return 0;
	/* In turns, so that what disturbs one kind disturbs all. */
	for (int i = 0; !error && i < TRIALS; i++) {
		error = take(&s, TOUCH_LOADS, TOUCH_LOADS, &loads, f);
		if (!error)
			error = take(&s, TOUCH_FETCHES, TOUCH_FETCHES, &fetches,
				     f);
		if (!error)
			error = take(&s, TOUCH_LOADS, TOUCH_FETCHES, &across,
				     f);
	}
	if (error)
		return error == -EAGAIN || error == -ERANGE ? 0 : error;
	p->tests++;
	*verdict = judge(&loads, &fetches, &across);
	return 0;
}
