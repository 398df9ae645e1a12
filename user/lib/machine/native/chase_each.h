/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase_each.h - a walk that times each load by itself.
 *
 * What a load took is added up in its own line, which it has just brought to
 * the first level: a list of results beside would take room in the caches
 * itself.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_EACH_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_EACH_H

#include "machine/native/chase_loop.h"

/** chase_each() - chase_walk() with plan->each, once the walk has been checked and
 * laid out in @path
 */
void chase_each(struct machine *m, const struct timer *timer,
		const struct chase_path *path, const struct walk_plan *plan,
		struct sample *sample);

#endif
