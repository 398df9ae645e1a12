// SPDX-License-Identifier: GPL-2.0
/* plateau.c - the second way to a latency: the plateau of its curve. */
#include <errno.h>
#include <math.h>

#include "method/level/latency.h"

/* Times the capacity above: lines of that many bytes miss there. Those of the first
 * level: parts of its own.
 */
#define PLATEAU_FIRST 2
#define PLATEAU_LAST 4

/* All lines of @bytes in a row, in a random order. */
static int find_point(struct xray *x, uint64_t bytes, unsigned int flags,
		      struct latency_hit *hit, struct failure *f)
{
	uint64_t line = latency_longest_line(x);
	const struct list list = {
		.w = { .inner = 1, .stride = line, .outer = bytes / line }
	};

	return latency_find_hit(x, &list, flags, hit, f);
}

/* *flat: twice as many bytes take as long, and what translations take is known. */
static int find_plateau(struct xray *x, uint64_t bytes, unsigned int flags,
			struct latency_hit *last, bool *flat, struct failure *f)
{
	struct latency_hit first;
	int error = find_point(x, bytes, flags, &first, f);

	*flat = false;
	if (!error && isfinite(first.aside))
		error = find_point(x, 2 * bytes, flags, last, f);
	if (error || !isfinite(first.aside))
		return error;
	*flat = isfinite(last->aside) && last->aside < LATENCY_MOST_ASIDE &&
		latency_same(&first.l, &last->l);
	return 0;
}

/* Where the curve begins; 0: the level has no room for a plateau. */
static uint64_t plateau_begin(const struct xray *x, uint64_t bytes)
{
	uint64_t above = 0;

	if (!x->upper_count)
		return bytes / PLATEAU_LAST;
	for (size_t j = 0; j < x->upper_count; j++)
		if (xray_level_bytes(&x->upper[j]) > above)
			above = xray_level_bytes(&x->upper[j]);
	return 2 * PLATEAU_LAST * above <= bytes ? PLATEAU_FIRST * above : 0;
}

int xray_check_plateau(struct xray *x, uint64_t bytes,
		       struct latency_finding *found, struct failure *f)
{
	static const unsigned int flags[] = { 0, PROBER_LONG_WARMUP };
	uint64_t begin = plateau_begin(x, bytes);
	const double ns = found->latency.ns;
	struct latency_hit hit = { .aside = NAN };
	bool flat = begin > 0;

	for (int i = 0; flat && i < 2; i++) {
		int error = find_plateau(x, begin, flags[i], &hit, &flat, f);

		if (error == -ERANGE || error == -EAGAIN)
			return 0;
		if (error)
			return error;
		if (flat && latency_same(&hit.l, &found->latency))
			return 0;
	}
	if (!flat)
		return 0;
	found->decided = false;
	latency_leave_open(
		found, LATENCY_METHOD,
		"%.2f ns for lines of few sets of the level above, %.2f ns for all of %llu KiB",
		ns, hit.l.ns, (unsigned long long)(2 * begin >> 10));
	return 0;
}
