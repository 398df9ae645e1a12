/* SPDX-License-Identifier: GPL-2.0 */
/* prefetch.h - the module's switch of hardware prefetchers, for as long
 * as a session lasts.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_PREFETCH_H
#define PROBE_PHYS_MACHINE_MODULE_PREFETCH_H

#include "machine/machine.h"

/**
 * module_prefetch_off() - switch off all that have a documented switch
 * @session: owns the switch afterwards; closing it restores everything
 * @cpu: the CPU that measures; on Intel the switch is that of its core
 * @p: (out) which are off now, read back, and why not the others
 *
 * Prefetchers that stay on are no error: X-Ray's orders defeat them.
 * Return: those that are off, PROBE_PHYS_PREFETCH_* bits.
 */
unsigned int module_prefetch_off(int session, int cpu,
				 struct machine_prefetchers *p);

/**
 * module_prefetch_keep_off() - read the switch back, and switch off once more
 * what has come on since: by suspend, or when the CPU was offline
 * @session: owns the switch
 * @cpu: the CPU that measures
 * @off: those that should be off, PROBE_PHYS_PREFETCH_* bits
 *
 * Return: 0: they were off, 1: some were on, and are off now, or -errno.
 */
int module_prefetch_keep_off(int session, int cpu, unsigned int off);

#endif
