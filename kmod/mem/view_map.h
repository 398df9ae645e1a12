/* SPDX-License-Identifier: GPL-2.0 */
/* view_map.h - a view's mappings: from mmap over faults to munmap. */
#ifndef PP_VIEW_MAP_H
#define PP_VIEW_MAP_H

#include "mem/view.h"

/** pp_view_map_bytes() - length of the longest mapping */
u64 pp_view_map_bytes(const struct pp_view *v);

/** pp_view_mmap() - .mmap of a view's file */
int pp_view_mmap(struct file *file, struct vm_area_struct *vma);

/**
 * pp_view_get_unmapped_area() - .get_unmapped_area of a view's file
 * @file: view
 * @addr: hint, or the address with MAP_FIXED
 * @len: length
 * @pgoff: offset into the view in base pages
 * @flags: MAP_*
 *
 * Refuses what .mmap would refuse later, so that the caller gets the reason and
 * not -ENOMEM. Return: an aligned address or -errno.
 */
unsigned long pp_view_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pgoff,
					unsigned long flags);

#endif /* PP_VIEW_MAP_H */
