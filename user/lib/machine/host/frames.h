/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frames.h - frame numbers of user-space memory, read from
 * /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst) and used to
 * put huge pages into physical order.
 */
#ifndef PROBE_PHYS_MACHINE_HOST_FRAMES_H
#define PROBE_PHYS_MACHINE_HOST_FRAMES_H

#include "machine/machine.h"

/**
 * frames_alignment() - of the first address of @bytes of pages
 *
 * The largest power of two of them, 1 GiB at most: pages that share a set or an entry of
 * a TLB are aligned so. Golden Cove's first TLB has pages 2n and 2n + 1 of 2 MiB in a set.
 */
uint64_t frames_alignment(uint64_t bytes, uint64_t page_bytes);

/**
 * frames_reserve() - addresses of @bytes of pages, inaccessible, with some at both ends
 *
 * Aligned by frames_alignment(), or to one page where that takes too many addresses.
 * @all, @all_bytes: (out) what is reserved, for munmap()
 * Return: the first page, or NULL with errno set.
 */
char *frames_reserve(uint64_t bytes, uint64_t page_bytes, char **all,
		     uint64_t *all_bytes);

/**
 * frames_sort() - put the pages of a region into physical order
 *
 * Moves whole huge pages inside the address space, so that runs of
 * consecutive frames become runs of consecutive offsets, then describes the
 * result in region->extents. Pages that turn out not to be huge are dropped.
 * Where frame numbers are hidden the order stays and each page is an extent of
 * unknown address. @mapped, @mapped_bytes and @base are replaced, since the
 * memory moves. Every page must have been touched.
 * Return: 0, or -errno with @f set; the memory may be lost then.
 */
int frames_sort(struct region *region, char **mapped, uint64_t *mapped_bytes,
		char **base, struct machine *m, struct failure *f);

/** frames_kept() - whether pages still lie where region->extents says; true
 * where that is not known
 */
bool frames_kept(const struct region *region, char *base);

#endif
