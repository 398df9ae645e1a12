// SPDX-License-Identifier: GPL-2.0
/* list_misses.c - what part of a list misses, or of whole pages. */
#include "method/evset/oracle/list_walk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ATTEMPTS 3
#define PATIENCE 4
#define FITTING 0.35
#define NEARLY_ALL 0.9
/* A list of which a third misses into the level below takes this part of a hit
 * longer.
 */
#define FAR_FROM_HITS 0.5
/* Disturbance only adds: the fewest misses of these count. */
#define PAGE_SAMPLES 3
/* Lines of each page in a thin list. */
#define VISITS 4
#define LINES_MOST ((size_t)1 << 20)

static int least_misses(struct evset_machine *e, const uint64_t *lines,
			size_t count, double *misses, struct failure *f)
{
	int undisturbed = 0;

	*misses = INFINITY;
	for (int i = 0; i<ATTEMPTS && * misses> FITTING; i++) {
		double round = 0, hit = 0;
		int error;

		e->effort.warmup_factor = i ? PATIENCE : 1;
		error = evset_sample_list(e, lines, count, EVSET_CONTROL_PAGES,
					  &round, &hit, f);
		if (error && error != -EAGAIN)
			return error;
		undisturbed += !error;
		if (!error)
			*misses = fmin(*misses, round / (double)count);
		/* More warm-up rounds did not help. */
		if (i && *misses > NEARLY_ALL)
			break;
	}
	return undisturbed ? 0 : -EAGAIN;
}

int evset_list_misses(struct evset_machine *e, const uint64_t *lines,
		      size_t count, size_t together, double *misses,
		      struct failure *f)
{
	const size_t typical = e->o.together;
	const unsigned int patience = e->effort.warmup_factor;
	int error;

	e->o.together = together;
	error = least_misses(e, lines, count, misses, f);
	e->o.together = typical;
	e->effort.warmup_factor = patience;
	return error;
}

double evset_fitting_misses(const struct evset_machine *e, double share)
{
	if (xray_counter(e->x) || e->x->prober->m->virtual_machine)
		return share;
	return fmin(share, FAR_FROM_HITS * e->x->hit_ticks / e->scale.penalty);
}

int evset_list_misses_once(struct evset_machine *e, const uint64_t *lines,
			   size_t count, double *misses, struct failure *f)
{
	double round = 0, hit = 0;
	int error = evset_sample_list(e, lines, count, EVSET_CONTROL_SHORT,
				      &round, &hit, f);

	*misses = error ? INFINITY : round / (double)count;
	return error == -EAGAIN ? 0 : error;
}

/**
 * struct filling - whole pages, and lists of their lines
 * @pages: @count of them
 * @line_bytes: of the level
 * @lines: room for all of their lines
 */
struct filling {
	const uint64_t *pages;
	size_t count;
	uint64_t line_bytes;
	uint64_t *lines;
};

static size_t pages_together(const struct evset_machine *e)
{
	return e->o.upper_evictors ? 2 * e->o.upper_evictors : 1;
}

static size_t list_all(const struct evset_machine *e, const struct filling *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->count; i++)
		for (uint64_t at = 0; at < e->window.low_bytes;
		     at += w->line_bytes)
			w->lines[n++] = w->pages[i] + at;
	return n;
}

/* Few lines of each page, as many at one offset as evict from the sets of the
 * levels above: a translation is used again as often as when all lines are
 * walked.
 */
static size_t list_thin(const struct evset_machine *e, const struct filling *w)
{
	const size_t places = e->window.low_bytes / w->line_bytes;
	const size_t together = pages_together(e);
	const size_t groups = w->count / together;
	const size_t room = places / groups ? places / groups : 1;
	const size_t visits = room < VISITS ? room : VISITS;
	size_t n = 0;

	for (size_t visit = 0; visit < visits; visit++)
		for (size_t i = 0; i < w->count; i++) {
			size_t group = i / together;

			group = group < groups ? group : groups - 1;
			w->lines[n++] = w->pages[i] + (visit * groups + group) %
							      places *
							      w->line_bytes;
		}
	return n;
}

/* Misses per load of all lines, above those of few lines in each page. */
static int fill(struct evset_machine *e, const struct filling *w,
		double *misses, struct failure *f)
{
	double thin = INFINITY, all = INFINITY, m = 0;
	int error = 0;

	for (int i = 0; !error && i < PAGE_SAMPLES; i++) {
		error = evset_list_misses_once(e, w->lines, list_thin(e, w), &m,
					       f);
		thin = fmin(thin, m);
		if (!error)
			error = evset_list_misses_once(e, w->lines,
						       list_all(e, w), &m, f);
		all = fmin(all, m);
	}
	*misses = all - thin;
	return error;
}

bool evset_whole_pages_fit(const struct evset_machine *e, size_t count,
			   uint64_t line_bytes)
{
	return count >= pages_together(e) &&
	       count * (e->window.low_bytes / line_bytes) <= LINES_MOST &&
	       2 * count * e->window.low_bytes <= e->window.bytes;
}

int evset_whole_pages(struct evset_machine *e, size_t count, size_t sparse,
		      uint64_t line_bytes, double *misses, struct failure *f)
{
	struct filling w = { .line_bytes = line_bytes };
	const size_t lines = count * (e->window.low_bytes / line_bytes);
	uint64_t *pages = NULL;
	int error;

	*misses = NAN;
	if (!evset_whole_pages_fit(e, count, line_bytes))
		return 0;
	/* The window holds twice as many: all of @count are there. */
	error = evset_random_places(e, 0, count, sparse, &pages, &w.count, f);
	w.lines = calloc(lines, sizeof(*w.lines));
	w.pages = pages;
	if (!error && !w.lines)
		error = prober_out_of_memory(f);
	if (!error)
		error = fill(e, &w, misses, f);
	free(pages);
	free(w.lines);
	return error;
}
