/* SPDX-License-Identifier: GPL-2.0 */
/* module_prefetch.h - the module's switch of hardware prefetchers, for as long
 * as a session lasts.
 */
#ifndef PROBE_PHYS_MODULE_PREFETCH_H
#define PROBE_PHYS_MODULE_PREFETCH_H

#include "machine.h"

/**
 * module_prefetch_off() - switch off all that have a documented switch
 * @session: owns the switch afterwards; closing it restores everything
 * @cpu: the CPU that measures; on Intel the switch is that of its core
 * @p: (out) which are off now, read back, and why not the others
 *
 * Not to be able to is no error: X-Ray's orders do without.
 */
void module_prefetch_off(int session, int cpu, struct machine_prefetchers *p);

#endif
