/* SPDX-License-Identifier: GPL-2.0 */
/* line.h - line size from a minimal set. */
#ifndef PROBE_PHYS_METHOD_EVSET_LINE_H
#define PROBE_PHYS_METHOD_EVSET_LINE_H

#include "method/evset/oracle/session.h"

/** evset_measure_line() - line size of the level
 * @bytes: (out) 0: @reason says why
 * Return: 0 or the oracle's -errno.
 */
int evset_measure_line(struct evset_machine *e, const struct evset_set *set,
		       uint64_t *bytes, char *reason, size_t size,
		       struct failure *f);

#endif
