/* SPDX-License-Identifier: GPL-2.0 */
/* view.h - a range of a buffer, mapped into user space with one page size. */
#ifndef PP_VIEW_H
#define PP_VIEW_H

#include "mem/buffer.h"

/**
 * struct pp_view - one view, file->private_data of its descriptor
 * @obj: registry entry
 * @buffer: buffer that it maps; its file is held through @buffer_file
 * @buffer_file: reference that keeps the buffer
 * @in_buffer: in buffer->mappings
 * @offset: start of the range in the buffer
 * @bytes: length of the range
 * @page_bytes: size of each entry
 * @alias_pages: virtual pages of an alias view, 0: plain
 * @flags: PROBE_PHYS_VIEW_*
 * @mapping: own address_space of this file, so that exactly its mappings can
 *           be taken away
 * @nr_mappings: live VMAs (atomic)
 */
struct pp_view {
	struct pp_object obj;
	struct pp_buffer *buffer;
	struct file *buffer_file;
	struct pp_mapping in_buffer;
	u64 offset;
	u64 bytes;
	u64 page_bytes;
	u32 alias_pages;
	u32 flags;
	struct address_space *mapping;
	atomic_t nr_mappings;
};

/** pp_view_page_sizes() - pmd and pud sizes that can be mapped, 0: cannot */
void pp_view_page_sizes(u64 *pmd_bytes, u64 *pud_bytes);

/**
 * pp_view_create() - a view of a buffer
 * @buffer_file: the file of @b; the view takes a reference of its own
 * @b: buffer
 * @arg: checked for size and flags only; outputs filled in
 * Return: a new file (not yet installed) or ERR_PTR as in the uapi header.
 */
struct file *pp_view_create(struct file *buffer_file, struct pp_buffer *b,
			    struct probe_phys_view_create *arg);

/** pp_view_from_file() - the view of @file, or NULL for another kind */
struct pp_view *pp_view_from_file(struct file *file);

/** pp_view_resolve() - VIEW_RESOLVE for a mapping of current */
int pp_view_resolve(struct pp_view *v, struct probe_phys_view_resolve *arg);

/** pp_view_flush() - VIEW_FLUSH */
int pp_view_flush(struct pp_view *v, const struct probe_phys_view_flush *arg);

/** pp_view_accessed() - VIEW_ACCESSED for a mapping of current */
int pp_view_accessed(struct pp_view *v, struct probe_phys_view_accessed *arg);

#endif /* PP_VIEW_H */
