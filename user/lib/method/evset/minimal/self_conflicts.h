/* SPDX-License-Identifier: GPL-2.0 */
/*
 * self_conflicts.h - sets out of candidates that overflow them, by the time of
 * each load.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_SELF_CONFLICTS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_SELF_CONFLICTS_H

#include "method/evset/oracle/session.h"

/**
 * evset_self_conflicts() - a minimal set out of candidates whose sets overflow
 * @lines: @count candidates in random order, all of which share the sets of the
 *         levels above; reordered
 * @set: (out) still to be verified; set->count 0: none
 *
 * Of thousands of random lines chance puts more into some sets than fit. These
 * lines are a thousandth of the list, which hardly shows in its total time; in
 * a walk that times each load they miss every time. Prime+Prune+Probe discards
 * them as self-conflicts (Song & Liu, RAID 2019); here they are all that is
 * wanted: evset_leave_one_out() takes sets out of some dozens of them.
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_self_conflicts(struct evset_machine *e, uint64_t *lines, size_t count,
			 struct evset_set *set, struct failure *f);

#endif
