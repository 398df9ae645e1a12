// SPDX-License-Identifier: GPL-2.0
/* geometry.c - associativity and way size (section 4.1.2). */
#include <math.h>
#include <stdio.h>

#include "method/level/repeat.h"
#include "method/level/xor_copies.h"
#include "method/stride/compact.h"
#include "method/stride/shortest.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"

/* As many as the memory allows, with room for a way of 256 MiB. */
#define STRIDES_TRIED 12
#define MOST_ODD 15
/* Strides at which nothing is decided, until the index is taken for hashed: by then they
 * are four times the first one, which is many ways of the level above.
 */
#define DIFFERING_STRIDES 3
/* Where translations are missed, lines of one page need only one; then fewer
 * and fewer pages. Three strides at least are tried between two of these.
 */
#define FIRST_STRIDE_NEAR 4096
#define LEAST_STRIDE_NEAR 64
/* Lines of a row, which show what translations take: more than a set has, in most
 * first levels, and all of the smallest (8 KiB).
 */
#define MOST_TWIN_LINES 32
#define LEAST_TWIN_LINES 4

static uint64_t first_stride(const struct xray *x)
{
	uint64_t step = FIRST_STRIDE, least = LEAST_FIRST_STRIDE, last;

	if (x->near)
		return x->near;
	if (x->upper_count) {
		last = x->upper[x->upper_count - 1].way_bytes;
		step = last * STRIDE_STEP;
		if (step < FIRST_STRIDE_LOWER)
			step = FIRST_STRIDE_LOWER;
		least = last > FIRST_STRIDE_LOWER ? last : FIRST_STRIDE_LOWER;
	}
	/* Room for all the lines, and for a few longer strides. */
	while (step > least &&
	       step * stride_most_lines(x) > x->prober->arena_bytes / 2)
		step /= 2;
	return xray_is_below_hashed(x) ? xray_least_copied_stride(x, step) :
					 step;
}

static bool copies_cross(const struct xray *x, uint64_t stride, size_t count)
{
	const struct xray_level unknown = { .ways = 0 };
	const struct shape w = xray_shape(x, stride, count);
	char why[64];

	return !xray_shape_holds(x, &w, &unknown, why, sizeof(why));
}

/* The smallest stride at which A + 1 lines still are not compact is T. At half of T 2 A
 * lines fit: where copies of A + 1 cross, as many as need fewer do as well.
 */
static int descend(struct xray *x, uint64_t stride, struct xray_geometry *g,
		   struct failure *f)
{
	while (stride / 2 >= XRAY_LEAST_STRIDE) {
		size_t count = g->level.ways + 1;
		enum verdict verdict;
		struct evidence e;
		int error;

		while (count < 2 * g->level.ways &&
		       copies_cross(x, stride / 2, count))
			count++;
		error = xray_compact(x, stride / 2, count, &verdict, &e, f);
		if (error)
			return error;
		if (verdict == VERDICT_UNDECIDED) {
			xray_say_undecided(g, &e, stride / 2, count);
			return 0;
		}
		if (verdict == VERDICT_COMPACT)
			break;
		stride /= 2;
	}
	g->level.way_bytes = stride;
	return xray_verify(x, g, f);
}

/* The reason why no number of lines was slow at any stride up to @last. */
static void say_never_slow(struct xray *x, uint64_t first, uint64_t last,
			   int full, struct xray_geometry *g)
{
	/* By Theorem 1 a linear index leaves two other explanations: that many
	 * ways, or a way so long that the lines do not come round in it.
	 */
	g->hashed = x->upper_count && full > 1;
	g->cramped = full <= 1;
	if (full > 1)
		snprintf(
			g->reason, sizeof(g->reason),
			"%s: %zu lines %llu to %llu KiB apart never conflict (else it had %zu ways or held %llu MiB at least)",
			g->hashed ? "index is hashed" : "no cache found",
			stride_most_lines(x), (unsigned long long)(first >> 10),
			(unsigned long long)(first << (full - 1) >> 10),
			stride_most_lines(x),
			(unsigned long long)(stride_most_lines(x) * first
						     << (full - 1) >>
					     20));
	else
		snprintf(
			g->reason, sizeof(g->reason),
			"only %llu KiB are contiguous: not enough for %zu lines %llu KiB apart",
			(unsigned long long)(x->prober->arena_bytes >> 10),
			stride_most_lines(x), (unsigned long long)(last >> 10));
}

/*
 * A stride at which some number of lines is slow. A linear index shows one as
 * soon as the stride is beyond the way size, so several are tried before the
 * search gives up; sets that are no power of two need an odd multiple.
 */
static int find_slow_stride(struct xray *x, uint64_t *stride, size_t *slow,
			    struct xray_geometry *g, struct failure *f)
{
	uint64_t first = *stride;
	int full = 0, error = 0;
	size_t tried;

	for (int i = 0; i < STRIDES_TRIED; i++, *stride *= 2) {
		prober_progress(x->prober, "L%zu: lines %llu KiB apart",
				x->upper_count + 1,
				(unsigned long long)(*stride >> 10));
		error = xray_find_slow(x, *stride, slow, &tried, f);
		if (error || *slow)
			return error;
		if (tried < stride_most_lines(x))
			break;
		full++;
	}
	say_never_slow(x, first, *stride, full, g);
	if (x->upper_count && !xray_is_below_hashed(x))
		error = xray_find_slow_pair(x, stride, slow, f);
	if (error || *slow) {
		g->hashed = g->cramped = false;
		return error;
	}
	for (uint64_t m = 3; x->upper_count && m <= MOST_ODD; m += 2) {
		*stride = m * first;
		error = xray_find_slow(x, *stride, slow, &tried, f);
		if (error || *slow)
			return error;
	}
	return 0;
}

/*
 * May a longer stride have an answer where this one has none? Copies cross there no more.
 * In an exclusive hierarchy, lines of several sets share the ways above by their order,
 * until the stride is a way; of a hashed level each stride may differ.
 */
static bool is_passed_over(const struct xray *x, size_t shortest,
			   int *differing)
{
	if (shortest == STRIDE_CROSSED)
		return true;
	return shortest == STRIDE_DIFFERS && x->upper_count &&
	       ++*differing < DIFFERING_STRIDES;
}

/* Upwards until the length settles (section 4.1.2); or downwards, where there is no
 * room for a longer stride: as long at half of it, it is as long at twice, too. By
 * Theorem 1 it is less than twice as long there in any case.
 * Return: 0 with *settled: a stride, or 0 (g->reason says why); -ERANGE: no stride
 * has room.
 */
static int settle(struct xray *x, uint64_t stride, size_t slow,
		  size_t *shortest, uint64_t *settled, struct xray_geometry *g,
		  struct failure *f)
{
	int error = 0, differing = 0;
	size_t before = 0;

	*settled = 0;
	*shortest = 0;
	for (; !error; stride *= 2) {
		prober_progress(x->prober, "L%zu: ways, lines %llu KiB apart",
				x->upper_count + 1,
				(unsigned long long)(stride >> 10));
		error = stride_find_shortest(x, stride, slow, before, shortest,
					     g, f);
		if (!error && is_passed_over(x, *shortest, &differing)) {
			before = 0;
			continue;
		}
		/* No sequence is shorter than two lines. */
		if (error || *shortest <= 2 || *shortest == before ||
		    *shortest == STRIDE_DIFFERS)
			break;
		before = *shortest;
	}
	if (*shortest >= STRIDE_DIFFERS)
		*shortest = 0;
	if (error == -ERANGE && differing && !before)
		return 0;
	if (error == -ERANGE && before) {
		stride /= 4;
		error = stride_find_shortest(x, stride, 2 * before, before,
					     shortest, g, f);
		if (!error && *shortest && *shortest != before)
			error = -ERANGE;
	}
	if (!error && *shortest)
		*settled = stride;
	return error;
}

/*
 * Where translations are missed, those of the first level may be timed as well: of the
 * same pages, in as many lines of a row as are seen to fit.
 */
static int find_twin_room(struct xray *x, struct failure *f)
{
	size_t count = MOST_TWIN_LINES;
	int error = 0;

	while (!error && x->near && !x->reference.twin_lines &&
	       count >= LEAST_TWIN_LINES) {
		enum verdict verdict;
		struct evidence e;

		error = xray_compact(x, x->reference.line_bytes, count,
				     &verdict, &e, f);
		if (!error && verdict == VERDICT_COMPACT)
			x->reference.twin_lines = count;
		count /= 2;
	}
	return error;
}

/* Too little only makes tests stricter; too much hides misses. */
static int find_penalty(struct xray *x, uint64_t stride, size_t slow,
			struct failure *f)
{
	int error = xray_find_penalty(x, stride, slow, f);

	if (x->most_penalty_ticks > 0)
		x->reference.penalty_ticks =
			fmin(x->reference.penalty_ticks, x->most_penalty_ticks);
	return error;
}

static int search(struct xray *x, struct xray_geometry *g, struct failure *f)
{
	uint64_t stride = first_stride(x), settled;
	size_t slow, shortest;
	int error;

	if (stride < x->begin)
		stride = x->begin;
	*g = (struct xray_geometry){ .found = false };
	error = find_slow_stride(x, &stride, &slow, g, f);
	if (!error && slow && !xray_counter(x))
		error = find_penalty(x, stride, slow, f);
	if (error || !slow)
		return error;
	if (!xray_counter(x) && x->reference.penalty_ticks <= 0) {
		g->unclear = true;
		snprintf(g->reason, sizeof(g->reason),
			 "%zu lines %llu KiB apart are slow only now and then",
			 slow, (unsigned long long)(stride >> 10));
		return 0;
	}
	error = find_twin_room(x, f);
	if (!error)
		error = settle(x, stride, slow, &shortest, &settled, g, f);
	if (error == -ERANGE) {
		g->cramped = true;
		snprintf(
			g->reason, sizeof(g->reason),
			"not enough contiguous memory for lines that are longer apart than %llu KiB",
			(unsigned long long)(stride >> 10));
		return 0;
	}
	if (error || !settled)
		return error;
	g->level.ways = shortest - 1;
	prober_progress(x->prober, "L%zu: size of a way of %zu",
			x->upper_count + 1, g->level.ways);
	return descend(x, settled, g, f);
}

int xray_find_geometry(struct xray *x, struct xray_geometry *g,
		       struct failure *f)
{
	struct xray_geometry near;
	int error;

	error = search(x, g, f);
	for (near = *g; !error && near.translation && !x->upper_count &&
			x->near != LEAST_STRIDE_NEAR;) {
		x->near = x->near ? x->near / NEAR_STEP : FIRST_STRIDE_NEAR;
		error = search(x, &near, f);
	}
	x->near = 0;
	/* Otherwise what is in the way is the same; what is not may be gone the next
	 * time.
	 */
	if (near.found || (near.unclear && !near.translation))
		*g = near;
	return error;
}

static int find(void *context, struct xray *x, struct xray_geometry *g,
		struct failure *f)
{
	(void)context;
	return xray_find_geometry(x, g, f);
}

int xray_agree_on_geometry(struct xray *x, struct xray_geometry *g,
			   struct failure *f)
{
	static const struct geometry_search by_strides = {
		.find = find, .needs_contiguous = true
	};

	return geometry_repeat(x, &by_strides, g, f);
}
