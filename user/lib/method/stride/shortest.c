// SPDX-License-Identifier: GPL-2.0
/* shortest.c - how many lines at one stride are not compact. */
#include "method/stride/shortest.h"

#include <errno.h>
#include <stdio.h>

#include "method/level/xor_copies.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"

/**
 * struct bounds - on the shortest sequence that is not compact
 * @low: compact
 * @high: not compact, or @blurred
 * @blurred: slow, but translations are missed, too; 0: none was
 * @open: no verdict
 * @unseen: @high is slow on the average, without a verdict
 * @crossed: nor can there be one, as copies of a number between reach into the next row
 * @differs: nor can there be one, as it differs from place to place
 */
struct bounds {
	size_t low;
	size_t high;
	size_t blurred;
	bool open;
	bool unseen;
	bool crossed;
	bool differs;
};

/* One more bound. Translations that are missed say nothing about the cache, but
 * fewer lines may do without.
 */
static int narrow(struct xray *x, uint64_t stride, size_t count,
		  struct bounds *b, struct xray_geometry *g, struct failure *f)
{
	enum verdict verdict;
	struct evidence e;
	int error;

	if (b->open || count <= b->low || count >= b->high)
		return 0;
	error = xray_compact(x, stride, count, &verdict, &e, f);
	if (error)
		return error;
	if (e.refused[0]) {
		b->crossed = b->open = true;
		return 0;
	}
	if (verdict == VERDICT_COMPACT) {
		b->low = count;
		return 0;
	}
	if (verdict == VERDICT_UNDECIDED) {
		xray_say_undecided(g, &e, stride, count);
		b->open = !e.translation;
		b->differs = b->open && e.bases_differ;
		b->blurred = count;
	}
	b->high = count;
	b->unseen = false;
	return 0;
}

/*
 * What the search began with was slow on the average, maybe by translations alone: where
 * one less fits, it is tried itself, and twice as many where it fits.
 */
static int confirm_bound(struct xray *x, uint64_t stride, struct bounds *b,
			 struct xray_geometry *g, struct failure *f)
{
	const size_t bound = b->high;
	int error;

	b->high++;
	error = narrow(x, stride, bound, b, g, f);
	if (error || b->open || b->high == bound)
		return error;
	b->high = 2 * bound;
	b->unseen = true;
	return 0;
}

/*
 * More lines need fewer copies, and those of fewer lines may come round in a level whose
 * way is no multiple of the stride: so lines are not compact that are, in larger numbers.
 * @slow: a number that is not compact
 */
static int doubt_copies(struct xray *x, uint64_t stride, size_t slow,
			struct bounds *b, struct xray_geometry *g,
			struct failure *f)
{
	size_t copies = xray_shape(x, stride, b->high).inner;
	int error = 0;

	for (size_t n = b->high + 1;
	     !error && copies > 1 && n < slow && !b->open; n++) {
		const size_t fewer = xray_shape(x, stride, n).inner;
		struct bounds wide = { .high = slow };

		if (fewer >= copies)
			continue;
		copies = fewer;
		error = narrow(x, stride, n, &wide, g, f);
		if (!error && wide.low == n)
			*b = wide;
	}
	/* Too little memory for more lines leaves no doubt. */
	return error == -ERANGE ? 0 : error;
}

/* As of the strides at which no number of lines is slow at first sight. */
static void say_all_fit(const struct xray *x, uint64_t stride, struct bounds *b,
			struct xray_geometry *g)
{
	b->open = true;
	g->hashed = x->upper_count > 0;
	snprintf(
		g->reason, sizeof(g->reason),
		"%s: %zu lines %llu KiB apart are compact, though some were slow on the average",
		g->hashed ? "index is hashed" : "no cache found", b->low,
		(unsigned long long)(stride >> 10));
}

static int bisect(struct xray *x, uint64_t stride, struct bounds *b,
		  struct xray_geometry *g, struct failure *f)
{
	int error = 0;

	while (!error && !b->open && b->high - b->low > 1)
		error = narrow(x, stride, (b->low + b->high) / 2, b, g, f);
	return error;
}

/* Until nothing lies between the bounds, and both were seen. */
static int narrow_down(struct xray *x, uint64_t stride, struct bounds *b,
		       struct xray_geometry *g, struct failure *f)
{
	int error = bisect(x, stride, b, g, f);

	while (!error && !b->open && b->unseen) {
		b->unseen = false;
		if (b->high > stride_most_lines(x))
			say_all_fit(x, stride, b, g);
		else
			error = confirm_bound(x, stride, b, g, f);
		if (!error)
			error = bisect(x, stride, b, g, f);
	}
	return error;
}

/*
 * In an exclusive hierarchy copies share the ways above: as many lines as need none may
 * fit where half of them do not.
 */
static int doubt_sharing(struct xray *x, uint64_t stride, size_t slow,
			 struct bounds *b, struct xray_geometry *g,
			 struct failure *f)
{
	struct bounds wide = { .low = 1, .unseen = true };
	size_t n = slow;
	int error;

	if (b->open || xray_is_below_hashed(x) ||
	    xray_shape(x, stride, b->high).inner == 1)
		return 0;
	while (n <= stride_most_lines(x) && xray_shape(x, stride, n).inner > 1)
		n++;
	if (n > stride_most_lines(x))
		return 0;
	wide.high = 2 * n;
	error = narrow(x, stride, n, &wide, g, f);
	if (!error && wide.low == n)
		*b = wide;
	/* Too little memory for more lines leaves no doubt. */
	return error == -ERANGE ? 0 : error;
}

int stride_find_shortest(struct xray *x, uint64_t stride, size_t high,
			 size_t before, size_t *shortest,
			 struct xray_geometry *g, struct failure *f)
{
	const size_t likely[] = { before / 2 + 1, before / 2, before - 1,
				  before };
	struct bounds b = { .low = 1, .high = high, .unseen = true };
	int error = 0;

	*shortest = 0;
	for (size_t i = 0; !error && before && i < 4; i++)
		error = narrow(x, stride, likely[i], &b, g, f);
	if (!error)
		error = narrow_down(x, stride, &b, g, f);
	if (!error)
		error = doubt_copies(x, stride, high, &b, g, f);
	if (!error)
		error = doubt_sharing(x, stride, high, &b, g, f);
	if (!error)
		error = narrow_down(x, stride, &b, g, f);
	if (b.crossed)
		*shortest = STRIDE_CROSSED;
	else if (b.differs)
		*shortest = STRIDE_DIFFERS;
	if (error || b.open || b.high == b.blurred)
		return error;
	*shortest = b.high;
	g->translation = g->hashed = g->unclear = false;
	g->reason[0] = '\0';
	return 0;
}
