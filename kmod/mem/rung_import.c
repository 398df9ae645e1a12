// SPDX-License-Identifier: GPL-2.0
/* rung_import.c - the caller's own huge pages, pinned where they are. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <uapi/linux/probe_phys.h>

#include "limits.h"
#include "mem/grant.h"
#include "mem/rung.h"

static int pin(const struct pp_want *want, struct pp_grant *grant)
{
	unsigned long addr;
	int nr;

	while (grant->nr_pinned < want->nr_pages) {
		if (fatal_signal_pending(current))
			return -EINTR;
		addr = want->import_addr + (grant->nr_pinned << PAGE_SHIFT);
		nr = min(want->nr_pages - grant->nr_pinned, PP_BATCH_PAGES);
		nr = pin_user_pages_fast(addr, nr, FOLL_WRITE | FOLL_LONGTERM,
					 grant->pinned + grant->nr_pinned);
		if (nr <= 0)
			return nr ?: -EFAULT;
		grant->nr_pinned += nr;
		cond_resched();
	}
	return 0;
}

/* Lists the runs of @grant->pinned; only counts them when @runs is NULL. */
static int find_runs(const struct pp_grant *grant, struct pp_run *runs)
{
	unsigned long i, pfn, next = 0;
	int nr = 0;

	for (i = 0; i < grant->nr_pinned; i++, next = pfn + 1) {
		if (!PageCompound(grant->pinned[i]))
			return -EINVAL;
		pfn = page_to_pfn(grant->pinned[i]);
		if (i && pfn == next) {
			if (runs)
				runs[nr - 1].nr++;
			continue;
		}
		if (runs)
			runs[nr] = (struct pp_run) {
				.pfn = pfn,
				.nr = 1,
				.rung = PROBE_PHYS_RUNG_IMPORT,
			};
		nr++;
	}
	return nr;
}

/* Pages outside the kept runs stay pinned: all are released together. */
static void keep_runs(const struct pp_want *want, struct pp_grant *grant,
		      struct pp_run *runs, u32 nr_runs)
{
	u32 i;

	for (i = 0; i < nr_runs; i++) {
		unsigned long start = ALIGN(runs[i].pfn, want->align);
		unsigned long end = runs[i].pfn + runs[i].nr;

		runs[i].pfn = start;
		runs[i].nr = end > start ? end - start : 0;
	}
	pp_runs_sort(runs, nr_runs);
	grant->longest = runs[0].nr;
	for (i = 0; i < nr_runs && runs[i].nr; i++)
		if (runs[i].nr < want->min_run ||
		    !pp_grant_add(grant, runs[i].pfn, runs[i].nr,
				  PROBE_PHYS_RUNG_IMPORT))
			break;
}

int pp_rung_import(const struct pp_want *want, struct pp_grant *grant)
{
	struct pp_run *runs;
	int ret, nr;

	/* Kernels return different errors for an impossible address. */
	if (want->import_addr >= TASK_SIZE ||
	    want->nr_pages > PHYS_PFN(TASK_SIZE - want->import_addr))
		return -EFAULT;

	grant->pinned = kvmalloc_array(want->nr_pages, sizeof(*grant->pinned),
				       GFP_KERNEL | __GFP_NOWARN);
	if (!grant->pinned)
		return -ENOMEM;

	ret = pin(want, grant);
	if (ret)
		return ret;

	nr = find_runs(grant, NULL);
	if (nr < 0)
		return nr;
	runs = kvmalloc_array(nr, sizeof(*runs), GFP_KERNEL);
	if (!runs)
		return -ENOMEM;
	find_runs(grant, runs);
	keep_runs(want, grant, runs, pp_runs_join(runs, nr));
	kvfree(runs);
	return 0;
}
