/* SPDX-License-Identifier: GPL-2.0 */
/* view_walk.h - how mapped views are walked, whatever made the mapping. */
#ifndef PROBE_PHYS_MACHINE_NATIVE_VIEW_WALK_H
#define PROBE_PHYS_MACHINE_NATIVE_VIEW_WALK_H

#include "machine/machine.h"

/**
 * mapped_view_walk() - struct machine_ops.view_walk of a struct mapped_view
 * Return: 0; -EINVAL: no elements, misaligned ones, two in one place, or a cold
 * walk; -ERANGE: beyond the view; -ENOMEM; with @f set.
 */
int mapped_view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f);

#endif
