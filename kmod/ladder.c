// SPDX-License-Identifier: GPL-2.0
/* ladder.c - which rung is asked, and what is made of their answers. */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <uapi/linux/probe_phys.h>

#include "limits.h"
#include "rung.h"

typedef int (*rung_fn)(const struct pp_want *want, struct pp_grant *grant);

static const struct {
	u32 bit;
	rung_fn take;
} rungs[] = {
	{ PROBE_PHYS_RUNG_IMPORT, pp_rung_import },
	{ PROBE_PHYS_RUNG_CONTIG, pp_rung_contig },
	{ PROBE_PHYS_RUNG_BUDDY, pp_rung_buddy },
};

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
	 * Not free_contig_range(): it warns about pages that somebody else
	 * still has a reference to, and those come back by themselves.
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

unsigned long pp_ladder_allow(unsigned long nr)
{
	long reserve = max_t(long, totalram_pages() / PP_RESERVE_SHARE,
			     PHYS_PFN(PP_RESERVE_MIN_BYTES));
	long available = si_mem_available() - reserve;

	return available > 0 ? min_t(unsigned long, nr, available) : 0;
}

static int zero_runs(const struct pp_grant *grant)
{
	unsigned long done, nr;
	u32 i;

	for (i = 0; i < grant->nr_runs; i++) {
		const struct pp_run *run = &grant->runs[i];
		char *addr = page_address(pfn_to_page(run->pfn));

		for (done = 0; done < run->nr; done += nr) {
			nr = min(run->nr - done, PP_BATCH_PAGES);
			memset(addr + (done << PAGE_SHIFT), 0,
			       nr << PAGE_SHIFT);
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

static int climb(const struct pp_want *want, struct pp_grant *grant)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rungs); i++) {
		if (!(want->rungs & rungs[i].bit))
			continue;
		ret = rungs[i].take(want, grant);
		if (ret)
			return ret;
		if (grant->nr_pages == want->nr_pages)
			break;
	}
	return 0;
}

/* Most grants have few runs and live long. */
static void trim_runs(struct pp_grant *grant)
{
	struct pp_run *runs;

	runs = kmemdup(grant->runs, grant->nr_runs * sizeof(*runs), GFP_KERNEL);
	if (!runs)
		return;
	kvfree(grant->runs);
	grant->runs = runs;
}

int pp_ladder_climb(const struct pp_want *want, unsigned long min_pages,
		    struct pp_grant *grant)
{
	int ret;

	memset(grant, 0, sizeof(*grant));
	grant->runs = kvmalloc_array(PP_MAX_EXTENTS, sizeof(*grant->runs),
				     GFP_KERNEL);
	if (!grant->runs)
		return -ENOMEM;

	ret = climb(want, grant);
	if (ret)
		goto release;

	grant->nr_runs = pp_runs_join(grant->runs, grant->nr_runs);
	pp_runs_sort(grant->runs, grant->nr_runs);
	if (grant->nr_runs)
		grant->longest = max(grant->longest, grant->runs[0].nr);

	if (!grant->nr_pages || grant->nr_pages < min_pages) {
		ret = -ENOMEM;
		goto release;
	}
	if (!grant->pinned) {
		ret = zero_runs(grant);
		if (ret)
			goto release;
	}
	trim_runs(grant);
	return 0;

release:
	pp_grant_release(grant);
	return ret;
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
