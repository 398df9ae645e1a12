// SPDX-License-Identifier: GPL-2.0
/*
 * watch.c - huge pages that the kernel splits, or joins, while they are walked.
 *
 * The samples of that walk are disturbed, and so taken again. If the memory has
 * other frames afterwards, its extents no longer hold: an error.
 */
#include <sys/mman.h>

#include "machine/host/frames.h"
#include "machine/hugepage/hugepage.h"
#include "machine/native/mapped_view.h"
#include "machine/native/view_walk.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static void void_samples(struct machine *m, const struct walk_plan *plan,
			 struct sample *samples)
{
	m->conditions.resized++;
	machine_void_samples(m, plan, samples);
	machine_note(
		m,
		"pages changed their size while they were walked (huge ones were split or put together); those samples were repeated");
}

static int fail_late(struct failure *f)
{
	return fail(
		f, STATUS_FAILED, EIO,
		"memory: pages changed their size some time ago, and samples may show it (run it again; Linux 6.7 reports it at once)");
}

int hugepage_watch(struct hugepage_machine *h, const struct sequence *s,
		   const struct walk_plan *plan, struct sample *samples,
		   struct failure *f)
{
	struct machine *m = &h->native.machine;
	enum page_change change;

	if (h->hugetlb)
		return 0;
	change = page_watch_check(&h->watch, s, plan);
	if (change == PAGES_KEPT)
		return 0;
	if (change == PAGES_CHANGED_LATE)
		return fail_late(f);
	/* A page that the kernel joins again gets other frames. */
	madvise(h->native.base, m->region.bytes, MADV_NOHUGEPAGE);
	if (!frames_kept(&m->region, h->native.base))
		return fail(
			f, STATUS_FAILED, EIO,
			"memory: huge pages were split and moved while they were measured (run it again)");
	void_samples(m, plan, samples);
	return 0;
}

/* Only memory that the view has mapped itself may be moved. */
static bool repair(struct mapped_view *v)
{
	if (page_watch_all_huge(&v->watch))
		return true;
	if (!v->mapped)
		return false;
	madvise(v->base, mapped_view_bytes(v), MADV_COLLAPSE);
	return page_watch_all_huge(&v->watch);
}

int hugepage_view_walk(struct view *view, const struct sequence *s,
		       const struct walk_plan *plan, struct sample *samples,
		       struct failure *f)
{
	struct mapped_view *v = (struct mapped_view *)view;
	int error = mapped_view_walk(view, s, plan, samples, f);
	enum page_change change;

	if (error || !v->watch.huge)
		return error;
	change = page_watch_check(&v->watch, s, plan);
	if (change == PAGES_KEPT)
		return 0;
	if (change == PAGES_CHANGED_LATE)
		return fail_late(f);
	if (!repair(v))
		return fail(
			f, STATUS_FAILED, EIO,
			"views: huge pages were split while they were walked and stay so (free some memory and run it again)");
	void_samples(view->m, plan, samples);
	return 0;
}
