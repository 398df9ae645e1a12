// SPDX-License-Identifier: GPL-2.0
/* page_fill.c - lists of lines of all classes, and how much of them misses. */
#include "method/evset/count/pages.h"

#include <math.h>
#include <stdlib.h>

#include "method/evset/oracle/list_walk.h"

/* Misses per load of a list that fits. Where the index is not linear, lines of
 * one set at one offset are of several sets at another offset: then few of 3 A
 * / 4 lines still miss.
 */
#define FITTING 0.2
/* A list that fits misses at most this part of what a list misses that has
 * twice as many lines as ways.
 */
#define OVERFULL_TIMES 3
/* Disturbance only adds misses: the fewest of these samples count. */
#define FILL_ATTEMPTS 3
/* Samples of a thin list, before and after a list that seems to fit. */
#define THIN_SAMPLES 2

size_t evset_page_lines(const struct evset_pages *p, size_t class, size_t most)
{
	const size_t count = evset_class_lines(&p->c, class);

	return count < most ? count : most;
}

/* Room for @per_class lines of each class at @offsets offsets: the loops below
 * go over the same classes, and over no more offsets.
 */
static int level_flush(struct evset_pages *p, size_t per_class, size_t offsets,
		       struct failure *f)
{
	size_t lines = 0;

	for (size_t i = 0; i < p->c.count; i++)
		lines += evset_page_lines(p, i, per_class);
	lines *= offsets;
	p->line_count = 0;
	if (lines <= p->room)
		return 0;
	free(p->lines);
	p->lines = calloc(lines, sizeof(*p->lines));
	p->room = p->lines ? lines : 0;
	return p->lines ? 0 : prober_out_of_memory(f);
}

/* Lines of each class, moved by @by. */
static void add_moved(struct evset_pages *p, size_t per_class, uint64_t by)
{
	for (size_t i = 0; i < p->c.count; i++)
		for (size_t j = 0; j < evset_page_lines(p, i, per_class); j++)
			p->lines[p->line_count++] =
				p->c.lines[p->c.begin[i] + j] ^ by;
}

static int list_all(struct evset_pages *p, size_t per_class, uint64_t bit,
		    struct failure *f)
{
	const size_t count = p->offset_count;
	int error = level_flush(p, per_class, bit ? 2 * count : count, f);

	for (size_t o = 0; !error && o < count; o++)
		add_moved(p, per_class, p->offsets[o]);
	for (size_t o = 0; !error && bit && o < count; o++)
		add_moved(p, per_class, p->offsets[o] ^ bit);
	return error;
}

/* 3 A / 4 lines fit into every set under any policy, 3 A / 2 do not. */
static size_t most_fitting(const struct evset_pages *p)
{
	return (3 * p->c.ways + 3) / 4;
}

/* Twice this number does not fit either, though few lines miss under some
 * policies.
 */
static size_t fewer_fitting(const struct evset_pages *p)
{
	return (5 * p->c.ways + 7) / 8;
}

static size_t lines_per_class(const struct evset_pages *p, enum evset_filling w)
{
	return w == EVSET_FILL_MOST  ? most_fitting(p) :
	       w == EVSET_FILL_FEWER ? fewer_fitting(p) :
	       w == EVSET_FILL_OVER  ? p->c.ways + p->c.ways / 2 + 1 :
				       2 * p->c.ways;
}

/* One line in each of the same pages, so few of each set that these fit
 * clearly, where there are offsets enough. All lines share a set of the levels
 * above; in the first level they lie in as many sets as there are.
 */
static int list_thin(struct evset_pages *p, size_t per_class, struct failure *f)
{
	const size_t fewer = fewer_fitting(p);
	const size_t of_set = fewer * p->offset_count >= per_class ? fewer :
								     p->c.ways;
	const bool spread = !p->e->x->upper_count;
	int error = level_flush(p, per_class, 1, f);

	for (size_t i = 0; !error && i < p->c.count; i++)
		for (size_t j = 0; j < evset_page_lines(p, i, per_class); j++)
			if (j / of_set < p->offset_count)
				p->lines[p->line_count++] =
					p->c.lines[p->c.begin[i] + j] ^
					p->offsets[((spread ? i : 0) +
						    j / of_set) %
						   p->offset_count];
	return error;
}

/* Beside a list that does not fit for certain: a neighbour may have slowed
 * misses down while their penalty was measured.
 */
bool evset_page_fits(const struct evset_pages *p, double misses)
{
	return misses < fmin(evset_fitting_misses(p->e, FITTING),
			     p->overfull / OVERFULL_TIMES);
}

/* The fewest misses of the thin list since its pages are the same: lines of a
 * neighbour would make any list look as cheap as a disturbed thin list.
 */
static int fill_thin(struct evset_pages *p, enum evset_filling w,
		     struct failure *f)
{
	int error = 0;

	for (int i = 0; !error && i < THIN_SAMPLES; i++) {
		double m = INFINITY;

		error = list_thin(p, lines_per_class(p, w), f);
		if (!error)
			error = evset_list_misses_once(p->e, p->lines,
						       p->line_count, &m, f);
		p->thin[w] = fmin(p->thin[w], m);
	}
	return error;
}

void evset_page_forget(struct evset_pages *p)
{
	for (int w = 0; w < EVSET_FILLINGS; w++)
		p->thin[w] = INFINITY;
}

int evset_page_fill(struct evset_pages *p, enum evset_filling w, uint64_t bit,
		    double *misses, struct failure *f)
{
	double all = INFINITY;
	int error = 0;

	for (int i = 0; !error && i < FILL_ATTEMPTS; i++) {
		double m = INFINITY;

		error = fill_thin(p, w, f);
		if (!error)
			error = list_all(p, lines_per_class(p, w), bit, f);
		if (!error)
			error = evset_list_misses_once(p->e, p->lines,
						       p->line_count, &m, f);
		all = fmin(all, m);
		if (!error && evset_page_fits(p, all - p->thin[w]))
			error = fill_thin(p, w, f);
		*misses = isfinite(all) && isfinite(p->thin[w]) ?
				  all - p->thin[w] :
				  INFINITY;
		if (evset_page_fits(p, *misses) ||
		    (isfinite(*misses) && xray_counter(p->e->x)))
			break;
	}
	p->disturbed = !isfinite(*misses);
	return error;
}

/* Twice as many lines as ways at one offset, for evset_page_fits(). */
int evset_page_fill_begin(struct evset_pages *p, struct failure *f)
{
	evset_page_forget(p);
	p->overfull = INFINITY;
	for (size_t i = 0; i < p->c.count; i++)
		if (evset_class_lines(&p->c, i) <
		    lines_per_class(p, EVSET_FILL_TWICE))
			return 0;
	p->offset_count = 1;
	p->offsets[0] = 0;
	return evset_page_fill(p, EVSET_FILL_TWICE, 0, &p->overfull, f);
}
