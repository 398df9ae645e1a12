/* SPDX-License-Identifier: GPL-2.0 */
/* ways.h - the ways of a level, of minimal sets that agree. */
#ifndef PROBE_PHYS_METHOD_EVSET_WAYS_H
#define PROBE_PHYS_METHOD_EVSET_WAYS_H

#include "method/evset/report.h"

/**
 * evset_measure_ways() - minimal sets, until EVSET_AGREED of them have as many lines
 * @r: (in, out) the ways, a set and those that agreed; ways 0: the reason
 *
 * In the pieces of a guest's pages those are seen to be of different pages, and are
 * moved to look for larger ones (ways_recheck.h). Pools that they were found in
 * are left in @e, whatever is returned: evset_cluster_pools_end().
 * Return: 0 or the oracle's -errno.
 */
int evset_measure_ways(struct evset_machine *e, struct evset_found *r,
		       struct failure *f);

/**
 * evset_control_misses() - half of a minimal set, beside lines that should hit
 * @sets: EVSET_AGREED minimal ones of an oracle that clears the levels above
 * @missing: (out) lines that should hit in this level take longer
 *
 * Half of a set's lines fit for sure. Where they take clearly less than what they are
 * compared with, that misses: chance puts more than four of some twenty lines of
 * scattered pages into one of sixteen sets once in ten. A list that is compared with
 * them seems to miss less than it does.
 * Return: 0 or the oracle's -errno.
 */
int evset_control_misses(struct evset_machine *e, const struct evset_set *sets,
			 bool *missing, struct failure *f);

#endif
