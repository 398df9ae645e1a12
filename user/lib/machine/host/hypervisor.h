/* SPDX-License-Identifier: GPL-2.0 */
/* hypervisor.h - does something lie between this system and the hardware? */
#ifndef PROBE_PHYS_MACHINE_HOST_HYPERVISOR_H
#define PROBE_PHYS_MACHINE_HOST_HYPERVISOR_H

#include <stddef.h>

/** enum hypervisor - what can be told of one */
enum hypervisor {
	HYPERVISOR_NONE,
	HYPERVISOR_UNKNOWN,
	HYPERVISOR_SEEN,
};

/** hypervisor_of_processor() - whether the processor says so (x86: CPUID)
 * @name: (out) what it calls itself
 */
enum hypervisor hypervisor_of_processor(char *name, size_t size);

/**
 * hypervisor_of_firmware() - whether what describes the board says so
 *
 * Nodes of a hypervisor, names of boards that hypervisors make up, and how
 * firmware is called to start CPUs (PSCI): a guest calls its hypervisor (hvc),
 * a system on hardware its firmware (smc).
 * @root: where /sys and /proc lie; "" but in tests
 * @name: (out) what says so
 */
enum hypervisor hypervisor_of_firmware(const char *root, char *name,
				       size_t size);

/** hypervisor_find() - what the processor says, or what firmware does where it
 * says nothing
 */
enum hypervisor hypervisor_find(char *name, size_t size);

#endif
