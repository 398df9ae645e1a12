/* SPDX-License-Identifier: GPL-2.0 */
/* region.h - the region of the machine "module": a buffer, mapped and proven.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_REGION_H
#define PROBE_PHYS_MACHINE_MODULE_REGION_H

#include "machine/module/view.h"

/**
 * struct module_region - a buffer of one extent
 * @buffer: its descriptor, -1: none
 * @walk_page_bytes: pages by which walks in the kernel reach it, 0: not known
 * @mapping: all of it in user space; mapping.view is -1: not mapped
 */
struct module_region {
	int buffer;
	uint64_t walk_page_bytes;
	struct module_mapping mapping;
};

/**
 * module_region_open() - allocate a buffer and map it
 * @r: (in, out) without descriptors; module_region_close() on error, too
 * @session: descriptor of the module
 * @info: what the module offers
 * @bytes: length wanted; less comes with a note, 4 MiB at least
 * @m: (out) its region; notes
 *
 * By large pages where each of them proves to be one, else by the smallest.
 * Return: 0 or -errno with @f set.
 */
int module_region_open(struct module_region *r, int session,
		       const struct probe_phys_info *info, uint64_t bytes,
		       struct machine *m, struct failure *f);

/** module_region_close() - unmap and free it; one without descriptors is
 * allowed
 */
void module_region_close(struct module_region *r);

#endif
