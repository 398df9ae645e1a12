// SPDX-License-Identifier: GPL-2.0
/* sets.c - looks at single sets: how many pages each keeps, and how many fit. */
#include <math.h>

#include "method/accessed/search.h"

/* More pages than there are ways, also where others hold some of these. */
static struct kept_shape column_shape(const struct accessed_search *s,
				      double pages)
{
	const double rows = fmin(ceil(pages) + 1, COLUMN_PAGES);

	return (struct kept_shape){ .rows = (uint64_t)rows,
				    .columns = s->columns,
				    .stride = s->stride };
}

/* @pages: of each set */
int accessed_look_at_sets(struct accessed_search *s, double pages,
			  struct failure *f)
{
	const struct kept_shape w = column_shape(s, pages);
	struct prober *p = s->v->prober;

	if (!p->m->clearing_disturbs)
		return 0;
	for (int i = 0; i < COLUMN_TESTS; i++)
		if (!budget_draw(&p->budget, p->rules.alpha))
			return 0;
	p->tests += COLUMN_TESTS;
	return column_look(s->v, &w, &s->looks, f);
}

static int fit_pages(struct accessed_search *s, unsigned int pages,
		     struct failure *f)
{
	const struct kept_shape w = { .rows = pages,
				      .columns = s->columns,
				      .stride = s->stride };

	return column_fit(s->v, &w, &s->fit[pages], f);
}

static bool is_possible(const struct accessed_search *s, unsigned int ways)
{
	return accessed_is_known(ways) && !accessed_is_exceeded(s, ways) &&
	       accessed_is_only_one(s, &s->all, ways * s->a->sets);
}

/* Code would have to be written anew for each set. */
static bool can_fit(const struct accessed_search *s)
{
	return s->v->prober->m->clearing_disturbs && s->v->kind == TOUCH_LOADS;
}

int accessed_try_one_more(struct accessed_search *s, unsigned int ways,
			  struct failure *f)
{
	int error;

	if (!can_fit(s) || ways > FIT_MOST)
		return 0;
	error = fit_pages(s, ways + 1, f);
	/* How often that is too often depends on how often one page less fits. */
	return error || !s->fit[ways + 1] ? error : fit_pages(s, ways, f);
}

/* As many pages of a set as there may be ways, and one more. */
static int try_all(struct accessed_search *s, struct failure *f)
{
	int error = 0;

	for (unsigned int n = 1; !error && n <= FIT_MOST + 1; n++)
		if (is_possible(s, n) || is_possible(s, n - 1))
			error = fit_pages(s, n, f);
	return error;
}

/*
 * Where looks show a number, only what refutes it is tried: if there are more ways, more
 * pages fit.
 */
int accessed_try_fits(struct accessed_search *s, struct failure *f)
{
	bool shown = false;
	int error = 0;

	if (!can_fit(s))
		return 0;
	for (unsigned int n = 1; !error && n <= FIT_MOST; n++) {
		if (!is_possible(s, n) || !accessed_allows(s, n))
			continue;
		shown = true;
		error = accessed_try_one_more(s, n, f);
	}
	return error || shown ? error : try_all(s, f);
}
