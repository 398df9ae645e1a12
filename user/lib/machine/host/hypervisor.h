/* SPDX-License-Identifier: GPL-2.0 */
/* hypervisor.h - whether this system runs on a hypervisor. */
#ifndef PROBE_PHYS_MACHINE_HOST_HYPERVISOR_H
#define PROBE_PHYS_MACHINE_HOST_HYPERVISOR_H

#include <stddef.h>

/** enum hypervisor - what is known of a hypervisor */
enum hypervisor {
	HYPERVISOR_NONE,
	HYPERVISOR_UNKNOWN,
	HYPERVISOR_SEEN,
};

/** hypervisor_of_processor() - what the processor says (x86: CPUID)
 * @name: (out) name that the hypervisor gives itself
 */
enum hypervisor hypervisor_of_processor(char *name, size_t size);

/**
 * hypervisor_of_firmware() - what the firmware's description of the board says
 *
 * Reads nodes of a hypervisor, names of boards that only hypervisors have, and
 * how firmware is called to start CPUs (PSCI): a guest calls its hypervisor
 * (hvc), a system on hardware its firmware (smc).
 * @root: where /sys and /proc lie; "" but in tests
 * @name: (out) entry that says so
 */
enum hypervisor hypervisor_of_firmware(const char *root, char *name,
				       size_t size);

/** hypervisor_find() - what the processor says, or what firmware does where it
 * says nothing
 */
enum hypervisor hypervisor_find(char *name, size_t size);

#endif
