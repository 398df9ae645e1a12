// SPDX-License-Identifier: GPL-2.0
/* grant.c - runs of page frames: sorted, joined, added to a grant, freed. */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "limits.h"
#include "mem/grant.h"

static int by_pfn(const void *a, const void *b)
{
	const struct pp_run *x = a, *y = b;

	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

static int by_length(const void *a, const void *b)
{
	const struct pp_run *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	return by_pfn(a, b);
}

u32 pp_runs_join(struct pp_run *runs, u32 nr_runs)
{
	struct pp_run *last = runs;
	u32 i;

	if (!nr_runs)
		return 0;

	sort(runs, nr_runs, sizeof(*runs), by_pfn, NULL);
	for (i = 1; i < nr_runs; i++) {
		unsigned long end = runs[i].pfn + runs[i].nr;

		if (runs[i].pfn <= last->pfn + last->nr) {
			if (runs[i].nr > last->nr)
				last->rung = runs[i].rung;
			last->nr = max(last->pfn + last->nr, end) - last->pfn;
		} else {
			*++last = runs[i];
		}
	}
	return last - runs + 1;
}

void pp_runs_sort(struct pp_run *runs, u32 nr_runs)
{
	sort(runs, nr_runs, sizeof(*runs), by_length, NULL);
}

void pp_pages_free(unsigned long pfn, unsigned long nr)
{
	unsigned long i;

	/*
	 * Not free_contig_range(): it warns about pages that have another
	 * reference, and such pages are freed when that reference is dropped.
	 */
	for (i = 0; i < nr; i++) {
		__free_page(pfn_to_page(pfn + i));
		if (i % PP_BATCH_PAGES == 0)
			cond_resched();
	}
}

bool pp_grant_add(struct pp_grant *grant, unsigned long pfn, unsigned long nr,
		  u32 rung)
{
	if (grant->nr_runs == PP_MAX_EXTENTS)
		return false;

	grant->runs[grant->nr_runs++] = (struct pp_run) {
		.pfn = pfn,
		.nr = nr,
		.rung = rung,
	};
	grant->nr_pages += nr;
	grant->longest = max(grant->longest, nr);
	return true;
}

unsigned long pp_grant_allow(unsigned long nr)
{
	long reserve = max_t(long, totalram_pages() / PP_RESERVE_SHARE,
			     PHYS_PFN(PP_RESERVE_MIN_BYTES));
	long available = si_mem_available() - reserve;

	return available > 0 ? min_t(unsigned long, nr, available) : 0;
}

static void unpin(struct page **pages, unsigned long nr)
{
	unsigned long done, batch;

	for (done = 0; done < nr; done += batch) {
		batch = min(nr - done, PP_BATCH_PAGES);
		unpin_user_pages_dirty_lock(pages + done, batch, true);
		cond_resched();
	}
}

void pp_grant_release(struct pp_grant *grant)
{
	u32 i;

	if (grant->pinned) {
		unpin(grant->pinned, grant->nr_pinned);
	} else {
		for (i = 0; i < grant->nr_runs; i++)
			pp_pages_free(grant->runs[i].pfn, grant->runs[i].nr);
	}
	kvfree(grant->pinned);
	kvfree(grant->runs);
	grant->pinned = NULL;
	grant->runs = NULL;
	grant->nr_runs = 0;
	grant->nr_pages = 0;
}
