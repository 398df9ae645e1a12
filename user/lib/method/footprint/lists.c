// SPDX-License-Identifier: GPL-2.0
/*
 * lists.c - lines that miss the level above since they share its sets: all lines of
 * few pages whose lines at one place share a set.
 *
 * Nothing of that rests on how much room the level has, nor on how many pages
 * there are translations for. All places of a page are taken: lines at few places
 * may all lie in near slices, or in far ones.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "method/footprint/internal.h"
#include "method/footprint/tuning.h"
#include "method/level/resident_lines.h"

/* Lines of a set that miss: LRU needs one more than ways, random replacement keeps
 * 6 % of three times the ways, and 2 % of four times.
 */
#define LEAST_TIMES_WAYS 3
#define MOST_TIMES_WAYS 4
/* An interrupted load does not outweigh the others. */
#define MOST_TIMES_MEMORY 4

static bool is_listed(const struct lists *l, size_t page)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->pages[i] == page)
			return true;
	return false;
}

static void take_known_lines(struct lists *l, const struct cache_result *above)
{
	for (size_t i = 0; i < above->set_line_count; i++) {
		size_t page = above->set_lines[i] / FOOTPRINT_PAGE_BYTES;

		if (!is_listed(l, page))
			l->pages[l->count++] = page;
	}
}

/* Lines as far apart share a set. */
static void take_strides(const struct footprint *fp, struct lists *l,
			 const struct cache_result *above)
{
	const struct prober *p = fp->p;
	uint64_t way =
		(uint64_t)(above->capacity_bytes.value / above->ways.value);
	uint64_t stride = way > FOOTPRINT_PAGE_BYTES ? way :
						       FOOTPRINT_PAGE_BYTES;
	uint64_t first;

	if (!way || stride % way || p->arena_offset % FOOTPRINT_PAGE_BYTES)
		return;
	first = resident_lines_first(fp->p, stride, l->wanted);
	if (first == UINT64_MAX)
		return;
	for (; l->count < l->wanted; l->count++, first += stride)
		l->pages[l->count] = first / FOOTPRINT_PAGE_BYTES;
}

/* Other pages of the list, the first ones of the footprint from now on. */
static void choose(struct footprint *fp, size_t count)
{
	size_t order[RESULT_SET_LINES];

	rng_order(&fp->p->rng, order, fp->lists.count);
	for (size_t i = 0; i < count; i++)
		fp->pages[i] = fp->lists.pages[order[i]];
}

static size_t length_of(const struct lists *l)
{
	return l->count < l->wanted ? l->count : l->wanted;
}

/* Mean of the lines of each page of the footprint. */
static int time_pages(struct footprint *fp, size_t pages, double *ticks,
		      struct failure *f)
{
	const double memory = prober_load_ticks(fp->p, fp->memory_ns);
	double *each = calloc(pages * FOOTPRINT_PAGE_BYTES / fp->line_bytes,
			      sizeof(*each));
	const struct walk_each how = {
		.most_ticks = fp->p->m->timer.overhead_ticks +
			      MOST_TIMES_MEMORY * memory,
		.ticks = each,
	};
	struct walk_plan plan = footprint_plan(fp, 1);
	struct sample sample;
	struct sequence s;
	int error = each ? footprint_build(fp, pages, &s, f) :
			   prober_out_of_memory(f);

	if (error) {
		free(each);
		return error;
	}
	plan.flags = 0;
	plan.warm_rounds = EACH_ROUNDS;
	plan.loads = EACH_ROUNDS * (unsigned int)s.length;
	plan.each = &how;
	error = fp->p->m->ops->walk(fp->p->m, &s, &plan, &sample, f);
	for (size_t i = 0; i < pages; i++)
		ticks[i] = 0;
	for (size_t i = 0; !error && i < s.length; i++)
		for (size_t j = 0; j < pages; j++)
			if (s.offsets[i] / FOOTPRINT_PAGE_BYTES == fp->pages[j])
				ticks[j] += each[i] * (double)pages /
					    (double)s.length;
	free(each);
	sequence_free(&s);
	return error;
}

static void drop(struct lists *l, size_t page)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->pages[i] == page)
			l->pages[i] = l->pages[--l->count];
}

/*
 * Load from elsewhere made some lines evict a set that they do not share. Of a list
 * they hit in the level above, where the others miss: the middle distinguishes the two.
 * Half as many pages as it has ways hit for sure.
 */
static int drop_hits(struct footprint *fp, struct failure *f)
{
	struct lists *l = &fp->lists;
	const size_t room = (l->wanted / MOST_TIMES_WAYS + 1) / 2;
	const size_t n = length_of(l);
	double hits[RESULT_SET_LINES], ticks[RESULT_SET_LINES];
	double hit, miss;
	int error;

	choose(fp, room);
	error = time_pages(fp, room, hits, f);
	hit = statistics_quantile(hits, room, 0.5);
	choose(fp, n);
	if (!error)
		error = time_pages(fp, n, ticks, f);
	if (error)
		return error;
	miss = statistics_peek(ticks, n, 0.5);
	for (size_t i = 0; i < n; i++)
		if (ticks[i] < (hit + miss) / 2)
			drop(l, fp->pages[i]);
	return 0;
}

/* Enough pages of shared sets? */
static bool suffices(const struct lists *l, size_t ways)
{
	return ways && l->count >= LEAST_TIMES_WAYS * ways;
}

/* Of lines that eviction sets have found. */
static int list_known(struct footprint *fp, const struct cache_result *above,
		      size_t ways, struct failure *f)
{
	struct lists *l = &fp->lists;
	int error = 0;

	l->count = 0;
	take_known_lines(l, above);
	for (int i = 0; !error && fp->p->m->times_each && i < DROP_ROUNDS &&
			suffices(l, ways);
	     i++)
		error = drop_hits(fp, f);
	return error;
}

/* While another thread of the core keeps it busy, many lines look as if they hit, or as
 * if none did; it rests for a while.
 */
static int list_patiently(struct footprint *fp,
			  const struct cache_result *above, size_t ways,
			  struct failure *f)
{
	int error = list_known(fp, above, ways, f);

	for (int i = 1;
	     !error && i < LATENCY_ATTEMPTS && !suffices(&fp->lists, ways) &&
	     above->set_line_count >= LEAST_TIMES_WAYS * ways;
	     i++) {
		fp->p->m->ops->pause(fp->p->m, LATENCY_APART_MS);
		error = list_known(fp, above, ways, f);
	}
	return error;
}

int footprint_find_lists(struct footprint *fp, const struct cache_result *above,
			 struct failure *f)
{
	struct lists *l = &fp->lists;
	const size_t ways = parameter_is_measured(&above->ways) ?
				    (size_t)above->ways.value :
				    0;
	int error = 0;

	l->wanted = MOST_TIMES_WAYS * ways;
	if (l->wanted > RESULT_SET_LINES)
		l->wanted = RESULT_SET_LINES;
	if (above->set_line_count)
		error = list_patiently(fp, above, ways, f);
	else if (ways &&
		 (above->index == INDEX_LINEAR || above->index == INDEX_MODULO))
		take_strides(fp, l, above);
	if (!suffices(l, ways))
		l->count = 0;
	return error;
}

/* Other pages of them each time. */
static int time_list(void *context, double *ticks, struct failure *f)
{
	struct footprint *fp = context;
	const size_t pages = length_of(&fp->lists);

	choose(fp, pages);
	return footprint_time_alone(fp, pages, ticks, f);
}

int footprint_time_lists(struct footprint *fp, struct latency *l,
			 struct failure *f)
{
	*l = (struct latency){ NAN, NAN, NAN };
	if (!fp->lists.count)
		return 0;
	prober_progress(fp->p,
			"footprints: latency of %zu pages of shared sets",
			length_of(&fp->lists));
	return latency_of_trials(fp->p, time_list, fp, l, f);
}
