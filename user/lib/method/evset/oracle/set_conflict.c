// SPDX-License-Identifier: GPL-2.0
/* set_conflict.c - misses of one set of the first level that follow each other. */
#include "method/evset/oracle/set_conflict.h"

#include <errno.h>

/* Enough rows for each of two sets to miss. */
#define MULTIPLE 6
/* Less of a hit is the spread of two timings of it. */
#define CLEARLY 0.05

/* Lines this far apart share a set of the first level, in memory that may be
 * contiguous for no more than that.
 */
static uint64_t apart_in_set(const struct evset_machine *e)
{
	const uint64_t way = e->x->upper[0].way_bytes;

	return way && way < e->window.low_bytes ? way : e->window.low_bytes;
}

int evset_find_conflict(struct evset_machine *e, struct failure *f)
{
	struct shape one = xray_control(e->x, MULTIPLE), two;
	struct prober *p = e->x->prober;
	double rows = (double)one.outer, alone = 0, mixed = 0;
	int error;

	e->scale.conflict = 0;
	if (xray_counter(e->x) || e->x->upper_count != 1 || one.inner > 1 ||
	    one.folds.count || !e->x->upper[0].line_bytes)
		return 0;
	two = one;
	two.skew = apart_in_set(e) / 2;
	two.skews = 2;
	/* Then there is one set alone. */
	if (two.skew < e->x->upper[0].line_bytes)
		return 0;
	error = prober_time(p, &one, 0, &alone, f);
	if (!error)
		error = prober_time(p, &two, 0, &mixed, f);
	/* Of another row the other half is in the same set, but for that row. */
	if (!error && alone - mixed > CLEARLY * mixed)
		e->scale.conflict = (alone - mixed) * (rows - 1) / (rows / 2);
	return error == -ERANGE || error == -EAGAIN ? 0 : error;
}

/* Share of the loads that follow one of another set, walked cyclically. */
static double changing(const struct evset_machine *e, const struct sequence *s)
{
	const uint64_t low = apart_in_set(e);
	const uint64_t line = e->x->upper[0].line_bytes;
	size_t changes = 0;

	for (size_t i = 0; i < s->length; i++)
		changes += s->offsets[i] % low / line !=
			   s->offsets[(i + 1) % s->length] % low / line;
	return s->length ? (double)changes / (double)s->length : 0;
}

double evset_conflict_added(const struct evset_machine *e,
			    const struct sequence *list,
			    const struct sequence *control)
{
	if (xray_counter(e->x) || !(e->scale.conflict > 0))
		return 0;
	return e->scale.conflict * (changing(e, control) - changing(e, list));
}
