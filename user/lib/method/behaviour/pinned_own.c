// SPDX-License-Identifier: GPL-2.0
/* pinned_own.c - what one line takes longer in its holder. */
#include "method/behaviour/pinned_own.h"

#include <math.h>

#include "method/behaviour/tuning.h"

int pinned_own_add(struct pinned *k, const struct pinned_place *at,
		   const struct pinned_act *passed,
		   const struct pinned_act *gone, const struct pinned_act *used,
		   struct failure *f)
{
	struct pinned_own *own = &k->own;
	int error = 0;

	for (int i = 0; !error && i < OWN_AGAIN; i++) {
		double there = NAN, lost = NAN, seen = NAN, half;

		error = pinned_time(k, at, used, &there, f);
		if (!error)
			error = pinned_time(k, at, passed, &seen, f);
		if (!error)
			error = pinned_time(k, at, gone, &lost, f);
		half = PINNED_LOST_SHARE * (lost - there) - (seen - there);
		own->sum += half;
		own->squares += half * half;
		own->count++;
	}
	return error;
}

bool pinned_own_keeps(const struct pinned *k)
{
	const double alpha = k->p->rules.alpha, n = (double)k->own.count;
	const double mean = k->own.sum / n;
	const double error = sqrt((k->own.squares / n - mean * mean) / n);

	/* Not where nothing was seen (NAN). */
	return !k->alone || (budget_draw(&k->p->budget, alpha) &&
			     mean > statistics_sigmas(alpha) * error);
}
