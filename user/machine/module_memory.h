/* SPDX-License-Identifier: GPL-2.0 */
/* module_memory.h - one physically contiguous run of the module's memory. */
#ifndef PROBE_PHYS_MODULE_MEMORY_H
#define PROBE_PHYS_MODULE_MEMORY_H

#include <linux/probe_phys.h>
#include <stdint.h>

#include "machine.h"

/**
 * module_memory() - a buffer of one extent, a power of two long
 * @session: descriptor of the module
 * @info: what it offers
 * @wanted_bytes: so long, or shorter, with a note; 4 MiB at least
 * @m: (out) its region: bytes, backing, remote
 * @buffer: (out) descriptor
 *
 * Of the NUMA node of the CPU that this thread is on, where that has any.
 * Return: 0 or -errno with @f set.
 */
int module_memory(int session, const struct probe_phys_info *info,
		  uint64_t wanted_bytes, struct machine *m, int *buffer,
		  struct failure *f);

#endif
