/* SPDX-License-Identifier: GPL-2.0 */
/*
 * self_conflicts.h - sets out of candidates that overflow them, by what each
 * load takes.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_MINIMAL_SELF_CONFLICTS_H
#define PROBE_PHYS_METHOD_EVSET_MINIMAL_SELF_CONFLICTS_H

#include "method/evset/oracle/session.h"

/**
 * evset_self_conflicts() - a minimal set out of candidates whose sets overflow
 * @lines: @count candidates in random order, all of which share the sets of the levels
 *         above; in another order afterwards
 * @set: (out) still to be verified; set->count 0: none was told
 *
 * Of thousands of random lines chance puts more than fit into some sets. To one
 * that asks whether a list as a whole is slow these are a thousandth of it; in a
 * walk that times each load they are the ones that are late, every time. They are what
 * Prime+Prune+Probe throws out as self-conflicts (Song & Liu, RAID 2019), and all that
 * is wanted here: evset_leave_one_out() takes sets out of some dozens of them.
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int evset_self_conflicts(struct evset_machine *e, uint64_t *lines, size_t count,
			 struct evset_set *set, struct failure *f);

#endif
