/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_watch.h - whether pages change their size during a measurement: the
 * kernel splits transparent huge pages (reclaim, mprotect(), poison) and joins
 * small ones (khugepaged) at any time.
 */
#ifndef PROBE_PHYS_MACHINE_HOST_PAGE_WATCH_H
#define PROBE_PHYS_MACHINE_HOST_PAGE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

/**
 * struct page_watch - a range that is watched
 * @base: where it begins, a multiple of PAGE_WATCH_BYTES
 * @bytes: its length, such a multiple
 * @pagemap: /proc/self/pagemap, -1: only smaps is there, too slow for each
 *           check
 * @huge: by page of PAGE_WATCH_BYTES: a huge entry mapped it at its last check
 * @checks: by page: number of that check
 * @check: number of the present check
 * @huge_bytes: with smaps: bytes that huge entries mapped at the last check
 * @checked_ms: time of the last check, of smaps or of a plan with "seldom"
 */
struct page_watch {
	char *base;
	uint64_t bytes;
	int pagemap;
	bool *huge;
	uint64_t *checks;
	uint64_t check;
	uint64_t huge_bytes;
	uint64_t checked_ms;
};

/** PAGE_WATCH_BYTES - size of the pages that are watched */
#define PAGE_WATCH_BYTES (UINT64_C(2) << 20)

/** enum page_change - what happened to pages since their last check */
enum page_change {
	PAGES_KEPT,
	PAGES_CHANGED,
	PAGES_CHANGED_LATE, /* maybe before earlier walks: checks are rare */
};

/** page_watch_begin() - the first check. Return: 0 or -ENOMEM; page_watch_end()
 * either way.
 */
int page_watch_begin(struct page_watch *w, char *base, uint64_t bytes);

/** page_watch_check() - check the pages that a walk touches
 * @s, @plan: the walk, in offsets from the base
 */
enum page_change page_watch_check(struct page_watch *w,
				  const struct sequence *s,
				  const struct walk_plan *plan);

/** page_watch_all_huge() - whether huge entries map all of the range */
bool page_watch_all_huge(struct page_watch *w);

/** page_watch_end() - release it; one that is all zero is allowed */
void page_watch_end(struct page_watch *w);

#endif
