// SPDX-License-Identifier: GPL-2.0
/*
 * page_colors.c - own ways of a level with the same sets as the first one.
 *
 * Lines of one set of both hold as many as an exclusive hierarchy has ways in
 * sum. Where the first level is indexed by virtual addresses (section 5.4),
 * pages distinguish the two: physically consecutive frames are shown again and
 * again, one page further each time, so that lines of one physical set can be
 * dealt out to several sets of the first level. An exclusive hierarchy then
 * holds what the first level adds once for each of them.
 */
#include <errno.h>
#include <stdio.h>

#include "machine/view_machine.h"
#include "method/level/xor_copies.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"

/**
 * struct colors - frames under several virtual colors
 * @x: the measurement of the level, in the view
 * @first: that of the first level, in the view
 * @p: prober of both
 * @v: the view
 * @page: bytes
 * @count: colors: pages of one way
 * @frames: one more than a multiple of @count
 */
struct colors {
	struct xray x;
	struct xray first;
	struct prober p;
	struct view_machine v;
	uint64_t page;
	uint64_t count;
	uint64_t frames;
};

/**
 * struct dealt - lines of one physical set under several virtual colors
 * @colors: that many
 * @rows: lines of each
 */
struct dealt {
	size_t colors;
	size_t rows;
};

/* What an exclusive hierarchy adds to a set of @level. */
static size_t added_by(const struct xray *x)
{
	return x->upper[0].ways;
}

/*
 * Fewest colors whose lines distinguish A own ways from A - A1 of
 * its own and A1 in each color: that many rows are compact only in the latter
 * case, and one row more in neither.
 */
static bool choose_colors(const struct xray *x, const struct xray_level *level,
			  uint64_t colors, struct dealt *d)
{
	size_t most = level->ways + added_by(x);

	for (d->colors = 2; d->colors <= colors; d->colors *= 2) {
		most = level->ways + (d->colors - 1) * added_by(x);
		d->rows = most / d->colors;
		if (d->rows * d->colors > level->ways &&
		    d->rows >= xray_clearing(&x->upper[0]))
			return true;
	}
	return false;
}

static void set_arena(struct colors *c, uint64_t from, uint64_t pages)
{
	c->p.arena_offset = from * c->page;
	c->p.arena_bytes = pages * c->page;
}

/* Rows of one physical color, each in all of the chosen virtual ones. */
static int ask_dealt(struct colors *c, size_t colors, size_t rows,
		     enum verdict *verdict, struct evidence *e,
		     struct failure *f)
{
	const struct shape w = {
		.inner_stride = (c->frames + c->count * rows) * c->page,
		.inner = colors,
		.stride = c->count * c->page,
		.outer = rows,
	};
	uint64_t used = c->count * rows * colors;

	/* Nothing may come round in the frames. */
	set_arena(c, 0, shape_span(&w) / c->page + c->frames - used);
	return prober_compact(&c->p, &w, &c->x.reference, verdict, e, f);
}

/*
 * A1 + 1 lines in one virtual color and different physical ones, and the other
 * way round: one of the two is more than the first level holds.
 */
static int is_virtual(struct colors *c, bool *virtually, bool *physically,
		      struct failure *f)
{
	size_t lines = c->first.upper[0].ways + 1;
	const struct shape same_virtual = {
		.inner = 1,
		.stride = (c->frames - 1) * c->page,
		.outer = lines,
	};
	const struct shape same_physical = {
		.inner = 1,
		.stride = (c->frames + c->count) * c->page,
		.outer = lines,
	};
	enum verdict one, other;
	int error;

	*virtually = false;
	*physically = false;
	/* One frame further back for each line. */
	set_arena(c, lines, (lines - 1) * (c->frames - 1) + c->count);
	error = prober_compact(&c->p, &same_virtual, &c->first.reference, &one,
			       NULL, f);
	if (error || one == VERDICT_UNDECIDED)
		return error;
	set_arena(c, 0, (lines - 1) * (c->frames + c->count) + c->count);
	error = prober_compact(&c->p, &same_physical, &c->first.reference,
			       &other, NULL, f);
	*virtually = one == VERDICT_NON_COMPACT && other == VERDICT_COMPACT;
	*physically = one == VERDICT_COMPACT && other == VERDICT_NON_COMPACT;
	return error;
}

/* Hits and misses of the first level, in the view. */
static int prepare_first(struct colors *c, struct failure *f)
{
	double hit = 0, miss = 0;
	int error;

	c->first = (struct xray){ .prober = &c->p, .upper = c->x.upper };
	c->first.reference = c->x.reference;
	c->first.reference.counter = 0;
	c->first.reference.control = xray_control(&c->first, 3);
	set_arena(c, 0, c->frames);
	error = prober_time(&c->p, &c->first.reference.control, 0, &hit, f);
	if (!error)
		error = prober_time(&c->p, &c->x.reference.control, 0, &miss,
				    f);
	c->first.reference.penalty_ticks = miss - hit;
	return error;
}

/* Time decides here: a penalty may be missing where a counter has decided. */
static int find_penalty(struct colors *c, const struct xray_level *level,
			struct failure *f)
{
	struct shape w = xray_shape(&c->x, level->way_bytes, 2 * level->ways);
	double ticks = 0;
	int error;

	if (c->x.reference.penalty_ticks > 0)
		return 0;
	set_arena(c, 0, c->frames);
	error = prober_time(&c->p, &w, 0, &ticks, f);
	c->x.reference.penalty_ticks = ticks - c->x.hit_ticks;
	return error;
}

static int open_colors(struct colors *c, struct xray *x,
		       const struct xray_level *level, const struct dealt *d,
		       struct failure *f)
{
	size_t lines = x->upper[0].ways + 1;
	size_t ways = 2 * level->ways > d->colors * (d->rows + 1) ?
			      2 * level->ways :
			      d->colors * (d->rows + 1);
	struct view_request r = { .page_bytes = c->page };
	int error;

	c->frames = (ways + lines / c->count + COLORS_PLACES) * c->count + 1;
	r.frames = c->frames;
	r.pages = (lines + d->colors) * (c->frames + c->count) +
		  d->colors * c->count * (d->rows + 1);
	error = view_machine_open(&c->v, x->prober->m, &r, f);
	if (error)
		return error;
	c->p = *x->prober;
	c->p.m = &c->v.machine;
	c->x = *x;
	c->x.prober = &c->p;
	c->x.reference.counter = 0;
	return 0;
}

static void close_colors(struct colors *c, struct xray *x)
{
	x->prober->rng = c->p.rng;
	x->prober->tests = c->p.tests;
	x->prober->budget = c->p.budget;
	view_machine_close(&c->v);
}

static void say(char *reason, size_t size, const struct xray *x,
		const struct xray_level *level, const char *why)
{
	size_t above = 0;

	for (size_t j = 0; j < x->upper_count; j++)
		if (x->upper[j].way_bytes == level->way_bytes)
			above = x->upper[j].ways;
	if (level->ways > above)
		snprintf(
			reason, size,
			"%zu ways if the level above, which has the same sets, is not in it, %zu otherwise: %s",
			level->ways - above, level->ways, why);
	else
		snprintf(reason, size,
			 "a level above has the same sets and as many ways: %s",
			 why);
}

/* Own ways, where both verdicts fit one of the two explanations. */
static int tell_apart(struct colors *c, struct xray_level *level,
		      const struct dealt *d, struct failure *f)
{
	enum verdict inner, beyond, even;
	struct evidence e;
	int error = ask_dealt(c, d->colors, d->rows, &inner, &e, f);

	if (error || inner == VERDICT_UNDECIDED)
		return error;
	if (inner == VERDICT_COMPACT) {
		error = ask_dealt(c, d->colors, d->rows + 1, &beyond, &e, f);
		if (!error && beyond == VERDICT_NON_COMPACT)
			level->own = level->ways - added_by(&c->x);
		return error;
	}
	error = ask_dealt(c, d->colors, level->ways / d->colors, &even, &e, f);
	if (!error && even == VERDICT_COMPACT)
		level->own = level->ways;
	return error;
}

static int try_colors(struct colors *c, struct xray_level *level,
		      const struct dealt *d, const char **why,
		      struct failure *f)
{
	bool virtually = false, physically = false;
	int error = prepare_first(c, f);

	if (!error)
		error = find_penalty(c, level, f);
	if (!error)
		error = is_virtual(c, &virtually, &physically, f);
	if (!error && virtually)
		error = tell_apart(c, level, d, f);
	if (physically)
		*why = "both are indexed by physical addresses, so that no page distinguishes their sets";
	else if (!virtually)
		*why = "by which addresses the first level is indexed is not known";
	else
		*why = "small pages gave no clear verdict";
	return error;
}

int xray_find_own_ways(struct xray *x, struct xray_level *level, char *reason,
		       size_t size, struct failure *f)
{
	struct colors c = { .count = 0 };
	const struct xray_level *first = &x->upper[0];
	const char *why =
		"only a first level that is indexed by virtual addresses, with ways longer than a page, would show it";
	struct failure unused = { .text = "" };
	struct dealt d;
	int error;

	say(reason, size, x, level, why);
	if (x->upper_count != 1 || level->ways <= first->ways ||
	    !x->prober->m->view_page_count ||
	    first->way_bytes != level->way_bytes)
		return 0;
	c.page = x->prober->m->view_page_bytes[0];
	c.count = first->way_bytes / c.page;
	if (c.count < 2 || (c.count & (c.count - 1)) ||
	    first->way_bytes % c.page || !choose_colors(x, level, c.count, &d))
		return 0;
	prober_progress(x->prober, "L%zu: own ways", x->upper_count + 1);
	error = open_colors(&c, x, level, &d, &unused);
	if (error || !c.v.view->contiguous) {
		say(reason, size, x, level,
		    "small pages of consecutive frames would show it, and are not to be had here");
		if (!error)
			close_colors(&c, x);
		return 0;
	}
	for (int i = 0; !error && !level->own && i < COLORS_ATTEMPTS; i++) {
		if (i)
			x->prober->m->ops->pause(x->prober->m, COLORS_APART_MS);
		error = try_colors(&c, level, &d, &why, f);
	}
	close_colors(&c, x);
	if (!level->own)
		say(reason, size, x, level, why);
	return error == -ERANGE || error == -EAGAIN ? 0 : error;
}
