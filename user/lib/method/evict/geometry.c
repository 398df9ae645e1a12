// SPDX-License-Identifier: GPL-2.0
/* geometry.c - the level below, from lines that were pushed out. */
#include <errno.h>
#include <stdio.h>

#include "method/evict/evict.h"

#define METHOD "x-ray, lines pushed out"
/* Lines that are asked about: no fewer fit into a set than that a stride of
 * the window's part shows it.
 */
#define MOST_LINES 64
#define PAGE_BYTES 4096
/* Later looks, and how far they lie apart. */
#define LOOKS 2
#define LOOKS_APART_MS 300

static void say_open(struct xray_geometry *g, const struct pushed_rows *rows,
		     const struct evidence *e)
{
	snprintf(
		g->reason, sizeof(g->reason),
		"%zu lines %llu bytes apart, pushed out of the level above: no clear verdict after %u placements (%zu fast, %zu slow of %zu)",
		rows->count, (unsigned long long)rows->stride,
		e->decision.blocks, e->decision.fast, e->decision.slow,
		e->decision.observations);
}

/* Return: 0 with *verdict undecided and g->reason set where it is. */
static int ask(struct xray *x, const struct pushed_rows *rows,
	       enum verdict *verdict, struct xray_geometry *g,
	       struct failure *f)
{
	struct evidence e;
	int error = pushed_compact(x->pushed, rows, verdict, &e, f);

	if (error == -ERANGE) {
		*verdict = VERDICT_UNDECIDED;
		g->cramped = true;
		snprintf(
			g->reason, sizeof(g->reason),
			"only %llu KiB are contiguous: not enough for %zu lines %llu KiB apart",
			(unsigned long long)(x->prober->arena_bytes >> 10),
			rows->count, (unsigned long long)(rows->stride >> 10));
		return 0;
	}
	if (!error && *verdict == VERDICT_UNDECIDED)
		say_open(g, rows, &e);
	return error;
}

/* Expects a verdict; *good is false with g->reason set otherwise. */
static int expect(struct xray *x, const struct pushed_rows *rows,
		  enum verdict wanted, bool *good, struct xray_geometry *g,
		  struct failure *f)
{
	enum verdict verdict;
	int error;

	if (!*good)
		return 0;
	error = ask(x, rows, &verdict, g, f);
	if (error || verdict == wanted)
		return error;
	*good = false;
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
static int find_fitting(struct xray *x, uint64_t stride, size_t *fitting,
			struct xray_geometry *g, struct failure *f)
{
	struct pushed_rows rows = { .stride = stride, .count = 2 };
	size_t low = 1, high = 0;

	*fitting = 0;
	while (!high || high - low > 1) {
		enum verdict verdict;
		int error = ask(x, &rows, &verdict, g, f);

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
				"%d lines %llu KiB apart, pushed out of the level above, fit: more than can be told in %llu KiB of contiguous memory",
				MOST_LINES, (unsigned long long)(stride >> 10),
				(unsigned long long)(x->prober->arena_bytes >>
						     10));
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
static int ascend(struct xray *x, uint64_t *stride, struct xray_geometry *g,
		  bool *good, struct failure *f)
{
	for (;;) {
		struct pushed_rows rows = { .stride = 2 * *stride,
					    .count = g->level.ways / 2 + 1 };
		enum verdict verdict;
		int error = ask(x, &rows, &verdict, g, f);

		*good = !error && verdict != VERDICT_UNDECIDED;
		if (!*good || verdict == VERDICT_COMPACT)
			return error;
		*stride *= 2;
		g->level.ways /= 2;
		if (!g->level.ways) {
			*good = false;
			return 0;
		}
	}
}

/* Downwards while one more than fits does not at half the stride either. */
static int descend(struct xray *x, uint64_t *stride, struct xray_geometry *g,
		   bool *good, struct failure *f)
{
	while (*good && *stride / 2 >= x->pushed->least_bytes) {
		struct pushed_rows rows = { .stride = *stride / 2,
					    .count = g->level.ways + 1 };
		enum verdict verdict;
		int error = ask(x, &rows, &verdict, g, f);

		*good = !error && verdict != VERDICT_UNDECIDED;
		if (!*good || verdict == VERDICT_COMPACT)
			return error;
		*stride /= 2;
	}
	if (*good)
		snprintf(g->reason, sizeof(g->reason),
			 "ways of less than %llu KiB cannot be told",
			 (unsigned long long)(2 * x->pushed->least_bytes >>
					      10));
	*good = false;
	return 0;
}

/* At odd multiples of the way a number of sets that is no power of two shows. */
static int expect_no_modulo(struct xray *x, struct xray_geometry *g, bool *good,
			    struct failure *f)
{
	size_t a = g->level.ways;
	int error = 0;

	for (size_t m = 3; !error && *good && m <= a; m += 2) {
		const struct pushed_rows rows = {
			.stride = m * g->level.way_bytes, .count = a / m + 1
		};

		if (a % m == 0)
			error = expect(x, &rows, VERDICT_COMPACT, good, g, f);
	}
	return error;
}

static int verify(struct xray *x, struct xray_geometry *g, bool *good,
		  struct failure *f)
{
	size_t a = g->level.ways;
	uint64_t t = g->level.way_bytes;
	const struct {
		struct pushed_rows rows;
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
		error = expect(x, &claims[i].rows, claims[i].wanted, good, g,
			       f);
	return error ? error : expect_no_modulo(x, g, good, f);
}

int pushed_find_geometry(struct xray *x, struct xray_geometry *g,
			 struct failure *f)
{
	uint64_t stride = x->prober->arena_bytes / MOST_LINES;
	bool good;
	int error;

	*g = (struct xray_geometry){ .found = false };
	prober_progress(x->prober, "L%zu: ways, lines pushed out",
			x->upper_count + 1);
	error = find_fitting(x, stride, &g->level.ways, g, f);
	if (error || !g->level.ways)
		return error;
	error = ascend(x, &stride, g, &good, f);
	/* Where it has risen, half the stride was tried. */
	if (!error && good && stride == x->prober->arena_bytes / MOST_LINES)
		error = descend(x, &stride, g, &good, f);
	if (error || !good)
		return error;
	g->level.way_bytes = stride;
	g->level.own = g->level.ways;
	prober_progress(x->prober, "L%zu: size of a way of %zu",
			x->upper_count + 1, g->level.ways);
	error = verify(x, g, &good, f);
	if (!error && good)
		error = pushed_takes_victims(x->pushed, &g->level, &g->takes,
					     f);
	g->found = !error && good;
	if (g->found)
		g->reason[0] = '\0';
	return error;
}

int pushed_look_later(struct xray *x, const struct xray_level *level,
		      bool *more, struct failure *f)
{
	const struct pushed_rows rows = { level->way_bytes, level->ways + 1, 0,
					  true };

	*more = false;
	for (int i = 0; !*more && i < LOOKS; i++) {
		struct xray_geometry unused;
		enum verdict verdict;
		int error;

		prober_progress(x->prober, "L%zu: a later look",
				x->upper_count + 1);
		/* Some time has gone by since it was measured. */
		if (i)
			x->prober->m->ops->pause(x->prober->m, LOOKS_APART_MS);
		error = ask(x, &rows, &verdict, &unused, f);
		if (error)
			return error;
		*more = verdict == VERDICT_COMPACT;
	}
	return 0;
}

/* One more than the ways fit once every second one is in another line. */
int pushed_find_line(struct xray *x, const struct xray_geometry *g,
		     struct parameter *line_bytes, struct failure *f)
{
	struct xray_geometry open = { .level = g->level };
	const struct pushed_rows rows = { .stride = g->level.way_bytes,
					  .count = g->level.ways + 1,
					  .shift = x->pushed->line_bytes };
	enum verdict verdict;
	int error;

	prober_progress(x->prober, "L%zu: line", x->upper_count + 1);
	if (rows.count < 2 || rows.shift >= PAGE_BYTES) {
		parameter_undecided(line_bytes, METHOD,
				    "there is only one way");
		return 0;
	}
	error = ask(x, &rows, &verdict, &open, f);
	if (error)
		return error;
	if (verdict == VERDICT_COMPACT)
		parameter_measured(line_bytes, (double)rows.shift,
				   xray_bound(x), METHOD);
	else
		parameter_undecided(
			line_bytes, METHOD, "%s",
			verdict == VERDICT_UNDECIDED ?
				open.reason :
				"longer than that of the level above, or lines come in pairs");
	return 0;
}
