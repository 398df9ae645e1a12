/* SPDX-License-Identifier: GPL-2.0 */
/* count.h - how many sets a level has. */
#ifndef PROBE_PHYS_METHOD_EVSET_COUNT_COUNT_H
#define PROBE_PHYS_METHOD_EVSET_COUNT_COUNT_H

#include "method/evset/oracle/session.h"

/** evset_measure_sets() - number of sets
 * @set: a verified one, of A + 1 lines
 * @line_bytes: line size
 * @sets: (out) 0: @reason says why
 * @index: (out) what that has shown of the index; INDEX_UNKNOWN: nothing
 */
int evset_measure_sets(struct evset_machine *e, const struct evset_set *set,
		       uint64_t line_bytes, uint64_t *sets,
		       enum index_kind *index, char *reason, size_t size,
		       struct failure *f);

#endif
