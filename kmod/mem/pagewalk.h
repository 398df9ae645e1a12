/* SPDX-License-Identifier: GPL-2.0 */
/* pagewalk.h - translations, read from the page tables. */
#ifndef PP_PAGEWALK_H
#define PP_PAGEWALK_H

#include <linux/types.h>

struct mm_struct;

/**
 * struct pp_leaf - the entry that translates an address
 * @phys: physical address of the byte
 * @bytes: size of the entry
 * @prot: PROBE_PHYS_PROT_* bits
 */
struct pp_leaf {
	u64 phys;
	u64 bytes;
	u32 prot;
};

/**
 * pp_pagewalk() - find the entry of a user address
 * @mm: address space
 * @addr: user address
 * @leaf: (out) the entry
 *
 * Context: mmap_lock held; @addr in a VM_PFNMAP mapping, whose tables nothing
 * but an unmap takes away. Return: 0, or -ENOENT when there is no entry.
 */
int pp_pagewalk(struct mm_struct *mm, unsigned long addr, struct pp_leaf *leaf);

/**
 * pp_pagewalk_accessed() - read, and clear, the accessed bit of an entry
 * @mm: address space
 * @addr: user address
 * @clear: clear it; no TLB is flushed
 * @accessed: (out) it was set
 * @next: (out) first address that another entry, or lack of one, is about
 *
 * Context: as of pp_pagewalk(). Return: 0, also where there is no entry, which
 * was not accessed; -EOPNOTSUPP: an entry of PUD_SIZE.
 */
int pp_pagewalk_accessed(struct mm_struct *mm, unsigned long addr, bool clear,
			 bool *accessed, unsigned long *next);

/**
 * pp_pagewalk_span() - what an entry above those of a page size spans
 * @mm: address space
 * @page_bytes: page size
 * @level: levels above it, 0: none
 *
 * Return: bytes; 0: that level is the highest one, or there is none.
 */
u64 pp_pagewalk_span(struct mm_struct *mm, u64 page_bytes, unsigned int level);

/**
 * pp_pagewalk_table_accessed() - read, and clear, the accessed bit of an entry
 *				  that points to a table
 * @mm: address space
 * @addr: user address
 * @span: of the entry, as of pp_pagewalk_span() with a level
 * @clear: clear it, atomically; no TLB is flushed
 *
 * Context: as of pp_pagewalk(). Return: it was set. An entry that does not
 * exist, or has a page, was not accessed.
 */
bool pp_pagewalk_table_accessed(struct mm_struct *mm, unsigned long addr,
				u64 span, bool clear);

/**
 * pp_pagewalk_linear() - the smallest entry of the linear map over memory
 * @phys: physical address
 * @bytes: length, not 0
 *
 * The caller owns the memory: the kernel may split an entry meanwhile, but
 * frees no table. Context: process.
 * Return: size of the entry; 0 where part of the memory has none.
 */
u64 pp_pagewalk_linear(u64 phys, u64 bytes);

#endif /* PP_PAGEWALK_H */
