/* SPDX-License-Identifier: GPL-2.0 */
/* control.h - do lines that others are compared with hit, as they should? */
#ifndef PROBE_PHYS_METHOD_EVSET_CONTROL_H
#define PROBE_PHYS_METHOD_EVSET_CONTROL_H

#include "method/evset/oracle/session.h"

/**
 * evset_control_misses() - half of a minimal set, beside lines that should hit
 * @sets: EVSET_AGREED minimal ones of an oracle that clears the levels above
 * @late: (out) lines that should hit in this level take longer
 *
 * Half of a set's lines fit for sure. Where they take clearly less than what they are
 * compared with, that misses: chance puts more than four of some twenty lines of
 * scattered pages into one of sixteen sets once in ten. A list that is compared with
 * them seems to miss less than it does.
 * Return: 0 or the oracle's -errno.
 */
int evset_control_misses(struct evset_machine *e, const struct evset_set *sets,
			 bool *late, struct failure *f);

#endif
