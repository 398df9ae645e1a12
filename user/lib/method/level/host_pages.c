// SPDX-License-Identifier: GPL-2.0
#include "method/level/host_pages.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/level/latency.h"
#include "method/level/tuning.h"

/* No first array has room for this number of translations of its smallest pages (Golden
 * Cove 96, Firestorm 160), and few first caches for fewer lines.
 */
#define LEAST_LINES 224
#define MOST_LINES 512
/* A translation of the second array takes more than a hit of the first cache
 * (Golden Cove 7 cycles beside 5); a core's clock changes by a sixth.
 */
#define CLEARLY 1.5

/* Rows of the first cache take turns: each set has as many lines as any other. */
static uint64_t line_at(const struct xray_level *first, uint64_t stride,
			size_t i)
{
	uint64_t rows = first->way_bytes / HOST_PAGES_BYTES;
	uint64_t of_piece = HOST_PAGES_BYTES / first->line_bytes;

	if (stride < HOST_PAGES_BYTES)
		return i * stride;
	return i * stride +
	       i / (rows ? rows : 1) % of_piece * first->line_bytes;
}

static int time_apart(struct prober *p, const struct xray_level *first,
		      uint64_t base, uint64_t stride, size_t count,
		      double *ticks, struct failure *f)
{
	uint64_t lines[MOST_LINES];

	for (size_t i = 0; i < count; i++)
		lines[i] = base + line_at(first, stride, i);
	return xray_time_lines(p, lines, count, ticks, f);
}

/* Every trial has to say so; OUTCOME_VOID: some did. */
static int compare(struct prober *p, const struct xray_level *first,
		   size_t count, enum outcome *outcome, struct failure *f)
{
	uint64_t places = p->arena_bytes / HOST_PAGES_BYTES - count;
	double least = INFINITY, fastest = INFINITY, most = 0;

	for (int i = 0; i < HOST_PAGES_TRIALS; i++) {
		uint64_t base = p->arena_offset +
				rng_below(&p->rng, places) * HOST_PAGES_BYTES;
		double apart, near;
		int error = time_apart(p, first, base, HOST_PAGES_BYTES, count,
				       &apart, f);

		if (!error)
			error = time_apart(p, first, base, first->line_bytes,
					   count, &near, f);
		if (error)
			return error;
		least = fmin(least, isfinite(apart) ? apart : 0);
		most = fmax(most, isfinite(near) ? near : INFINITY);
		fastest = fmin(fastest, near);
	}
	*outcome = outcome_if(least > CLEARLY * most,
			      least > CLEARLY * fastest ? OUTCOME_VOID :
							  OUTCOME_OPEN);
	return 0;
}

static int compare_patiently(struct prober *p, const struct xray_level *first,
			     size_t count, enum outcome *outcome,
			     struct failure *f)
{
	int error = 0;

	*outcome = OUTCOME_VOID;
	for (int i = 0;
	     !error && *outcome == OUTCOME_VOID && i < HOST_PAGES_ATTEMPTS;
	     i++) {
		if (i)
			p->m->ops->pause(p->m, HOST_PAGES_APART_MS);
		error = compare(p, first, count, outcome, f);
	}
	return error;
}

int host_pages_measure(struct prober *p, const struct xray_level *first,
		       struct failure *f)
{
	uint64_t line = first->line_bytes;
	uint64_t half = line ? xray_level_bytes(first) / line / 2 : 0;
	size_t count = half < MOST_LINES ? half : MOST_LINES;
	enum outcome outcome;
	int error;

	if (!p->m->virtual_machine || p->pieces != VERDICT_UNDECIDED ||
	    count < LEAST_LINES || first->masks || line > HOST_PAGES_BYTES ||
	    p->arena_bytes < 2 * count * HOST_PAGES_BYTES)
		return 0;
	error = compare_patiently(p, first, count, &outcome, f);
	if (!error)
		p->pieces = outcome == OUTCOME_DECIDED ? VERDICT_NON_COMPACT :
							 VERDICT_COMPACT;
	return error;
}
