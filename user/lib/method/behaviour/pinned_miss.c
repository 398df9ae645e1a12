// SPDX-License-Identifier: GPL-2.0
/* pinned_miss.c - what a miss costs where nothing is known of the levels below. */
#include <errno.h>
#include <math.h>

#include "method/behaviour/pinned.h"
#include "method/behaviour/tuning.h"

/* Lines that were pushed out while the holder kept them, and then left it, above
 * what they take where nothing has pushed.
 */
static int time_miss(struct pinned *k, const struct pinned_place *at,
		     double *ticks, struct failure *f)
{
	struct pinned_steps s = { .count = 0 };
	struct readings r = { .count = 0 };
	double there = NAN;
	int error = pinned_present(k, at, PINNED_UPPER, 0, &there, f);

	*ticks = NAN;
	if (error)
		return error;
	pinned_begin(k, at, &s);
	pinned_rounds(k, at, PINNED_PUSH, k->wanted, &s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, &s);
	error = pinned_observe(k, at, &s, 0, &r, f);
	if (!error && r.count)
		*ticks = statistics_peek(r.values, r.count, 0.25) - there;
	return error;
}

int pinned_find_miss(struct pinned *k, struct failure *f)
{
	struct pinned_scale *here = &k->scales[PINNED_HERE];
	double least = INFINITY;
	int error = 0;

	for (int i = 0; !error && k->assumed && i < MISS_PLACES; i++) {
		struct pinned_place at;
		double ticks = NAN;

		error = pinned_place(k, &at, f);
		if (!error)
			error = time_miss(k, &at, &ticks, f);
		pinned_release(&at);
		/* Not seen is not known. */
		least = error || isnan(ticks) ? -INFINITY : fmin(least, ticks);
	}
	if (error == -ERANGE)
		return 0;
	if (error || !k->assumed || !(least > k->miss_ticks))
		return error;
	k->assumed = false;
	k->miss_ticks = least;
	if (!here->counter)
		here->unit = least;
	return 0;
}
