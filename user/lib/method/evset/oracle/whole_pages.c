// SPDX-License-Identifier: GPL-2.0
#include "method/evset/oracle/whole_pages.h"

#include <math.h>
#include <stdlib.h>

#include "method/evset/oracle/list_walk.h"

/* Disturbance only adds: the fewest misses of these count. */
#define SAMPLES 3
/* Lines of each page in a thin list. */
#define VISITS 4
#define LINES_MOST ((size_t)1 << 20)

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

	for (int i = 0; !error && i < SAMPLES; i++) {
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
