// SPDX-License-Identifier: GPL-2.0
/* shape.c - sequences that get past the levels above (section 5). */
#include <stdio.h>

#include "method/level/xor_copies.h"

/* Translations are cheap inside the first level's reach with pages of this
 * size, whatever a hypervisor makes of the larger ones.
 */
#define TWIN_PAGE_BYTES 4096
/* While the line size is not known: no first level has longer ones. */
#define LONGEST_LINE_BYTES 256
/* The control's, of which narrow lists have the fewest lines. */
#define NARROW_MULTIPLE 3

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

size_t xray_lines_in_set(uint64_t stride, size_t count, uint64_t way_bytes)
{
	uint64_t sets = way_bytes / common_divisor(stride, way_bytes);

	return count / sets;
}

static uint64_t shortest_way(const struct xray *x)
{
	uint64_t s = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		if (!s || x->upper[j].way_bytes < s)
			s = x->upper[j].way_bytes;
	return s;
}

/* Copies that level @u needs of @count lines @stride apart; 0: none helps. */
static size_t copies_for(const struct xray_level *u, uint64_t stride,
			 size_t count)
{
	size_t there = xray_lines_in_set(stride, count, u->way_bytes);

	return there ? (xray_clearing(u) + there - 1) / there : 0;
}

/*
 * Copies a whole way of the largest level apart that needs them share a set of
 * all smaller ones, too: far fewer copies than the paper's s = min T_j needs
 * for several levels, when they stay within a row.
 */
static bool few_copies(const struct xray *x, struct shape *w)
{
	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];
		size_t copies = copies_for(u, w->stride, w->outer);

		w->inner = max_size(w->inner, copies);
		if (copies > 1 && u->way_bytes > w->inner_stride)
			w->inner_stride = u->way_bytes;
	}
	for (size_t j = 0; w->inner_stride && j < x->upper_count; j++)
		if (w->inner_stride % x->upper[j].way_bytes &&
		    x->upper[j].way_bytes < w->inner_stride)
			return false;
	return shape_reach(w) < w->stride;
}

struct shape xray_shape(const struct xray *x, uint64_t stride, size_t count)
{
	struct shape w = { .inner = 1, .stride = stride, .outer = count };
	struct shape few = w;
	uint64_t s = shortest_way(x);
	bool holds;

	if (xray_is_below_hashed(x))
		return xray_copied_shape(x, stride, count);
	holds = few_copies(x, &few);
	if (holds && !x->narrow)
		return few;
	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];
		size_t copies = copies_for(u, stride, count);

		/* One copy is the sequence itself, whatever T_j / s is. */
		if (copies > 1)
			w.inner =
				max_size(w.inner, copies * (u->way_bytes / s));
	}
	if (w.inner > 1)
		w.inner_stride = s;
	/* In a level with hardly more sets than the one above copies that are spread
	 * widely come round.
	 */
	return holds && shape_reach(&few) <= shape_reach(&w) ? few : w;
}

/* @multiple times the ways, more where that leaves lines in a level. Narrow ones differ
 * by a quarter of the ways at most; where twice the ways clear the level, which a level
 * below may just hold, one less does that nearly as well.
 */
static size_t control_lines(const struct xray *x,
			    const struct xray_level *level, size_t multiple)
{
	if (x->narrow && multiple > NARROW_MULTIPLE)
		return xray_clearing(level) + max_size(level->ways / 4, 1);
	if (x->narrow && multiple < NARROW_MULTIPLE)
		return xray_clearing(level) > level->ways + 1 ?
			       xray_clearing(level) - 1 :
			       level->ways + 2;
	if (x->narrow)
		return xray_clearing(level);
	return max_size(multiple * level->ways,
			multiple * xray_clearing(level) / 3);
}

struct shape xray_control(const struct xray *x, size_t multiple)
{
	const struct xray_level *last;
	struct shape w;
	uint64_t s;

	if (!x->upper_count)
		return prober_words(x->prober);
	if (xray_is_below_hashed(x))
		return xray_copied_control(x, multiple);
	last = &x->upper[x->upper_count - 1];
	s = shortest_way(x);
	w = (struct shape){ .inner = 1,
			    .inner_stride = s,
			    .stride = last->way_bytes,
			    .outer = control_lines(x, last, multiple) };
	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];
		size_t there =
			xray_lines_in_set(w.stride, w.outer, u->way_bytes);
		size_t copies;

		if (!there)
			there = 1;
		copies = (control_lines(x, u, multiple) + there - 1) / there;
		if (copies > 1)
			w.inner =
				max_size(w.inner, copies * (u->way_bytes / s));
	}
	return w;
}

int xray_narrow(struct xray *x, enum outcome *outcome, struct failure *f)
{
	struct xray narrow = *x;
	int error;

	*outcome = OUTCOME_OPEN;
	if (!x->upper_count || x->narrow || xray_is_below_hashed(x))
		return 0;
	narrow.narrow = true;
	narrow.reference.control = xray_control(&narrow, NARROW_MULTIPLE);
	error = prober_time(x->prober, &narrow.reference.control, 0,
			    &narrow.hit_ticks, f);
	*outcome = outcome_if(!error && narrow.hit_ticks < x->hit_ticks,
			      OUTCOME_OPEN);
	if (*outcome == OUTCOME_DECIDED)
		*x = narrow;
	return error;
}

static bool refuse(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return false;
}

bool xray_shape_holds(const struct xray *x, const struct shape *w,
		      const struct xray_level *level, char *why, size_t size)
{
	uint64_t reach = shape_reach(w);
	uint64_t line = level->line_bytes;

	if (w->inner > 1 && reach >= w->stride)
		return refuse(why, size, "copies reach into the next row");
	if (w->inner > 1 && level->way_bytes && reach >= level->way_bytes)
		return refuse(why, size, "copies come round in the level");
	if (w->inner > 1 && line && line > w->inner_stride)
		return refuse(why, size, "copies share lines");
	for (size_t j = 0; j < x->upper_count; j++) {
		const struct xray_level *u = &x->upper[j];
		size_t copies = xray_copies_in_set(&w->folds, u), rows;

		if (w->inner > 1)
			copies = max_size(xray_lines_in_set(w->inner_stride,
							    w->inner,
							    u->way_bytes),
					  1);
		rows = xray_lines_in_set(w->stride, w->outer, u->way_bytes);
		/* The sets of rows are not known there, those of copies are. */
		if (u->masks || (w->folds.count && !rows))
			rows = 1;
		if (copies * rows < xray_clearing(u))
			return refuse(why, size, "a level above may hit");
	}
	return true;
}

/* Of the first level, where its sets are known. */
static void make_room_for_twins(struct reference *r,
				const struct xray_level *first)
{
	r->twin_lines = xray_level_bytes(first) / first->line_bytes / 2;
	if (first->masks || first->bytes)
		return;
	r->twin_ways = first->ways;
	r->twin_way_bytes = first->way_bytes;
}

void xray_prepare(struct xray *x, struct prober *p,
		  const struct xray_level *known, size_t count)
{
	*x = (struct xray){ .prober = p,
			    .upper = known,
			    .upper_count = count,
			    .drawn_before = p->budget.alpha_drawn };
	x->reference.control = xray_is_below_hashed(x) ?
				       xray_copied_reference(x) :
				       xray_control(x, NARROW_MULTIPLE);
	x->reference.shared = !count;
	x->reference.page_bytes = TWIN_PAGE_BYTES;
	/* Known addresses, no hypervisor: pages are what they are said to be. */
	if (xray_is_below_hashed(x))
		x->reference.page_bytes = p->m->region.page_bytes;
	if (count && known[0].line_bytes)
		make_room_for_twins(&x->reference, &known[0]);
	x->reference.line_bytes = count && known[0].line_bytes ?
					  known[0].line_bytes :
					  LONGEST_LINE_BYTES;
}
