/* SPDX-License-Identifier: GPL-2.0 */
/*
 * page_watch.h - notices that memory changes the size of its pages under a
 * measurement: transparent huge pages are split (reclaim, mprotect(), poison)
 * and put together (khugepaged) whenever the kernel sees fit.
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
 * @pagemap: /proc/self/pagemap, -1: only smaps tells, which takes too long for
 *           each look
 * @huge: by page of PAGE_WATCH_BYTES: one entry mapped it when it was last
 *        looked at
 * @looks: by page: at which of them that was
 * @look: which is the present one
 * @huge_bytes: if smaps tells: of the range huge entries mapped
 * @looked_ms: when that was, or the last look of those that are taken seldom
 */
struct page_watch {
	char *base;
	uint64_t bytes;
	int pagemap;
	bool *huge;
	uint64_t *looks;
	uint64_t look;
	uint64_t huge_bytes;
	uint64_t looked_ms;
};

/** PAGE_WATCH_BYTES - pages that are told apart */
#define PAGE_WATCH_BYTES (UINT64_C(2) << 20)

/** enum page_change - what became of pages since they were last looked at */
enum page_change {
	PAGES_KEPT,
	PAGES_CHANGED,
	PAGES_CHANGED_LATE, /* some looks ago: not all are looks */
};

/** page_watch_begin() - a first look. Return: 0 or -ENOMEM; page_watch_end()
 * either way.
 */
int page_watch_begin(struct page_watch *w, char *base, uint64_t bytes);

/** page_watch_look() - has the size of a page changed that a walk touches?
 * @s, @plan: the walk, in offsets from the base
 */
enum page_change page_watch_look(struct page_watch *w, const struct sequence *s,
				 const struct walk_plan *plan);

/** page_watch_all_huge() - whether huge entries map all of the range */
bool page_watch_all_huge(struct page_watch *w);

/** page_watch_end() - one that was all zero is allowed */
void page_watch_end(struct page_watch *w);

#endif
