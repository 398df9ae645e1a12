// SPDX-License-Identifier: GPL-2.0
/* shorter_way.c - an exclusive level with fewer sets than the levels above. */
#include "method/stride/compact.h"
#include "method/stride/stride.h"

/* Do @count lines fit, and no more? OPEN: not, or it is not known. */
static int are_all(struct xray *x, uint64_t stride, size_t count,
		   enum outcome *outcome, struct failure *f)
{
	enum verdict fits = VERDICT_UNDECIDED, more = VERDICT_UNDECIDED;
	struct evidence e;
	int error;

	*outcome = OUTCOME_OPEN;
	/* Copies of a line would take room in the level. */
	if (xray_shape(x, stride, count).inner > 1)
		return 0;
	error = xray_compact(x, stride, count, &fits, &e, f);
	if (!error && fits == VERDICT_COMPACT)
		error = xray_compact(x, stride, count + 1, &more, &e, f);
	*outcome = outcome_if(fits == VERDICT_COMPACT &&
				      more == VERDICT_NON_COMPACT,
			      OUTCOME_OPEN);
	return error;
}

int xray_find_shorter_way(struct xray *x, struct xray_geometry *g,
			  struct failure *f)
{
	const size_t all = g->level.ways;
	uint64_t t = g->level.way_bytes;
	const size_t added = xray_added_lines(x, t);
	const size_t own = added < all ? all - added : 0;

	for (uint64_t s = t / 2; own && s >= XRAY_LEAST_STRIDE; s /= 2) {
		const size_t lines = own + xray_added_lines(x, s);
		enum outcome outcome;
		int error = are_all(x, s, lines, &outcome, f);

		if (error)
			return error;
		if (outcome != OUTCOME_DECIDED)
			break;
		g->level = (struct xray_level){ .ways = lines,
						.way_bytes = s,
						.own = own };
		g->nested = false;
	}
	return 0;
}
