// SPDX-License-Identifier: GPL-2.0
/* buffer.c - a buffer from creation to release; ladder.c gets its memory. */
#include <linux/anon_inodes.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "limits.h"
#include "mem/buffer.h"
#include "mem/ladder.h"
#include "mem/pagewalk.h"

/* Bytes between two chances to reschedule or to be killed. */
#define FLUSH_CHUNK	SZ_1M

/* --- release ------------------------------------------------------------- */

static void free_buffer(struct pp_buffer *b)
{
	pp_grant_release(&b->grant);
	pp_session_uncharge(b->session, b->charged);
	pp_session_put(b->session);
	mutex_destroy(&b->lock);
	kvfree(b->extents);
	kvfree(b->starts);
	kfree(b);
}

static int release_buffer(struct inode *inode, struct file *file)
{
	struct pp_buffer *b = file->private_data;
	struct pp_object obj = b->obj;
	u64 bytes = b->bytes;

	pp_object_del(&b->obj);
	free_buffer(b);

	/* Last, so that a listener to the event finds the memory free. */
	if (obj.id) {
		pr_debug("buffer %llu: destroyed\n", obj.id);
		pp_stats_add(PP_STAT_BUFFERS_DESTROYED, 1);
		pp_event(PROBE_PHYS_EVENT_BUFFER_GONE, &obj, -1, bytes);
	}
	return 0;
}

static long ioctl_buffer(struct file *file, unsigned int cmd, unsigned long arg)
{
	return pp_command_ioctl(PP_ON_BUFFER, file, cmd, arg);
}

static const struct file_operations buffer_fops = {
	.owner = THIS_MODULE,
	.release = release_buffer,
	.unlocked_ioctl = ioctl_buffer,
	.compat_ioctl = compat_ptr_ioctl,
};

/* --- creation ------------------------------------------------------------ */

static bool import_is_valid(const struct probe_phys_buffer_create *arg)
{
	if (!(arg->rungs & PROBE_PHYS_RUNG_IMPORT))
		return !arg->import_addr;
	return arg->rungs == PROBE_PHYS_RUNG_IMPORT && arg->import_addr &&
	       PAGE_ALIGNED(arg->import_addr);
}

static bool node_is_valid(int node)
{
	return node == PROBE_PHYS_NODE_ANY ||
	       (node >= 0 && node < MAX_NUMNODES && node_online(node));
}

static int check_create(const struct probe_phys_buffer_create *arg)
{
	u64 align = arg->align_bytes ?: PAGE_SIZE;

	if (!arg->bytes || !PAGE_ALIGNED(arg->bytes) ||
	    !PAGE_ALIGNED(arg->min_bytes) || arg->min_bytes > arg->bytes ||
	    !PAGE_ALIGNED(arg->min_extent_bytes) ||
	    arg->min_extent_bytes > arg->bytes)
		return -EINVAL;
	if (!is_power_of_2(align) || align < PAGE_SIZE ||
	    align > PP_MAX_ALIGN_BYTES)
		return -EINVAL;
	if (arg->rungs & ~PROBE_PHYS_RUNG_ALL || !import_is_valid(arg) ||
	    !node_is_valid(arg->node))
		return -EINVAL;
	if (arg->rungs == PROBE_PHYS_RUNG_CONTIG &&
	    !IS_ENABLED(CONFIG_CONTIG_ALLOC))
		return -EOPNOTSUPP;
	return 0;
}

/*
 * Constant while the buffer lives: the kernel splits an entry to change the
 * protection of a part of it, and an entry inside the buffer has no other user.
 */
static u32 smallest_linear_page(const struct pp_buffer *b)
{
	u64 least = U64_MAX;
	u32 i;

	for (i = 0; i < b->nr_extents && least > PAGE_SIZE; i++)
		least = min(least, pp_pagewalk_linear(b->extents[i].phys,
						      b->extents[i].bytes));
	return least;
}

/* Fills in the fields that follow from the grant. */
static int describe(struct pp_buffer *b)
{
	const struct pp_grant *grant = &b->grant;
	u32 i;

	b->extents = kvmalloc_array(grant->nr_runs, sizeof(*b->extents),
				    GFP_KERNEL);
	b->starts = kvmalloc_array(grant->nr_runs, sizeof(*b->starts),
				   GFP_KERNEL);
	if (!b->extents || !b->starts)
		return -ENOMEM;

	for (i = 0; i < grant->nr_runs; i++) {
		b->starts[i] = b->bytes;
		b->extents[i].phys = PFN_PHYS(grant->runs[i].pfn);
		b->extents[i].bytes = (u64)grant->runs[i].nr << PAGE_SHIFT;
		b->bytes += b->extents[i].bytes;
	}
	b->nr_extents = grant->nr_runs;
	b->walk_page_bytes = smallest_linear_page(b);
	b->rung = grant->runs[0].rung;
	b->node = page_to_nid(pfn_to_page(grant->runs[0].pfn));
	return 0;
}

static int fill(struct pp_buffer *b, struct probe_phys_buffer_create *arg)
{
	struct pp_want want = {
		.nr_pages = arg->bytes >> PAGE_SHIFT,
		.align = (arg->align_bytes ?: PAGE_SIZE) >> PAGE_SHIFT,
		.min_run = max_t(u64, arg->min_extent_bytes >> PAGE_SHIFT, 1),
		.node = arg->node,
		.rungs = arg->rungs ?: PROBE_PHYS_RUNG_CONTIG |
				       PROBE_PHYS_RUNG_BUDDY,
		.import_addr = arg->import_addr,
	};
	int ret;

	ret = pp_session_charge(b->session, arg->bytes);
	if (ret)
		return ret;
	b->charged = arg->bytes;

	ret = pp_ladder_climb(&want, arg->min_bytes >> PAGE_SHIFT, &b->grant);
	arg->largest_bytes = (u64)b->grant.longest << PAGE_SHIFT;
	if (ret)
		return ret;
	if (!b->grant.pinned) {
		b->charged = (u64)b->grant.nr_pages << PAGE_SHIFT;
		pp_session_uncharge(b->session, arg->bytes - b->charged);
	}
	return describe(b);
}

static struct pp_buffer *alloc_buffer(struct pp_session *s)
{
	struct pp_buffer *b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);

	if (!b)
		return NULL;
	init_rwsem(&b->frozen);
	mutex_init(&b->lock);
	INIT_LIST_HEAD(&b->mappings);
	pp_session_get(s);
	b->session = s;
	return b;
}

static void announce(struct pp_buffer *b, struct probe_phys_buffer_create *arg)
{
	arg->bytes = b->bytes;
	arg->rung = b->rung;
	arg->nr_extents = b->nr_extents;
	arg->walk_page_bytes = b->walk_page_bytes;
	arg->largest_bytes = b->extents[0].bytes;
	arg->id = b->obj.id;
	pr_debug("buffer %llu: created, %llu bytes in %u extents\n", b->obj.id,
		 b->bytes, b->nr_extents);
	pp_stats_add(PP_STAT_BUFFERS_CREATED, 1);
	pp_event(PROBE_PHYS_EVENT_BUFFER_CREATED, &b->obj, -1, b->bytes);
}

struct file *pp_buffer_create(struct pp_session *s,
			      struct probe_phys_buffer_create *arg)
{
	struct pp_buffer *b;
	struct file *file;
	int ret;

	ret = check_create(arg);
	if (ret)
		return ERR_PTR(ret);

	b = alloc_buffer(s);
	if (!b)
		return ERR_PTR(-ENOMEM);
	ret = fill(b, arg);
	if (ret)
		goto free_buffer;

	file = anon_inode_getfile("probe_phys:buffer", &buffer_fops, b, O_RDWR);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto free_buffer;
	}

	/* From here on the file's release frees the buffer. */
	ret = pp_object_add(&b->obj, PP_OBJECT_BUFFER);
	if (ret) {
		fput(file);
		return ERR_PTR(ret);
	}
	announce(b, arg);
	return file;

free_buffer:
	free_buffer(b);
	return ERR_PTR(ret);
}

/* --- use ----------------------------------------------------------------- */

int pp_buffer_check_range(const struct pp_buffer *b, u64 offset, u64 bytes,
			  u64 align)
{
	u64 end;

	if (!bytes || !IS_ALIGNED(offset | bytes, align))
		return -EINVAL;
	if (check_add_overflow(offset, bytes, &end))
		return -EOVERFLOW;
	return end > b->bytes ? -ERANGE : 0;
}

const struct probe_phys_extent *
pp_buffer_extent_at(const struct pp_buffer *b, u64 offset, u64 *start)
{
	u32 low = 0, high = b->nr_extents;

	if (offset >= b->bytes)
		return NULL;
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (b->starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	*start = b->starts[low];
	return &b->extents[low];
}

void *pp_buffer_kaddr(const struct pp_buffer *b, u64 offset, u64 bytes)
{
	const struct probe_phys_extent *e;
	u64 start;

	e = pp_buffer_extent_at(b, offset, &start);
	if (!e || bytes > e->bytes - (offset - start))
		return NULL;
	return __va(e->phys + (offset - start));
}

int pp_buffer_flush(const struct pp_buffer *b, u64 offset, u64 bytes)
{
	if (!pp_flush_line_bytes())
		return -EOPNOTSUPP;

	while (bytes) {
		const struct probe_phys_extent *e;
		u64 start, len;
		void *addr;

		e = pp_buffer_extent_at(b, offset, &start);
		if (WARN_ON_ONCE(!e))
			return -ERANGE;
		len = min3(bytes, start + e->bytes - offset,
			   (u64)FLUSH_CHUNK);
		addr = pp_buffer_kaddr(b, offset, len);
		if (WARN_ON_ONCE(!addr))
			return -ERANGE;
		pp_flush_lines(addr, len);
		offset += len;
		bytes -= len;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

void pp_buffer_info(struct pp_buffer *b, struct probe_phys_buffer_info *arg)
{
	arg->id = b->obj.id;
	arg->bytes = b->bytes;
	arg->nr_extents = b->nr_extents;
	arg->rung = b->rung;
	arg->node = b->node;
	mutex_lock(&b->lock);
	arg->nr_views = b->nr_mappings;
	mutex_unlock(&b->lock);
}

void pp_buffer_add_mapping(struct pp_buffer *b, struct pp_mapping *mapping)
{
	mutex_lock(&b->lock);
	list_add_tail(&mapping->node, &b->mappings);
	b->nr_mappings++;
	mutex_unlock(&b->lock);
}

void pp_buffer_del_mapping(struct pp_buffer *b, struct pp_mapping *mapping)
{
	mutex_lock(&b->lock);
	list_del(&mapping->node);
	b->nr_mappings--;
	mutex_unlock(&b->lock);
}

static bool claim_for_walk(struct pp_buffer *b, bool walked)
{
	bool changed;

	mutex_lock(&b->lock);
	changed = b->walked != walked;
	b->walked = walked;
	mutex_unlock(&b->lock);
	return changed;
}

int pp_buffer_freeze(struct pp_buffer *b)
{
	struct pp_mapping *m;

	/* A failed trylock of @frozen could also mean a running fault. */
	if (!claim_for_walk(b, true))
		return -EBUSY;

	/* Readers insert one entry and wait for nothing meanwhile. */
	down_write(&b->frozen);
	mutex_lock(&b->lock);
	list_for_each_entry(m, &b->mappings, node)
		m->zap(m);
	mutex_unlock(&b->lock);
	return 0;
}

void pp_buffer_thaw(struct pp_buffer *b)
{
	up_write(&b->frozen);
	claim_for_walk(b, false);
}
