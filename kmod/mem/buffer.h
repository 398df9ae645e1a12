/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer.h - physically contiguous memory: made once from a ladder rung
 * (rung_*.c), described by extents, freed by the last reference.
 */
#ifndef PP_BUFFER_H
#define PP_BUFFER_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "mem/grant.h"

/**
 * struct pp_mapping - a way for user space to reach the buffer's memory
 * @node: in pp_buffer.mappings
 * @zap: drops all page-table entries of this mapping
 */
struct pp_mapping {
	struct list_head node;
	void (*zap)(struct pp_mapping *mapping);
};

/**
 * struct pp_buffer - one buffer, file->private_data of its descriptor
 * @obj: registry entry
 * @session: session that is charged
 * @bytes: sum of the extents
 * @charged: bytes charged to the session, more than @bytes where part of an
 *           import is not used
 * @rung: PROBE_PHYS_RUNG_* that gave the memory
 * @node: NUMA node of extent 0
 * @nr_extents: length of @extents
 * @extents: longest first; constant after creation
 * @starts: buffer offset at which each extent begins
 * @walk_page_bytes: smallest entry of the linear map that maps any part of the
 *                   buffer, 0: unknown
 * @grant: the memory itself
 * @frozen: the readers are fault handlers that insert an entry, the writer is
 *          the walk that keeps all entries away
 * @lock: innermost lock
 * @mappings: ways into the buffer that a walk has to close, one per view
 * @nr_mappings: length of @mappings
 * @walked: a walk has frozen the buffer or is about to
 *
 * Lock order: mmap_lock, then @frozen, then @lock. The file reference is
 * the reference count: views and walks hold the struct file.
 */
struct pp_buffer {
	struct pp_object obj;
	struct pp_session *session;
	u64 bytes;
	u64 charged;
	u32 rung;
	int node;
	u32 nr_extents;
	struct probe_phys_extent *extents;
	u64 *starts;
	u32 walk_page_bytes;
	struct pp_grant grant;
	struct rw_semaphore frozen;
	/* protects all below */
	struct mutex lock;
	struct list_head mappings;
	u32 nr_mappings;
	bool walked;
};

/**
 * pp_buffer_create() - a new buffer
 * @s: session to charge
 * @arg: checked for size, flags and reserved fields only; outputs filled in,
 *       @arg->largest_bytes also on -ENOMEM
 *
 * Context: process, sleeps, seconds for gigabytes; killable.
 * Return: a new file (not yet installed) or ERR_PTR as in the uapi header.
 */
struct file *pp_buffer_create(struct pp_session *s,
			      struct probe_phys_buffer_create *arg);

/**
 * pp_buffer_check_range() - the uapi header's range rule
 * @b: buffer
 * @offset: start of the range
 * @bytes: its length
 * @align: required alignment of both, a power of two
 *
 * Return: 0, -EINVAL, -EOVERFLOW, -ERANGE.
 */
int pp_buffer_check_range(const struct pp_buffer *b, u64 offset, u64 bytes,
			  u64 align);

/**
 * pp_buffer_extent_at() - the extent that holds an offset
 * @b: buffer
 * @offset: offset in the buffer
 * @start: (out) buffer offset at which that extent begins
 *
 * Return: the extent, or NULL beyond the end.
 */
const struct probe_phys_extent *
pp_buffer_extent_at(const struct pp_buffer *b, u64 offset, u64 *start);

/**
 * pp_buffer_kaddr() - kernel address of a range inside one extent
 * @b: buffer
 * @offset: start of the range
 * @bytes: its length
 *
 * Return: linear-map address, or NULL when the range crosses extents or ends
 * beyond the buffer.
 */
void *pp_buffer_kaddr(const struct pp_buffer *b, u64 offset, u64 bytes);

/**
 * pp_buffer_flush() - flush a range from all caches
 * @b: buffer
 * @offset: start of the range, checked
 * @bytes: its length
 *
 * Context: process, sleeps. Return: 0, -EOPNOTSUPP, -EINTR on a fatal signal.
 */
int pp_buffer_flush(const struct pp_buffer *b, u64 offset, u64 bytes);

/** pp_buffer_info() - the outputs of BUFFER_INFO */
void pp_buffer_info(struct pp_buffer *b, struct probe_phys_buffer_info *arg);

/** pp_buffer_add_mapping() - let walks call @mapping->zap() */
void pp_buffer_add_mapping(struct pp_buffer *b, struct pp_mapping *mapping);

/** pp_buffer_del_mapping() - after it no walk calls @mapping->zap() */
void pp_buffer_del_mapping(struct pp_buffer *b, struct pp_mapping *mapping);

/**
 * pp_buffer_freeze() - drop all page-table entries and keep them away
 * @b: buffer
 *
 * A fault on a mapping waits (killable) until pp_buffer_thaw().
 * Context: process, no locks. Return: 0, or -EBUSY when it is frozen already.
 */
int pp_buffer_freeze(struct pp_buffer *b);

/** pp_buffer_thaw() - end what pp_buffer_freeze() began */
void pp_buffer_thaw(struct pp_buffer *b);

#endif /* PP_BUFFER_H */
