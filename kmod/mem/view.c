// SPDX-License-Identifier: GPL-2.0
/* view.c - a view from creation to release; view_map.c maps it. */
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "base/base.h"
#include "compat.h"
#include "cpu/cpu.h"
#include "mem/pagewalk.h"
#include "mem/view.h"
#include "mem/view_map.h"

void pp_view_page_sizes(u64 *pmd_bytes, u64 *pud_bytes)
{
	*pmd_bytes = 0;
	*pud_bytes = 0;
#ifdef PP_HAVE_VIEW_PMD
	if (has_transparent_hugepage())
		*pmd_bytes = PMD_SIZE;
#endif
#ifdef PP_HAVE_VIEW_PUD
	if (*pmd_bytes && pp_cpu_has_pud())
		*pud_bytes = PUD_SIZE;
#endif
}

/* --- release ------------------------------------------------------------- */

static int release_view(struct inode *inode, struct file *file)
{
	struct pp_view *v = file->private_data;
	struct pp_buffer *b = v->buffer;

	if (v->obj.id) {
		pr_debug("view %llu: destroyed\n", v->obj.id);
		pp_stats_add(PP_STAT_VIEWS_DESTROYED, 1);
	}
	pp_object_del(&v->obj);
	pp_buffer_del_mapping(b, &v->in_buffer);
	fput(v->buffer_file);
	kfree(v);
	pp_anonfile_release();
	return 0;
}

static long ioctl_view(struct file *file, unsigned int cmd, unsigned long arg)
{
	return pp_command_ioctl(PP_ON_VIEW, file, cmd, arg);
}

static const struct file_operations view_fops = {
	.owner = THIS_MODULE,
	.release = release_view,
	.mmap = pp_view_mmap,
	.get_unmapped_area = pp_view_get_unmapped_area,
	.unlocked_ioctl = ioctl_view,
	.compat_ioctl = compat_ptr_ioctl,
};

struct pp_view *pp_view_from_file(struct file *file)
{
	return file->f_op == &view_fops ? file->private_data : NULL;
}

/* --- creation ------------------------------------------------------------ */

static int check_page_bytes(u64 page_bytes)
{
	u64 pmd_bytes, pud_bytes;

	if (page_bytes == PAGE_SIZE)
		return 0;
	pp_view_page_sizes(&pmd_bytes, &pud_bytes);
	if (page_bytes == PMD_SIZE)
		return pmd_bytes ? 0 : -EOPNOTSUPP;
	if (page_bytes == PUD_SIZE)
		return pud_bytes ? 0 : -EOPNOTSUPP;
	return -EINVAL;
}

/* Each entry must be aligned physically and lie in one extent. */
static int check_extents(const struct pp_buffer *b, u64 offset, u64 bytes,
			 u64 page_bytes)
{
	const struct probe_phys_extent *e;
	u64 start, inside, part;

	for (; bytes; offset += part, bytes -= part) {
		e = pp_buffer_extent_at(b, offset, &start);
		inside = offset - start;
		part = min(bytes, e->bytes - inside);
		if (!IS_ALIGNED((e->phys + inside) | part, page_bytes))
			return -EINVAL;
	}
	return 0;
}

static int check_create(const struct pp_buffer *b,
			const struct probe_phys_view_create *arg)
{
	int ret;

	if (arg->alias_pages > PROBE_PHYS_MAX_ALIAS_PAGES)
		return -EINVAL;
	ret = check_page_bytes(arg->page_bytes);
	if (ret)
		return ret;
	ret = pp_buffer_check_range(b, arg->offset, arg->bytes,
				    arg->page_bytes);
	if (ret)
		return ret;
	return check_extents(b, arg->offset, arg->bytes, arg->page_bytes);
}

static struct pp_view *alloc_view(struct pp_buffer *b,
				  const struct probe_phys_view_create *arg)
{
	struct pp_view *v = kzalloc(sizeof(*v), GFP_KERNEL_ACCOUNT);

	if (!v)
		return NULL;
	v->buffer = b;
	v->offset = arg->offset;
	v->bytes = arg->bytes;
	v->page_bytes = arg->page_bytes;
	v->alias_pages = arg->alias_pages;
	v->flags = arg->flags;
	return v;
}

static void zap(struct pp_mapping *in_buffer)
{
	struct pp_view *v = container_of(in_buffer, struct pp_view, in_buffer);

	unmap_mapping_range(v->mapping, 0, 0, 1);
}

static void attach(struct pp_view *v, struct file *file,
		   struct file *buffer_file)
{
	v->mapping = file->f_mapping;
	v->buffer_file = get_file(buffer_file);
	v->in_buffer.zap = zap;
	pp_buffer_add_mapping(v->buffer, &v->in_buffer);
}

struct file *pp_view_create(struct file *buffer_file, struct pp_buffer *b,
			    struct probe_phys_view_create *arg)
{
	struct pp_view *v;
	struct file *file;
	int ret;

	ret = check_create(b, arg);
	if (ret)
		return ERR_PTR(ret);

	v = alloc_view(b, arg);
	if (!v)
		return ERR_PTR(-ENOMEM);
	file = pp_anonfile_create("probe_phys:view", &view_fops, v);
	if (IS_ERR(file)) {
		kfree(v);
		return file;
	}

	/* From here on the file's release frees the view. */
	attach(v, file, buffer_file);
	ret = pp_object_add(&v->obj, PP_OBJECT_VIEW);
	if (ret) {
		fput(file);
		return ERR_PTR(ret);
	}
	arg->map_bytes = pp_view_map_bytes(v);
	arg->id = v->obj.id;
	pr_debug("view %llu: created on buffer %llu, %llu bytes by %llu\n",
		 v->obj.id, b->obj.id, v->bytes, v->page_bytes);
	pp_stats_add(PP_STAT_VIEWS_CREATED, 1);
	return file;
}

/* --- use ----------------------------------------------------------------- */

static int resolve_locked(const struct pp_view *v, struct mm_struct *mm,
			  unsigned long addr, struct pp_leaf *leaf)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	if (!vma || !vma->vm_file || pp_view_from_file(vma->vm_file) != v)
		return -EINVAL;
	return pp_pagewalk(mm, addr, leaf);
}

int pp_view_resolve(struct pp_view *v, struct probe_phys_view_resolve *arg)
{
	struct mm_struct *mm = current->mm;
	struct pp_leaf leaf;
	int ret;

	if (arg->address >= TASK_SIZE)
		return -EINVAL;
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ret = resolve_locked(v, mm, arg->address, &leaf);
	mmap_read_unlock(mm);
	if (ret)
		return ret;

	arg->phys = leaf.phys;
	arg->page_bytes = leaf.bytes;
	arg->prot = leaf.prot;
	return 0;
}

static int check_accessed(const struct probe_phys_view_accessed *arg, u64 span)
{
	u64 end;

	if (!span)
		return -EINVAL;
	if (!arg->bytes || !IS_ALIGNED(arg->address | arg->bytes, span))
		return -EINVAL;
	if (check_add_overflow(arg->address, arg->bytes, &end))
		return -EOVERFLOW;
	if (arg->address >= TASK_SIZE)
		return -EINVAL;
	if (arg->level && !pp_has_table_young())
		return -EOPNOTSUPP;
	return arch_has_hw_pte_young() ? 0 : -EOPNOTSUPP;
}

/* One entry. @addr: (out) moves on to the next one. */
static int take_accessed(struct mm_struct *mm, u64 span,
			 struct probe_phys_view_accessed *arg,
			 unsigned long *addr)
{
	bool clear = arg->flags & PROBE_PHYS_VIEW_ACCESSED_CLEAR, accessed;
	int ret = 0;

	if (arg->level) {
		accessed = pp_pagewalk_table_accessed(mm, *addr, span, clear);
		*addr += span;
	} else {
		ret = pp_pagewalk_accessed(mm, *addr, clear, &accessed, addr);
	}
	if (!ret)
		arg->accessed += accessed;
	return ret;
}

/* Reads and writes nothing but entries of a mapping of this view. */
static int accessed_locked(const struct pp_view *v, struct mm_struct *mm,
			   u64 span, struct probe_phys_view_accessed *arg)
{
	unsigned long addr = arg->address, end = addr + arg->bytes;
	struct vm_area_struct *vma = vma_lookup(mm, addr);
	int ret;

	if (!vma || !vma->vm_file || pp_view_from_file(vma->vm_file) != v)
		return -EINVAL;
	if (end > vma->vm_end)
		return -ERANGE;
	while (addr < end) {
		ret = take_accessed(mm, span, arg, &addr);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

int pp_view_accessed(struct pp_view *v, struct probe_phys_view_accessed *arg)
{
	struct mm_struct *mm = current->mm;
	u64 span = pp_pagewalk_span(mm, v->page_bytes, arg->level);
	int ret = check_accessed(arg, span);

	if (ret)
		return ret;
	arg->accessed = 0;
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	ret = accessed_locked(v, mm, span, arg);
	mmap_read_unlock(mm);
	return ret;
}

int pp_view_flush(struct pp_view *v, const struct probe_phys_view_flush *arg)
{
	if (arg->flags & PROBE_PHYS_VIEW_FLUSH_ENTRIES)
		zap(&v->in_buffer);
	else
		pp_flush_tlbs();
	return 0;
}
