// SPDX-License-Identifier: GPL-2.0
/* geometry.c - ways and way size of the level below, from evicted lines. */
#include <errno.h>
#include <stdio.h>

#include "method/evict/internal.h"
#include "method/evict/tuning.h"
#include "method/level/repeat.h"

/* Most lines of a placement: the first stride is this part of the window.
 */
#define MOST_LINES 64

static void say_open(struct xray_geometry *g, const struct evict_rows *rows,
		     const struct evidence *e)
{
	snprintf(
		g->reason, sizeof(g->reason),
		"%zu lines %llu bytes apart, evicted from the level above: no clear verdict after %u placements (%zu fast, %zu slow of %zu)",
		rows->count, (unsigned long long)rows->stride,
		e->decision.blocks, e->decision.fast, e->decision.slow,
		e->decision.observations);
}

/* Return: 0 with *verdict undecided and g->reason set where it is. */
static int ask(struct evictor *ev, const struct evict_rows *rows,
	       enum verdict *verdict, struct xray_geometry *g,
	       struct failure *f)
{
	struct evidence e;
	int error = evict_compact(ev, rows, verdict, &e, f);

	if (error == -ERANGE) {
		*verdict = VERDICT_UNDECIDED;
		g->cramped = true;
		snprintf(
			g->reason, sizeof(g->reason),
			"only %llu KiB are contiguous: not enough for %zu lines %llu KiB apart",
			(unsigned long long)(ev->p->arena_bytes >> 10),
			rows->count, (unsigned long long)(rows->stride >> 10));
		return 0;
	}
	if (!error && *verdict == VERDICT_UNDECIDED)
		say_open(g, rows, &e);
	return error;
}

/* Expects a verdict; g->found is false with g->reason set otherwise. */
static int expect(struct evictor *ev, const struct evict_rows *rows,
		  enum verdict wanted, struct xray_geometry *g,
		  struct failure *f)
{
	enum verdict verdict;
	int error;

	if (!g->found)
		return 0;
	error = ask(ev, rows, &verdict, g, f);
	if (error || verdict == wanted)
		return error;
	g->found = false;
	if (verdict != VERDICT_UNDECIDED)
		snprintf(
			g->reason, sizeof(g->reason),
			"index is hashed, sets are no power of two, or the machine is too noisy: %zu lines %llu bytes apart do %sfit, against Theorem 1 for %zu ways of %llu bytes",
			rows->count, (unsigned long long)rows->stride,
			wanted == VERDICT_COMPACT ? "not " : "", g->level.ways,
			(unsigned long long)g->level.way_bytes);
	return 0;
}

/* Lines that fit at a stride; 0: open, and g->reason says why. */
static int find_fitting(struct evictor *ev, uint64_t stride, size_t *fitting,
			struct xray_geometry *g, struct failure *f)
{
	struct evict_rows rows = { .stride = stride, .count = 2 };
	size_t low = 1, high = 0;

	*fitting = 0;
	while (!high || high - low > 1) {
		enum verdict verdict;
		int error = ask(ev, &rows, &verdict, g, f);

		if (error || verdict == VERDICT_UNDECIDED)
			return error;
		if (verdict == VERDICT_COMPACT)
			low = rows.count;
		else
			high = rows.count;
		if (!high && low == MOST_LINES) {
			g->cramped = true;
			snprintf(
				g->reason, sizeof(g->reason),
				"%d lines %llu KiB apart, evicted from the level above, fit: %llu KiB of contiguous memory hold no more",
				MOST_LINES, (unsigned long long)(stride >> 10),
				(unsigned long long)(ev->p->arena_bytes >> 10));
			return 0;
		}
		rows.count = high ? (low + high) / 2 : 2 * low;
	}
	*fitting = low;
	return 0;
}

/* Upwards until as many fit at twice the stride, which is beyond the way then;
 * otherwise half as many.
 */
static int ascend(struct evictor *ev, uint64_t *stride, struct xray_geometry *g,
		  struct failure *f)
{
	for (;;) {
		struct evict_rows rows = { .stride = 2 * *stride,
					   .count = g->level.ways / 2 + 1 };
		enum verdict verdict;
		int error = ask(ev, &rows, &verdict, g, f);

		g->found = !error && verdict != VERDICT_UNDECIDED;
		if (!g->found || verdict == VERDICT_COMPACT)
			return error;
		*stride *= 2;
		g->level.ways /= 2;
		if (!g->level.ways) {
			g->found = false;
			return 0;
		}
	}
}

/* Downwards while one more than fits does not at half the stride either. */
static int descend(struct evictor *ev, uint64_t *stride,
		   struct xray_geometry *g, struct failure *f)
{
	while (g->found && *stride / 2 >= ev->least_bytes) {
		struct evict_rows rows = { .stride = *stride / 2,
					   .count = g->level.ways + 1 };
		enum verdict verdict;
		int error = ask(ev, &rows, &verdict, g, f);

		g->found = !error && verdict != VERDICT_UNDECIDED;
		if (!g->found || verdict == VERDICT_COMPACT)
			return error;
		*stride /= 2;
	}
	if (g->found)
		snprintf(g->reason, sizeof(g->reason),
			 "ways of less than %llu KiB cannot be found",
			 (unsigned long long)(2 * ev->least_bytes >> 10));
	g->found = false;
	return 0;
}

/* At odd multiples of the way a number of sets that is no power of two shows. */
static int expect_no_modulo(struct evictor *ev, struct xray_geometry *g,
			    struct failure *f)
{
	size_t a = g->level.ways;
	int error = 0;

	for (size_t m = 3; !error && g->found && m <= a; m += 2) {
		const struct evict_rows rows = {
			.stride = m * g->level.way_bytes, .count = a / m + 1
		};

		if (a % m == 0)
			error = expect(ev, &rows, VERDICT_COMPACT, g, f);
	}
	return error;
}

static int verify(struct evictor *ev, struct xray_geometry *g,
		  struct failure *f)
{
	size_t a = g->level.ways;
	uint64_t t = g->level.way_bytes;
	const struct {
		struct evict_rows rows;
		enum verdict wanted;
	} claims[] = {
		{ { t, a, 0, true }, VERDICT_COMPACT },
		{ { t, a + 1, 0, true }, VERDICT_NON_COMPACT },
		{ { 2 * t, a, 0, false }, VERDICT_COMPACT },
		{ { t / 2, 2 * a, 0, false }, VERDICT_COMPACT },
		{ { t / 2, 2 * a + 1, 0, false }, VERDICT_NON_COMPACT },
	};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(claims) / sizeof(claims[0]);
	     i++)
		error = expect(ev, &claims[i].rows, claims[i].wanted, g, f);
	return error ? error : expect_no_modulo(ev, g, f);
}

int evict_find_geometry(struct evictor *ev, struct xray_geometry *g,
			struct failure *f)
{
	uint64_t stride = ev->p->arena_bytes / MOST_LINES;
	int error;

	*g = (struct xray_geometry){ .found = false };
	prober_progress(ev->p, "L%zu: ways, lines evicted",
			ev->x->upper_count + 1);
	error = find_fitting(ev, stride, &g->level.ways, g, f);
	if (error || !g->level.ways)
		return error;
	g->found = true;
	error = ascend(ev, &stride, g, f);
	/* Where it has risen, half the stride was tried. */
	if (g->found && stride == ev->p->arena_bytes / MOST_LINES)
		error = descend(ev, &stride, g, f);
	if (error || !g->found)
		return error;
	g->level.way_bytes = stride;
	g->level.own = g->level.ways;
	prober_progress(ev->p, "L%zu: size of a way of %zu",
			ev->x->upper_count + 1, g->level.ways);
	error = verify(ev, g, f);
	if (!error && g->found)
		error = evict_takes_victims(ev, &g->level, &g->takes, f);
	g->found &= !error;
	if (g->found)
		g->reason[0] = '\0';
	return error;
}

int evict_look_later(struct evictor *ev, const struct xray_level *level,
		     enum verdict *verdict, struct failure *f)
{
	const struct evict_rows rows = { level->way_bytes, level->ways + 1, 0,
					 true };

	*verdict = VERDICT_UNDECIDED;
	for (int i = 0; *verdict != VERDICT_COMPACT && i < LATER_LOOKS; i++) {
		struct xray_geometry unused;
		int error;

		prober_progress(ev->p, "L%zu: a later look",
				ev->x->upper_count + 1);
		/* Some time has gone by since it was measured. */
		if (i)
			ev->p->m->ops->pause(ev->p->m, LOOKS_APART_MS);
		error = ask(ev, &rows, verdict, &unused, f);
		if (error)
			return error;
	}
	return 0;
}

/* One more than the ways fit once every second one is in another line. */
int evict_find_line(struct evictor *ev, const struct xray_geometry *g,
		    struct parameter *line_bytes, struct failure *f)
{
	struct xray_geometry open = { .level = g->level };
	const struct evict_rows rows = { .stride = g->level.way_bytes,
					 .count = g->level.ways + 1,
					 .shift = ev->line_bytes };
	enum verdict verdict;
	int error;

	prober_progress(ev->p, "L%zu: line", ev->x->upper_count + 1);
	if (rows.count < 2 || rows.shift >= EVICT_PAGE_BYTES) {
		parameter_undecided(line_bytes, EVICT_METHOD,
				    "there is only one way");
		return 0;
	}
	error = ask(ev, &rows, &verdict, &open, f);
	if (error)
		return error;
	if (verdict == VERDICT_COMPACT)
		parameter_measured(line_bytes, (double)rows.shift,
				   xray_bound(ev->x), EVICT_METHOD);
	else
		parameter_undecided(
			line_bytes, EVICT_METHOD, "%s",
			verdict == VERDICT_UNDECIDED ?
				open.reason :
				"longer than that of the level above, or lines come in pairs");
	return 0;
}

static int find(void *context, struct xray *x, struct xray_geometry *g,
		struct failure *f)
{
	(void)x;
	return evict_find_geometry(context, g, f);
}

int evict_agree_on_geometry(struct evictor *ev, struct xray_geometry *g,
			    struct failure *f)
{
	const struct geometry_search by_evictions = { .find = find,
						      .context = ev };

	return geometry_repeat(ev->x, &by_evictions, g, f);
}
