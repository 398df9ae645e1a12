// SPDX-License-Identifier: GPL-2.0
/* ladder.c - the order of the rungs, and the final form of a grant. */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <uapi/linux/probe_phys.h>

#include "limits.h"
#include "mem/grant.h"
#include "mem/ladder.h"
#include "mem/rung.h"

typedef int (*rung_fn)(const struct pp_want *want, struct pp_grant *grant);

static const struct {
	u32 bit;
	rung_fn take;
} rungs[] = {
	{ PROBE_PHYS_RUNG_IMPORT, pp_rung_import },
	{ PROBE_PHYS_RUNG_CONTIG, pp_rung_contig },
	{ PROBE_PHYS_RUNG_BUDDY, pp_rung_buddy },
};

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

/* Most grants have few runs and live long: gives the unused room back. */
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
