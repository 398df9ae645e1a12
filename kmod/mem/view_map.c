// SPDX-License-Identifier: GPL-2.0
/* view_map.c - mappings of exactly one entry size, filled on access. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/overflow.h>
#include <linux/rwsem.h>

#include "compat.h"
#include "mem/view_map.h"

u64 pp_view_map_bytes(const struct pp_view *v)
{
	return v->alias_pages ? v->alias_pages * v->page_bytes : v->bytes;
}

/* --- faults -------------------------------------------------------------- */

/* Frame of the entry that holds the faulting address. */
static unsigned long entry_pfn(const struct pp_view *v,
			       const struct vm_fault *vmf)
{
	u64 page = ((u64)vmf->pgoff << PAGE_SHIFT) / v->page_bytes;
	u64 frames = v->bytes / v->page_bytes;
	const struct probe_phys_extent *e;
	u64 offset, start;

	page %= frames;
	if (v->flags & PROBE_PHYS_VIEW_DESCENDING)
		page = frames - 1 - page;
	offset = v->offset + page * v->page_bytes;
	e = pp_buffer_extent_at(v->buffer, offset, &start);
	return PHYS_PFN(e->phys + (offset - start));
}

#ifdef PP_HAVE_VIEW_PMD
static vm_fault_t insert_pmd(struct vm_fault *vmf, unsigned long pfn)
{
	/* An existing page table cannot be replaced. */
	if (!pmd_none(*vmf->pmd) && !pmd_leaf(*vmf->pmd))
		return VM_FAULT_SIGBUS;
	return pp_insert_pmd(vmf, pfn, vmf->vma->vm_flags & VM_WRITE);
}
#else
static vm_fault_t insert_pmd(struct vm_fault *vmf, unsigned long pfn)
{
	return VM_FAULT_SIGBUS;
}
#endif

#ifdef PP_HAVE_VIEW_PUD
static vm_fault_t insert_pud(struct vm_fault *vmf, unsigned long pfn)
{
	if (!pud_none(*vmf->pud) && !pud_leaf(*vmf->pud))
		return VM_FAULT_SIGBUS;
	return pp_insert_pud(vmf, pfn, vmf->vma->vm_flags & VM_WRITE);
}
#else
static vm_fault_t insert_pud(struct vm_fault *vmf, unsigned long pfn)
{
	return VM_FAULT_SIGBUS;
}
#endif

/*
 * The entry gets the protection of the mapping also when the access was a read,
 * so that a later write does not fault again.
 */
static vm_fault_t insert(const struct pp_view *v, struct vm_fault *vmf)
{
	unsigned long pfn = entry_pfn(v, vmf);

	if (v->page_bytes == PAGE_SIZE)
		return vmf_insert_pfn(vmf->vma, vmf->address & PAGE_MASK, pfn);
	if (v->page_bytes == PMD_SIZE)
		return insert_pmd(vmf, pfn);
	return insert_pud(vmf, pfn);
}

static vm_fault_t insert_unless_frozen(struct vm_fault *vmf)
{
	struct pp_view *v = vmf->vma->vm_private_data;
	struct pp_buffer *b = v->buffer;
	vm_fault_t ret;

	/*
	 * The walk that holds @frozen takes none of the locks that a fault
	 * holds, so waiting here cannot deadlock. A task that is being killed
	 * gets an error: with VM_FAULT_NOPAGE the kernel would repeat its own
	 * access to user memory for ever.
	 */
	if (down_read_killable(&b->frozen))
		return VM_FAULT_SIGBUS;
	ret = insert(v, vmf);
	up_read(&b->frozen);
	return ret;
}

/*
 * Faults on views of base pages always come here. Faults on huge pages come
 * here when the kernel does not call .huge_fault: before 6.12 it calls that for
 * file systems only, later not while transparent huge pages are off.
 */
static vm_fault_t view_fault(struct vm_fault *vmf)
{
	return insert_unless_frozen(vmf);
}

static vm_fault_t view_huge_fault(struct vm_fault *vmf, PP_FAULT_ORDER order)
{
	struct pp_view *v = vmf->vma->vm_private_data;

	if (v->page_bytes == PAGE_SIZE || v->page_bytes != pp_fault_bytes(order))
		return VM_FAULT_FALLBACK;
	return insert_unless_frozen(vmf);
}

/* --- mappings ------------------------------------------------------------ */

static void view_open(struct vm_area_struct *vma)
{
	struct pp_view *v = vma->vm_private_data;

	atomic_inc(&v->nr_mappings);
}

static void view_close(struct vm_area_struct *vma)
{
	struct pp_view *v = vma->vm_private_data;

	atomic_dec(&v->nr_mappings);
}

static int view_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	struct pp_view *v = vma->vm_private_data;

	return IS_ALIGNED(addr, v->page_bytes) ? 0 : -EINVAL;
}

static int view_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct view_vm_ops = {
	.open = view_open,
	.close = view_close,
	.may_split = view_may_split,
	.mremap = view_mremap,
	.fault = view_fault,
	.huge_fault = view_huge_fault,
};

static int check_map(const struct pp_view *v, unsigned long addr,
		     unsigned long len, unsigned long pgoff)
{
	u64 offset = (u64)pgoff << PAGE_SHIFT, end;

	if (!IS_ALIGNED(addr | len | offset, v->page_bytes))
		return -EINVAL;
	if (check_add_overflow(offset, (u64)len, &end) ||
	    end > pp_view_map_bytes(v))
		return -ERANGE;
	return 0;
}

int pp_view_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pp_view *v = file->private_data;
	int ret;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (!(v->flags & PROBE_PHYS_VIEW_EXEC)) {
		if (vma->vm_flags & VM_EXEC)
			return -EACCES;
		vm_flags_clear(vma, VM_MAYEXEC);
	}
	ret = check_map(v, vma->vm_start, vma->vm_end - vma->vm_start,
			vma->vm_pgoff);
	if (ret)
		return ret;

	/* With VM_IO madvise() cannot undo VM_DONTCOPY. */
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP |
			  VM_DONTCOPY);
	/* With THP "madvise" the kernel calls .huge_fault for such VMAs only. */
	if (v->page_bytes != PAGE_SIZE)
		vm_flags_set(vma, VM_HUGEPAGE);
	vma->vm_private_data = v;
	vma->vm_ops = &view_vm_ops;
	view_open(vma);
	return 0;
}

unsigned long pp_view_get_unmapped_area(struct file *file, unsigned long addr,
					unsigned long len, unsigned long pgoff,
					unsigned long flags)
{
	const struct pp_view *v = file->private_data;
	unsigned long pad = v->page_bytes - PAGE_SIZE, found;
	int ret;

	ret = check_map(v, addr, len, pgoff);
	if (ret)
		return ret;
	if (flags & MAP_FIXED)
		return addr;

	found = pp_get_unmapped_area(file, addr, len, pgoff, flags);
	if (IS_ERR_VALUE(found) || IS_ALIGNED(found, v->page_bytes))
		return found;
	found = pp_get_unmapped_area(file, 0, len + pad, pgoff, flags);
	if (IS_ERR_VALUE(found))
		return found;
	return ALIGN(found, v->page_bytes);
}
