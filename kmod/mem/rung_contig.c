// SPDX-License-Identifier: GPL-2.0
/*
 * rung_contig.c - ranges of frames that the kernel frees by moving their
 * contents. The longest range first: one length is tried wherever the frames
 * look movable, then a shorter length.
 */
#include <linux/log2.h>
#include <linux/memory_hotplug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/page-flags.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <uapi/linux/probe_phys.h>

#include "compat.h"
#include "limits.h"
#include "mem/grant.h"
#include "mem/rung.h"

/**
 * struct search - one search for ranges
 * @want: the wanted memory
 * @tries: ranges that may still be tried
 * @len: length sought
 * @align: alignment sought
 * @longest: longest aligned run that looked movable in this round
 * @pfn: (out) range found
 */
struct search {
	const struct pp_want *want;
	unsigned int tries;
	unsigned long len;
	unsigned long align;
	unsigned long longest;
	unsigned long pfn;
};

/*
 * Number of frames from here on that look free or movable, 0: this frame does
 * not. The answer is a guess, because nothing is locked: alloc_contig_range()
 * decides.
 */
static unsigned long movable_frames(struct page *page)
{
	unsigned long order;

	if (PageReserved(page) || PageHWPoison(page))
		return 0;
	if (PageCompound(page))
		return folio_test_lru(page_folio(page));
	if (PageBuddy(page)) {
		order = READ_ONCE(page->private);
		return order <= PP_MAX_PAGE_ORDER ? 1UL << order : 1;
	}
	if (PageSlab(page))
		return 0;
	return !page_ref_count(page) || folio_test_lru(page_folio(page));
}

static bool block_in_zone(const struct zone *zone, unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);

	return page && page_zone(page) == zone;
}

/*
 * Finds the next run of frames that look movable, in [@run->pfn, @end).
 * All frames of a page block are online or offline, and of one zone.
 */
static bool next_run(const struct zone *zone, struct pp_run *run,
		     unsigned long end)
{
	unsigned long pfn = run->pfn + run->nr, frames;
	unsigned long checked = 0;

	run->nr = 0;
	while (pfn < end) {
		if (pfn >= checked) {
			checked = ALIGN(pfn + 1, pageblock_nr_pages);
			if (!block_in_zone(zone, pfn)) {
				if (run->nr)
					break;
				pfn = checked;
				continue;
			}
			cond_resched();
		}
		frames = movable_frames(pfn_to_page(pfn));
		if (!frames && run->nr)
			break;
		if (frames && !run->nr)
			run->pfn = pfn;
		pfn += frames ?: 1;
		if (frames)
			run->nr = min(pfn, end) - run->pfn;
	}
	return run->nr;
}

/* Return: 1 when @s->pfn was allocated, 0 when nothing was, or -EINTR. */
static int search_run(struct search *s, const struct pp_run *run)
{
	unsigned long end = run->pfn + run->nr;
	unsigned long pfn = ALIGN(run->pfn, s->align);
	unsigned long step = ALIGN(s->len / 8 + 1, s->align);

	if (pfn >= end)
		return 0;
	s->longest = max(s->longest, end - pfn);
	for (; pfn + s->len <= end && s->tries; pfn += step) {
		int ret = pp_alloc_contig_range(pfn, pfn + s->len,
						GFP_KERNEL | __GFP_NOWARN);

		if (!ret) {
			s->pfn = pfn;
			return 1;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		s->tries--;
		cond_resched();
	}
	return 0;
}

static int search_zone(struct search *s, const struct zone *zone)
{
	struct pp_run run = { .pfn = zone->zone_start_pfn };
	int ret;

	if (zone->present_pages < PHYS_PFN(PP_MIN_ZONE_BYTES))
		return 0;
	while (s->tries && next_run(zone, &run, zone_end_pfn(zone))) {
		ret = search_run(s, &run);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* The highest zone first, as the page allocator does. */
static int search_node(struct search *s, int node)
{
	struct zone *zones = NODE_DATA(node)->node_zones;
	int i, ret = 0;

	/* Pages that stay in ZONE_MOVABLE would break memory offlining. */
	for (i = ZONE_MOVABLE - 1; i >= 0 && !ret; i--)
		ret = search_zone(s, &zones[i]);
	return ret;
}

static int search_all(struct search *s)
{
	int node, ret = 0;

	s->longest = 0;
	if (s->want->node != PROBE_PHYS_NODE_ANY)
		return search_node(s, s->want->node);
	for_each_online_node(node) {
		ret = search_node(s, node);
		if (ret)
			break;
	}
	return ret;
}

/* Runs of a page block or more are aligned for huge page-table entries. */
static void set_len(struct search *s, unsigned long len)
{
	s->len = len;
	s->align = s->want->align;
	if (len >= pageblock_nr_pages)
		s->align = max_t(unsigned long, s->align, pageblock_nr_pages);
}

/* The next length to try after @s->len, 0: none that is at least @min. */
static unsigned long shorter_len(const struct search *s, unsigned long min)
{
	unsigned long len = s->len - DIV_ROUND_UP(s->len, 8);

	if (s->len <= min || s->longest < min)
		return 0;
	len = min(len, s->longest);
	if (len > pageblock_nr_pages)
		len = round_down(len, pageblock_nr_pages);
	return max(len, min);
}

/*
 * Finds a range of @max down to @min frames. Return: 1 when
 * [@s->pfn, @s->pfn + @s->len) was allocated, 0 when there is none, or -EINTR.
 */
static int search_longest(struct search *s, unsigned long max,
			  unsigned long min)
{
	int ret = 0;

	if (max < min)
		return 0;
	for (set_len(s, max); s->len; set_len(s, shorter_len(s, min))) {
		ret = search_all(s);
		if (ret || !s->tries)
			break;
	}
	return ret;
}

/* No range was long enough: finds the longest length that is possible. */
static int probe_longest(struct search *s, struct pp_grant *grant,
			 unsigned long max)
{
	int ret;

	ret = search_longest(s, max, min_t(unsigned long, max,
					   pageblock_nr_pages));
	if (ret <= 0)
		return ret;
	grant->longest = max(grant->longest, s->len);
	pp_pages_free(s->pfn, s->len);
	return 0;
}

/*
 * Pages with a short-lived reference and pages in a CPU's list cannot be moved,
 * or do not look movable. When the search finds nothing it is repeated after a
 * pause. Each range that is allocated, even one that is freed again at once,
 * empties those lists.
 */
static int search_patiently(struct search *s, struct pp_grant *grant,
			    unsigned long len, unsigned long min_len)
{
	int i, ret = 0;

	for (i = 0; !ret && s->tries && i < PP_CONTIG_ATTEMPTS; i++) {
		if (i && schedule_timeout_killable(PP_CONTIG_PAUSE))
			return -EINTR;
		ret = search_longest(s, len, min_len);
		if (!ret && s->want->min_run > 1)
			ret = probe_longest(s, grant, min(len, min_len - 1));
		if (!ret && fatal_signal_pending(current))
			return -EINTR;
	}
	return ret;
}

int pp_rung_contig(const struct pp_want *want, struct pp_grant *grant)
{
	struct search s = { .want = want, .tries = PP_MAX_CONTIG_TRIES };
	unsigned long len = want->nr_pages, min_len;
	int ret;

	while (grant->nr_pages < want->nr_pages) {
		len = min(len, want->nr_pages - grant->nr_pages);
		len = pp_grant_allow(len);
		/* Short runs are left to the buddy rung. */
		min_len = min_t(unsigned long, len, pageblock_nr_pages);
		min_len = max(want->min_run, min_len);
		ret = grant->nr_runs ?
			      search_longest(&s, len, min_len) :
			      search_patiently(&s, grant, len, min_len);
		if (ret <= 0)
			return ret;
		if (!pp_grant_add(grant, s.pfn, s.len,
				  PROBE_PHYS_RUNG_CONTIG)) {
			pp_pages_free(s.pfn, s.len);
			return 0;
		}
		len = s.len;
	}
	return 0;
}
