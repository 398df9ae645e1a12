/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase_each.h - a walk that times each load by itself.
 *
 * What a load took is added up in its own line, which it has just brought to the
 * first level: a list of results beside would take room in the caches itself.
 */
#ifndef PROBE_PHYS_CHASE_EACH_H
#define PROBE_PHYS_CHASE_EACH_H

#include "chase.h"

/**
 * chase_each() - chase_walk() with plan->each
 * Return: 0; -ERANGE, -EINVAL (an element is misaligned, or the plan asks for what
 * does not go together) with @f set.
 */
int chase_each(struct machine *m, char *base, const struct timer *timer,
	       const struct sequence *s, const struct walk_plan *plan,
	       struct sample *sample, struct failure *f);

#endif
