/* SPDX-License-Identifier: GPL-2.0 */
/*
 * occupancy.h - sets that were counted, against blocks of memory that nobody
 * sorted.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_OCCUPANCY_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_OCCUPANCY_H

#include "method/evset/oracle/session.h"

/**
 * evset_occupancy() - do whole random blocks contradict so many sets?
 * @sets: of @ways lines of @line_bytes each, as counted
 * @denied: (out) blocks of half the capacity miss as if there were no more than half
 *          as many sets, or those of one and a half hardly miss, as if there were
 *          twice as many; or nobody could see, since all of it was disturbed. Not
 *          where blocks are too few or the ways less than four.
 *
 * Lines of random blocks meet in sets like balls in boxes: of mean A / 2 to each few
 * sets get more than A, of mean 3 A / 2 nearly all do. It knows nothing of how the
 * sets were sorted, so that no mistake there is made here again.
 *
 * Return: 0 or -errno with @f set.
 */
int evset_occupancy(struct evset_machine *e, uint64_t sets, size_t ways,
		    uint64_t line_bytes, bool *denied, struct failure *f);

#endif
