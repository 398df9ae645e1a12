/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inclusion_steps.h - the question of inclusion.h asked in steps, where rounds
 * of a walk cannot: a first level of few ways, a level below one that takes
 * lines away above, or one whose misses cost nobody knows what.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_INCLUSION_STEPS_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_INCLUSION_STEPS_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * inclusion_by_steps() - of one level
 *
 * The first level keeps a line, or, below one that may be inclusive, the level
 * right above does, which then is asked for it each time. Others push it out of
 * the level in question meanwhile. Inclusive: the line goes above, too, just
 * when it is pushed out, and not when others of the same sets above pass by.
 * Neither: it is still there above, and once it is pushed out there it misses
 * here, as it does not after others have passed by. Each is decided by a sign
 * test on placements.
 *
 * @h: as for inclusion_measure(); @k: index of the level, from 1 on. Its
 *     inclusion is filled in, or why it cannot be told
 * @drawn_before: alpha_drawn of the budget when nothing was drawn for that
 * Return: 0; -EINTR; other -errno with @f set.
 */
int inclusion_by_steps(struct prober *p, struct hierarchy *h, size_t k,
		       double drawn_before, struct failure *f);

#endif
