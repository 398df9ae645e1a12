/* SPDX-License-Identifier: GPL-2.0 */
/* memory.h - one physically contiguous run of the module's memory. */
#ifndef PROBE_PHYS_MACHINE_MODULE_MEMORY_H
#define PROBE_PHYS_MACHINE_MODULE_MEMORY_H

#include <linux/probe_phys.h>
#include <stdint.h>

#include "machine/machine.h"

/**
 * module_memory() - a buffer of one extent, a power of two long
 * @session: descriptor of the module
 * @info: what the module offers
 * @wanted_bytes: length wanted; less comes with a note, 4 MiB at least
 * @m: (out) its region: bytes, backing, remote
 * @made: (out) the buffer as the module made it
 *
 * Of the NUMA node of the CPU that this thread is on, where that has any.
 * Return: 0 or -errno with @f set.
 */
int module_memory(int session, const struct probe_phys_info *info,
		  uint64_t wanted_bytes, struct machine *m,
		  struct probe_phys_buffer_create *made, struct failure *f);

/**
 * module_walked_by() - the page size of a region that is walked in two ways
 * @m: its region has the page size of its view in user space; where walks in
 *     the kernel go by smaller pages it becomes theirs, with a note
 * @walk_page_bytes: by which they go; 0: not known, the worst is assumed
 * @base_page_bytes: the smallest page that there is
 */
void module_walked_by(struct machine *m, uint64_t walk_page_bytes,
		      uint64_t base_page_bytes);

#endif
