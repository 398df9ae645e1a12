/* SPDX-License-Identifier: GPL-2.0 */
/* free_memory.h - memory that can be taken without taking it from others. */
#ifndef PROBE_PHYS_MACHINE_HOST_FREE_MEMORY_H
#define PROBE_PHYS_MACHINE_HOST_FREE_MEMORY_H

#include <stdint.h>

/** host_free_bytes() - MemAvailable of /proc/meminfo; 0: it does not say, and
 * UINT64_MAX: it cannot be read
 */
uint64_t host_free_bytes(void);

#endif
