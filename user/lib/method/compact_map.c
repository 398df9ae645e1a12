// SPDX-License-Identifier: GPL-2.0
/* compact_map.c - test every stride with every number of elements. */
#include "method/compact_map.h"

#include <errno.h>
#include <stdio.h>

#include "base/power.h"
#include "method/level/resident_lines.h"
#include "method/stride/stride.h"
#include "result/result.h"

/* Strides range from one 64th of a way to 32 ways: short strides fill the whole
 * capacity, long ones only the ways of one set.
 */
#define STRIDES 12
#define STRIDES_IN_WAY 64
/* Numbers of elements start at a quarter of the ways: a level of 8 ways and 64
 * lines per way needs 512, plus one more row.
 */
#define COUNTS 10
#define WAYS_ABOVE_FIRST 4
/* Used when the level's geometry is not known; common on processors. */
#define USUAL_WAYS 8
#define USUAL_WAY_BYTES 4096
#define USUAL_WAY_BYTES_BELOW 65536
#define USUAL_LINE_BYTES 64
/* Loads of all samples: one to four seconds on silicon. */
#define MOST_LOADS 1.5e8

/* A non-compact verdict has to repeat this number of times, with this pause. */
#define LATER_LOOKS 2
#define LOOKS_APART_MS 5

/**
 * struct survey - state of a map
 * @upper: the levels above
 * @most_loads: the map ends after this number of loads
 */
struct survey {
	struct compactness_map *map;
	struct xray x;
	struct xray_level upper[RESULT_MAX_LEVELS];
	double first_loads;
	double most_loads;
};

static const struct parameter *ways_in_reach(const struct cache_result *c)
{
	if (parameter_is_measured(&c->effective_ways) &&
	    c->effective_ways.value > c->ways.value)
		return &c->effective_ways;
	return &c->ways;
}

static uint64_t line_of(const struct cache_result *c)
{
	return parameter_is_measured(&c->line_bytes) ?
		       (uint64_t)c->line_bytes.value :
		       USUAL_LINE_BYTES;
}

/* Take X-Ray's geometry of the level, used only to draw the boundary. */
static void take_boundary(struct compactness_map *map,
			  const struct cache_result *c)
{
	if (!resident_lines_sets_known(c) || c->ways.value < 1)
		return;
	map->ways = (size_t)ways_in_reach(c)->value;
	map->way_bytes = resident_lines_way_bytes(c);
}

/* The shortest stride is the line size: elements that share lines might start
 * in the middle of a line.
 */
static void choose_grid(struct compactness_map *map, size_t level,
			const struct cache_result *c)
{
	uint64_t way = level > 1 ? USUAL_WAY_BYTES_BELOW : USUAL_WAY_BYTES;
	size_t ways = map->ways ? map->ways : USUAL_WAYS;
	uint64_t stride = c ? line_of(c) : USUAL_LINE_BYTES;
	size_t count = (size_t)power_below(ways) / WAYS_ABOVE_FIRST;

	if (map->way_bytes)
		way = power_below(map->way_bytes);
	if (way / STRIDES_IN_WAY > stride)
		stride = way / STRIDES_IN_WAY;
	for (map->stride_count = 0; map->stride_count < STRIDES; stride *= 2)
		map->strides[map->stride_count++] = stride;
	for (count = count ? count : 1, map->count_count = 0;
	     map->count_count < COUNTS; count *= 2)
		map->counts[map->count_count++] = count;
}

/* Return: false: no lines are known that miss in a level above. */
static bool take_upper(struct survey *s, const struct hierarchy *h,
		       size_t level)
{
	for (size_t i = 0; i + 1 < level; i++) {
		const struct cache_result *c = &h->caches[i];

		if (!resident_lines_sets_known(c)) {
			snprintf(
				s->map->reason, sizeof(s->map->reason),
				"No map: no stride finds the sets of L%zu, and no lines are known that miss it.",
				i + 1);
			return false;
		}
		s->upper[i] = (struct xray_level){
			.ways = (size_t)ways_in_reach(c)->value,
			.way_bytes = resident_lines_way_bytes(c),
			.line_bytes = line_of(c),
			.own = (size_t)c->ways.value,
			.clearing = c->clearing_lines,
		};
	}
	return true;
}

/* Estimate the miss penalty, from the longest stride that fits into memory and
 * is slow.
 */
static int find_penalty(struct survey *s, enum outcome *outcome,
			struct failure *f)
{
	struct xray *x = &s->x;
	int error = 0;

	*outcome = outcome_if(xray_counter(x) != 0, OUTCOME_OPEN);
	for (size_t i = s->map->stride_count;
	     !error && *outcome != OUTCOME_DECIDED && i--;) {
		size_t count = 0, tried;

		error = xray_find_slow(x, s->map->strides[i], &count, &tried,
				       f);
		if (error == -ERANGE)
			error = 0;
		if (error || !count)
			continue;
		error = xray_find_penalty(x, s->map->strides[i], count, f);
		*outcome = outcome_if(!error && x->reference.penalty_ticks > 0,
				      OUTCOME_OPEN);
	}
	return error;
}

static int calibrate(struct survey *s, enum outcome *outcome, struct failure *f)
{
	struct xray *x = &s->x;
	int error = prober_time(x->prober, &x->reference.control, 0,
				&x->hit_ticks, f);

	*outcome = OUTCOME_OPEN;
	if (!error)
		error = xray_choose_counter(x, f);
	if (!error)
		error = find_penalty(s, outcome, f);
	if (*outcome != OUTCOME_DECIDED &&
	    (!error || error == -ERANGE || error == -EAGAIN)) {
		snprintf(
			s->map->reason, sizeof(s->map->reason), "No map: %s",
			error == -ERANGE ?
				"there is too little memory." :
			error == -EAGAIN ?
				"other load disturbs every sample." :
				"at no stride is any number of lines clearly slower than hits.");
		error = 0;
	}
	return error;
}

/* Each page of a missing sequence needs a line that hits in the first level, as
 * a control that translations do not miss.
 */
static void say_translation(struct compactness_map *map)
{
	if (!map->reason[0])
		snprintf(
			map->reason, sizeof(map->reason),
			"Some cells are undecided: their pages also miss in the TLB.");
}

/* Other load adds misses for a limited time; lines that exceed the ways always
 * miss.
 */
static int ask_again(struct survey *s, const struct shape *w,
		     enum verdict *verdict, struct evidence *e,
		     struct failure *f)
{
	struct prober *p = s->x.prober;
	enum verdict later = VERDICT_NON_COMPACT;
	int error = prober_compact(p, w, &s->x.reference, verdict, e, f);

	for (int i = 0;
	     !error && i < LATER_LOOKS && *verdict == VERDICT_NON_COMPACT;
	     i++) {
		p->m->ops->pause(p->m, LOOKS_APART_MS);
		error = prober_compact(p, w, &s->x.reference, &later, e, f);
		if (!error && later != VERDICT_NON_COMPACT)
			*verdict = VERDICT_UNDECIDED;
	}
	return error;
}

/* An invalid shape, or one that finds no memory, gives no verdict. */
static int ask(struct survey *s, size_t stride, size_t count, struct failure *f)
{
	struct compact_cell *cell = &s->map->cells[stride][count];
	const struct xray_level unknown = { .ways = 0 };
	struct evidence e = { .translation = false };
	struct xray *x = &s->x;
	struct shape w =
		xray_shape(x, s->map->strides[stride], s->map->counts[count]);
	char why[64];
	int error;

	if (!xray_shape_holds(x, &w, &unknown, why, sizeof(why)))
		return 0;
	error = ask_again(s, &w, &cell->verdict, &e, f);
	if (!error && e.translation)
		say_translation(s->map);
	cell->tested = !error || error == -EAGAIN;
	if (error == -EAGAIN)
		cell->verdict = VERDICT_UNDECIDED;
	if (error != -EAGAIN && error != -ERANGE)
		return error;
	f->text[0] = '\0';
	return 0;
}

/* Test few elements first: they cost least. */
static int fill(struct survey *s, struct failure *f)
{
	struct compactness_map *map = s->map;
	struct prober *p = s->x.prober;

	for (size_t k = 0; k < map->count_count; k++) {
		prober_progress(p, "L%d: map of compactness, %zu elements",
				map->level, map->counts[k]);
		for (size_t i = 0; i < map->stride_count; i++) {
			int error;

			if (p->sampled_loads - s->first_loads > s->most_loads) {
				snprintf(
					map->reason, sizeof(map->reason),
					"Not all cells were tested: the map ended after %.3g loads.",
					p->sampled_loads - s->first_loads);
				return 0;
			}
			error = ask(s, i, k, f);
			if (error)
				return error;
		}
	}
	map->complete = true;
	return 0;
}

/* A subset of a compact row is compact: where more elements hit, other load
 * caused the misses of fewer.
 */
static void doubt(struct compactness_map *map)
{
	for (size_t i = 0; i < map->stride_count; i++) {
		bool more = false;

		for (size_t k = map->count_count; k-- > 0;) {
			struct compact_cell *cell = &map->cells[i][k];

			if (!cell->tested)
				continue;
			if (more && cell->verdict == VERDICT_NON_COMPACT)
				cell->verdict = VERDICT_UNDECIDED;
			more |= cell->verdict == VERDICT_COMPACT;
		}
	}
}

static void prepare(struct survey *s, const struct hierarchy *h, size_t level,
		    struct prober *p)
{
	const struct region *region = &p->m->region;
	struct reference *r = &s->x.reference;

	xray_prepare(&s->x, p, s->upper, level - 1);
	if (level == 1 && s->map->ways) {
		r->line_bytes = line_of(&h->caches[0]);
		r->twin_lines =
			s->map->ways * s->map->way_bytes / r->line_bytes / 2;
	}
	/* The page size is reliable then. */
	if (region->phys_known && !p->m->virtual_machine)
		r->page_bytes = region->page_bytes;
}

static int survey_level(struct survey *s, const struct hierarchy *h,
			size_t level, struct prober *p, struct failure *f)
{
	enum outcome outcome;
	int error;

	if (!take_upper(s, h, level))
		return 0;
	prepare(s, h, level, p);
	error = calibrate(s, &outcome, f);
	if (!error && outcome == OUTCOME_DECIDED)
		error = fill(s, f);
	if (error == -EINTR)
		snprintf(s->map->reason, sizeof(s->map->reason),
			 "Not all cells were tested: the map was interrupted.");
	return error;
}

static bool has_answers(const struct compactness_map *map)
{
	for (size_t i = 0; i < map->stride_count; i++)
		for (size_t k = 0; k < map->count_count; k++)
			if (map->cells[i][k].tested)
				return true;
	return false;
}

int compact_map_measure(struct prober *p, const struct hierarchy *h,
			size_t level, double most_loads,
			struct compactness_map *map, struct failure *f)
{
	struct survey s = { .map = map,
			    .first_loads = p->sampled_loads,
			    .most_loads = most_loads > 0 ? most_loads :
							   MOST_LOADS };
	const struct cache_result *c = NULL;
	int error;

	*map = (struct compactness_map){ .level = (int)level };
	if (!level || level > RESULT_MAX_LEVELS || level > h->cache_count + 1) {
		snprintf(map->reason, sizeof(map->reason),
			 "No map: no level L%zu was found.", level);
		return 0;
	}
	if (level <= h->cache_count)
		c = &h->caches[level - 1];
	if (c)
		take_boundary(map, c);
	choose_grid(map, level, c);
	error = survey_level(&s, h, level, p, f);
	doubt(map);
	map->loads = p->sampled_loads - s.first_loads;
	/* A map without any tested cell is none. */
	if (!has_answers(map))
		map->stride_count = map->count_count = 0;
	return error;
}
