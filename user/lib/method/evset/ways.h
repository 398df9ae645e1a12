/* SPDX-License-Identifier: GPL-2.0 */
/* ways.h - the ways of a level, by minimal sets that agree. */
#ifndef PROBE_PHYS_METHOD_EVSET_WAYS_H
#define PROBE_PHYS_METHOD_EVSET_WAYS_H

#include "method/evset/report.h"

/**
 * evset_measure_ways() - minimal sets, until EVSET_AGREED of them have as many
 * lines
 * @r: (in, out) the ways, a set and those that agree; ways 0: the reason
 *
 * In splintered pages sets have to be of different pages, and are moved to find
 * larger ones (evset_ways_recheck()). Clusters that they were found in are left
 * in @e, whatever is returned: evset_cluster_pools_end().
 * Return: 0 or the oracle's -errno.
 */
int evset_measure_ways(struct evset_machine *e, struct evset_found *r,
		       struct failure *f);

/**
 * evset_control_misses() - do control lines miss that should hit?
 * @sets: EVSET_AGREED minimal ones, with evictors
 * @missing: (out) control lines take longer than half of a minimal set
 *
 * Half of a set's lines fit for sure. If they take clearly less than their
 * control lines, these miss: of some twenty lines of scattered pages chance
 * puts more than four into one of sixteen sets once in ten. Beside such a
 * control a list seems to miss less than it does.
 * Return: 0 or the oracle's -errno.
 */
int evset_control_misses(struct evset_machine *e, const struct evset_set *sets,
			 bool *missing, struct failure *f);

#endif
