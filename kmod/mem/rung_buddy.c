// SPDX-License-Identifier: GPL-2.0
/*
 * rung_buddy.c - the page allocator's largest blocks. More blocks than wanted
 * are taken for a moment, to find adjacent ones among them.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <uapi/linux/probe_phys.h>

#include "compat.h"
#include "limits.h"
#include "mem/grant.h"
#include "mem/rung.h"

static struct page *take_block(int node, unsigned int order)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN;
	struct page *page;

	if (node == PROBE_PHYS_NODE_ANY)
		page = alloc_pages(gfp, order);
	else
		page = alloc_pages_node(node, gfp | __GFP_THISNODE, order);
	if (page)
		split_page(page, order);
	return page;
}

/* Takes up to @max blocks. Their number, or -EINTR with nothing taken. */
static int hoard(struct pp_run *runs, unsigned long max, int node,
		 unsigned int order)
{
	struct page *page;
	u32 nr = 0;

	while (nr < max) {
		if (fatal_signal_pending(current))
			goto interrupted;
		page = take_block(node, order);
		if (!page)
			break;
		runs[nr++] = (struct pp_run) {
			.pfn = page_to_pfn(page),
			.nr = 1UL << order,
		};
		cond_resched();
	}
	return nr;

interrupted:
	while (nr--)
		pp_pages_free(runs[nr].pfn, runs[nr].nr);
	return -EINTR;
}

static void trim_start(struct pp_run *run, unsigned long align)
{
	unsigned long skip = min(ALIGN(run->pfn, align) - run->pfn, run->nr);

	pp_pages_free(run->pfn, skip);
	run->pfn += skip;
	run->nr -= skip;
}

/* Moves the best of @runs to the grant and frees the rest. */
static void keep_best(const struct pp_want *want, struct pp_grant *grant,
		      struct pp_run *runs, u32 nr_runs)
{
	unsigned long nr;
	u32 i;

	nr_runs = pp_runs_join(runs, nr_runs);
	for (i = 0; i < nr_runs; i++)
		trim_start(&runs[i], want->align);
	pp_runs_sort(runs, nr_runs);

	for (i = 0; i < nr_runs; i++) {
		grant->longest = max(grant->longest,
				     min(runs[i].nr, want->nr_pages));
		nr = min(runs[i].nr, want->nr_pages - grant->nr_pages);
		if (!nr || nr < want->min_run ||
		    !pp_grant_add(grant, runs[i].pfn, nr,
				  PROBE_PHYS_RUNG_BUDDY))
			nr = 0;
		pp_pages_free(runs[i].pfn + nr, runs[i].nr - nr);
	}
}

static int take_order(const struct pp_want *want, struct pp_grant *grant,
		      unsigned int order)
{
	unsigned long lack = want->nr_pages - grant->nr_pages;
	unsigned long max_pages = lack, max_blocks;
	struct pp_run *runs;
	int nr;

	if (order == PP_MAX_PAGE_ORDER)
		max_pages = lack * PP_BUDDY_HOARD_FACTOR +
			    PHYS_PFN(PP_BUDDY_HOARD_EXTRA);
	max_blocks = DIV_ROUND_UP(pp_grant_allow(max_pages), 1UL << order);
	if (!max_blocks)
		return 0;

	runs = kvmalloc_array(max_blocks, sizeof(*runs), GFP_KERNEL);
	if (!runs)
		return 0;
	nr = hoard(runs, max_blocks, want->node, order);
	if (nr > 0)
		keep_best(want, grant, runs, nr);
	kvfree(runs);
	return min(nr, 0);
}

int pp_rung_buddy(const struct pp_want *want, struct pp_grant *grant)
{
	unsigned long lack = want->nr_pages - grant->nr_pages;
	int order, ret;

	/*
	 * Adjacent blocks of the largest order can make up any run, so that
	 * order is always tried; smaller orders only where one block is enough.
	 */
	order = get_order(max(lack, want->align) << PAGE_SHIFT);
	order = min_t(int, order, PP_MAX_PAGE_ORDER);
	ret = take_order(want, grant, order);
	while (!ret && --order >= 0 && grant->nr_pages < want->nr_pages &&
	       grant->nr_runs < PP_MAX_EXTENTS &&
	       (1UL << order) >= max(want->min_run, want->align))
		ret = take_order(want, grant, order);
	return ret;
}
