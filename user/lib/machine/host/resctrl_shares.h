/* SPDX-License-Identifier: GPL-2.0 */
/* resctrl_shares.h - resources of which the measuring CPU has a share only.
 */
#ifndef PROBE_PHYS_MACHINE_HOST_RESCTRL_SHARES_H
#define PROBE_PHYS_MACHINE_HOST_RESCTRL_SHARES_H

#include "machine/machine.h"

/**
 * shares_note() - note shares that no measurement can see
 *
 * Another thread of the core, as some arrays (instruction TLBs, micro-operation
 * caches) are split between threads that are online; and ways of L2 or L3 that
 * resctrl keeps from this process (Documentation/arch/x86/resctrl.rst).
 * @m: its cpu is known
 * @root: where /sys and /proc lie; "" but in tests
 */
void shares_note(struct machine *m, const char *root);

#endif
