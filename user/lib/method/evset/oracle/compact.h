/* SPDX-License-Identifier: GPL-2.0 */
/* compact.h - the oracle of a machine: is a list of lines compact? */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_COMPACT_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_COMPACT_H

#include "method/evset/oracle/oracle.h"

/** evset_compact() - the callback of struct evset_oracle; @context: a struct
 * evset_machine
 */
int evset_compact(void *context, const uint64_t *lines, size_t count,
		  bool final, enum verdict *verdict, struct failure *f);

/** evset_machine_pause() - some milliseconds, in which contention may end;
 * @context: the same
 */
void evset_machine_pause(void *context);

#endif
