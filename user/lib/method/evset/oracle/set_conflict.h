/* SPDX-License-Identifier: GPL-2.0 */
/* set_conflict.h - what a miss of the first level takes longer right after one of
 * the same set.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_SET_CONFLICT_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_SET_CONFLICT_H

#include "method/evset/oracle/session.h"

/**
 * evset_find_conflict() - e->scale.conflict, below the first level and by time
 *
 * Rows of one set in a random order, against rows that lie in two sets by turns,
 * in pages of their own as well, so that translations take as long.
 * Return: 0 or -errno of prober_time().
 */
int evset_find_conflict(struct evset_machine *e, struct failure *f);

/**
 * evset_conflict_added() - ticks per load that a list takes longer for that than its
 * control, as both are walked
 */
double evset_conflict_added(const struct evset_machine *e,
			    const struct sequence *list,
			    const struct sequence *control);

#endif
