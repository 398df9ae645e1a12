// SPDX-License-Identifier: GPL-2.0
/* compact.c - are these lines compact in the level, and why is it not known? */
#include <stdio.h>

#include "method/stride/compact.h"
#include "method/stride/stride.h"

int xray_compact(struct xray *x, uint64_t stride, size_t count,
		 enum verdict *verdict, struct evidence *e, struct failure *f)
{
	struct shape w = xray_shape(x, stride, count);

	return xray_compact_shape(x, &w, verdict, e, f);
}

int xray_compact_shape(struct xray *x, const struct shape *w,
		       enum verdict *verdict, struct evidence *e,
		       struct failure *f)
{
	const struct xray_level unknown = { .ways = 0 };
	struct reference shaken = x->reference;
	int error;

	*verdict = VERDICT_UNDECIDED;
	*e = (struct evidence){ .bases_differ = false };
	if (!xray_shape_holds(x, w, &unknown, e->refused, sizeof(e->refused)))
		return 0;
	error = prober_compact(x->prober, w, &x->reference, verdict, e, f);
	if (error || !x->near || *verdict == VERDICT_COMPACT || e->translation)
		return error;
	/* While words share lines, some orders keep lines for good that are
	 * not used any more (tree-PLRU): other orders come first, then.
	 */
	shaken.shaken = true;
	return prober_compact(x->prober, w, &shaken, verdict, e, f);
}

void xray_say_undecided(struct xray_geometry *g, const struct evidence *e,
			uint64_t stride, size_t count)
{
	if (e->translation)
		snprintf(
			g->reason, sizeof(g->reason),
			"%zu lines %llu bytes apart miss translations too: pages are too small or too scattered to see the cache",
			count, (unsigned long long)stride);
	else if (e->bases_differ)
		snprintf(
			g->reason, sizeof(g->reason),
			"index is hashed, or other load uses some sets: %zu lines %llu bytes apart are compact at some bases and not at others (%u against %u)",
			count, (unsigned long long)stride,
			e->decision.compact_blocks,
			e->decision.non_compact_blocks);
	else if (e->refused[0])
		snprintf(
			g->reason, sizeof(g->reason),
			"%zu lines %llu bytes apart do not surely get past the levels above: %s",
			count, (unsigned long long)stride, e->refused);
	else
		snprintf(
			g->reason, sizeof(g->reason),
			"%zu lines %llu bytes apart: no clear verdict after %u placements (%zu fast, %zu slow of %zu, %u too disturbed)",
			count, (unsigned long long)stride, e->decision.blocks,
			e->decision.fast, e->decision.slow,
			e->decision.observations, e->decision.void_blocks);
	g->hashed = e->bases_differ && !e->translation;
	g->translation = e->translation;
	g->unclear = true;
}
