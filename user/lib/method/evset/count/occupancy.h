/* SPDX-License-Identifier: GPL-2.0 */
/*
 * occupancy.h - a number of sets, checked by random pages that were not sorted.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_OCCUPANCY_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_OCCUPANCY_H

#include "method/evset/oracle/session.h"

/**
 * evset_occupancy() - do whole random pages contradict a number of sets?
 * @sets: of @ways lines of @line_bytes each, as counted
 * @denied: (out) pages of half the capacity miss as if there were half as many
 *          sets, or pages of one and a half hardly miss, as if there were twice
 *          as many; or all samples were disturbed. False if pages are too few,
 *          or ways less than four
 *
 * Lines of random pages fall into sets like balls into boxes: with a mean of A
 * / 2 few sets get more than A, with a mean of 3 A / 2 nearly all do. The check
 * does not depend on how sets were sorted, so that it repeats none of its
 * errors.
 *
 * Return: 0 or -errno with @f set.
 */
int evset_occupancy(struct evset_machine *e, uint64_t sets, size_t ways,
		    uint64_t line_bytes, bool *denied, struct failure *f);

#endif
