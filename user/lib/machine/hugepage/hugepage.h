/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hugepage.h - a machine on huge pages of user space, without a module.
 *
 * Knows no other kind of machine and no method. Called by what opens machines;
 * the rest is shared by the files of this folder. Functions return 0 or -errno
 * with the text in @f.
 */
#ifndef PROBE_PHYS_MACHINE_HUGEPAGE_HUGEPAGE_H
#define PROBE_PHYS_MACHINE_HUGEPAGE_HUGEPAGE_H

#include "machine/host/page_watch.h"
#include "machine/machine.h"
#include "machine/native/native.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/**
 * struct hugepage_machine - a machine on huge pages
 * @native: CPU, timer, base
 * @mapped: the mapping, @mapped_bytes long
 * @hugetlb: its pages are from a pool, and so never split
 * @watch: of other pages
 */
struct hugepage_machine {
	struct native native;
	char *mapped;
	uint64_t mapped_bytes;
	bool hugetlb;
	struct page_watch watch;
};

/**
 * machine_open_hugepage() - user-space memory on huge pages
 *
 * 1 GiB hugetlb, else 2 MiB hugetlb, else transparent huge pages.
 * Return: a machine or NULL with @f set (STATUS_UNAVAILABLE where the
 * computer cannot).
 */
struct machine *machine_open_hugepage(const struct machine_request *request,
				      struct failure *f);

/** HUGEPAGE_SHIFT - where MAP_HUGE_* and MFD_HUGE_* have log2 of the page size
 * (include/uapi/asm-generic/hugetlb_encode.h)
 */
#define HUGEPAGE_SHIFT 26

/** hugepage_flags() - MAP_HUGE_* or MFD_HUGE_*: they are the same */
static inline unsigned int hugepage_flags(uint64_t page_bytes)
{
	return (unsigned int)__builtin_ctzll(page_bytes) << HUGEPAGE_SHIFT;
}

/** hugepage_views() - fill machine.view_*: the views that are possible */
void hugepage_views(struct hugepage_machine *h);

/**
 * hugepage_watch() - check after a walk whether its pages have kept their size
 *
 * If not, @samples become disturbed, and a note says so.
 * Return: 0, or -EIO with @f set where the known extents are no longer
 * true.
 */
int hugepage_watch(struct hugepage_machine *h, const struct sequence *s,
		   const struct walk_plan *plan, struct sample *samples,
		   struct failure *f);

/** hugepage_view_walk() - struct machine_ops.view_walk, with the same watch */
int hugepage_view_walk(struct view *view, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f);

/**
 * hugepage_touch_offer() - say whether accessed bits can be cleared and read
 *
 * By /proc/self/clear_refs and /proc/self/smaps, of pages of the base size.
 */
void hugepage_touch_offer(struct machine *m);

/** hugepage_touch_map() - the pages of a view that was requested as @touched; 0 or
 * -errno with @f set
 */
int hugepage_touch_map(struct mapped_view *v, struct failure *f);

/** hugepage_view_touch() - struct machine_ops.view_touch */
int hugepage_view_touch(struct view *view, const struct touch_plan *plan,
			struct touch_answer *answer, struct failure *f);

/** hugepage_view_open() - struct machine_ops.view_open */
int hugepage_view_open(struct machine *m, const struct view_request *request,
		       struct view **view, struct failure *f);

#endif
