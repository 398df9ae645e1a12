/* SPDX-License-Identifier: GPL-2.0 */
/* pagewalk.h - what the page tables say, by reading them. */
#ifndef PP_PAGEWALK_H
#define PP_PAGEWALK_H

#include <linux/types.h>

struct mm_struct;

/**
 * struct pp_leaf - the entry that translates an address
 * @phys: physical address of the byte asked for
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
 * @mm: whose
 * @addr: address
 * @leaf: (out) the entry
 *
 * Context: mmap_lock held; @addr in a VM_PFNMAP mapping, whose tables nothing
 * but an unmap takes away. Return: 0, or -ENOENT when there is no entry.
 */
int pp_pagewalk(struct mm_struct *mm, unsigned long addr, struct pp_leaf *leaf);

/**
 * pp_pagewalk_linear() - the smallest entry that shows memory in the linear map
 * @phys: physical address
 * @bytes: length, not 0
 *
 * The caller holds the memory: then the kernel may split an entry meanwhile,
 * but takes no table away. Context: process.
 * Return: size of the entry; 0 where part of the memory has none.
 */
u64 pp_pagewalk_linear(u64 phys, u64 bytes);

#endif /* PP_PAGEWALK_H */
