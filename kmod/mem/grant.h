/* SPDX-License-Identifier: GPL-2.0 */
/*
 * grant.h - the page frames of one buffer: how many are wanted, which have been
 * collected, and how runs of frames are joined, sorted and freed.
 */
#ifndef PP_GRANT_H
#define PP_GRANT_H

#include <linux/types.h>

struct page;

/**
 * struct pp_want - the wanted memory, in pages
 * @nr_pages: how many
 * @align: first frame of each run is a multiple of this power of two
 * @min_run: shorter runs are not wanted, at most @nr_pages
 * @node: NUMA node or PROBE_PHYS_NODE_ANY
 * @rungs: PROBE_PHYS_RUNG_* that may be used, not 0
 * @import_addr: user memory for the import rung
 */
struct pp_want {
	unsigned long nr_pages;
	unsigned long align;
	unsigned long min_run;
	int node;
	u32 rungs;
	u64 import_addr;
};

/**
 * struct pp_run - contiguous page frames
 * @pfn: the first
 * @nr: how many
 * @rung: PROBE_PHYS_RUNG_* that gave them
 */
struct pp_run {
	unsigned long pfn;
	unsigned long nr;
	u32 rung;
};

/**
 * struct pp_grant - the memory that has been collected
 * @runs: room for PP_MAX_EXTENTS
 * @nr_runs: used entries of @runs
 * @nr_pages: sum of the runs
 * @longest: longest run that was seen, also one that was too short to keep
 * @pinned: pages to unpin instead of freeing the runs, else NULL
 * @nr_pinned: their number
 */
struct pp_grant {
	struct pp_run *runs;
	u32 nr_runs;
	unsigned long nr_pages;
	unsigned long longest;
	struct page **pinned;
	unsigned long nr_pinned;
};

/**
 * pp_grant_allow() - how many of @nr pages may be taken now
 * @nr: how many are wanted
 * Return: at most @nr, less where the system's reserve would be touched.
 */
unsigned long pp_grant_allow(unsigned long nr);

/**
 * pp_grant_add() - put a run into the grant
 * @grant: grant
 * @pfn: first frame
 * @nr: number of frames
 * @rung: PROBE_PHYS_RUNG_* that gives them
 *
 * Return: false when there is no room for one more; nothing was added then.
 */
bool pp_grant_add(struct pp_grant *grant, unsigned long pfn, unsigned long nr,
		  u32 rung);

/** pp_pages_free() - free page frames one by one */
void pp_pages_free(unsigned long pfn, unsigned long nr);

/**
 * pp_runs_join() - sort by frame, join adjacent runs, drop duplicates
 * @runs: runs
 * @nr_runs: their number
 *
 * Return: the number of runs that are left.
 */
u32 pp_runs_join(struct pp_run *runs, u32 nr_runs);

/** pp_runs_sort() - longest first, then by frame */
void pp_runs_sort(struct pp_run *runs, u32 nr_runs);

/** pp_grant_release() - give back all memory of a grant */
void pp_grant_release(struct pp_grant *grant);

#endif /* PP_GRANT_H */
