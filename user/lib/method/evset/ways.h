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
 * are left in @e, whatever is returned: evset_pools_end().
 * Return: 0 or the oracle's -errno.
 */
int evset_measure_ways(struct evset_machine *e, struct evset_found *r,
		       struct failure *f);

#endif
