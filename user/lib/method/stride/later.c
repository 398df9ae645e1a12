// SPDX-License-Identifier: GPL-2.0
/* later.c - a later look at levels whose ways have been counted. */
#include <errno.h>
#include <math.h>

#include "method/probe/time_limit.h"
#include "method/stride/compact.h"
#include "method/stride/stride.h"
#include "method/stride/tuning.h"

void xray_remember(const struct xray *x, const struct xray_level *level,
		   struct xray_recheck *recheck)
{
	*recheck = (struct xray_recheck){
		.x = *x,
		.level = *level,
		.arena_offset = x->prober->arena_offset,
		.arena_bytes = x->prober->arena_bytes,
		.found_ns = time_limit_now_ns(x->prober),
	};
}

/* What keeps lines only ever takes room: as many as fit now have it. */
static int look(const struct xray_recheck *recheck, enum verdict *verdict,
		struct failure *f)
{
	struct xray x = recheck->x;
	struct prober *p = x.prober;
	const uint64_t arena_offset = p->arena_offset;
	const uint64_t arena_bytes = p->arena_bytes;
	struct evidence e;
	int error;

	*verdict = VERDICT_UNDECIDED;
	/* The counter that it was found by is not believed any more. */
	if (!xray_counter(&x) && x.reference.penalty_ticks <= 0)
		return 0;
	p->arena_offset = recheck->arena_offset;
	p->arena_bytes = recheck->arena_bytes;
	error = xray_compact(&x, recheck->level.way_bytes,
			     recheck->level.ways + 1, verdict, &e, f);
	p->arena_offset = arena_offset;
	p->arena_bytes = arena_bytes;
	if (error != -EAGAIN && error != -ERANGE)
		return error;
	*verdict = VERDICT_UNDECIDED;
	f->text[0] = '\0';
	return 0;
}

int xray_look_once(const struct xray_recheck *recheck, size_t count,
		   size_t *doubted, struct failure *f)
{
	*doubted = count;
	if (count)
		prober_progress(recheck[0].x.prober,
				"a later look at what was found");
	for (size_t k = 0; k < count && *doubted == count; k++) {
		enum verdict verdict = VERDICT_UNDECIDED;
		int error = 0;

		if (recheck[k].level.ways)
			error = look(&recheck[k], &verdict, f);
		if (error)
			return error;
		if (verdict == VERDICT_COMPACT)
			*doubted = k;
	}
	return 0;
}

static double last_found_ns(const struct xray_recheck *recheck, size_t count)
{
	double ns = -INFINITY;

	for (size_t k = 0; k < count; k++)
		if (recheck[k].level.ways)
			ns = fmax(ns, recheck[k].found_ns);
	return ns;
}

int xray_look_later(const struct xray_recheck *recheck, size_t count,
		    size_t *doubted, struct failure *f)
{
	int error = 0;

	*doubted = count;
	for (int i = 0; count && !error && *doubted == count && i < LATER_LOOKS;
	     i++) {
		/* Some time has gone by since most of it was measured. */
		if (i)
			time_limit_wait(recheck[0].x.prober,
					last_found_ns(recheck, count),
					LATER_MS);
		error = xray_look_once(recheck, count, doubted, f);
	}
	return error;
}
