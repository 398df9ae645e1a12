/* SPDX-License-Identifier: GPL-2.0 */
/*
 * touch_child.h - the process that touches pages.
 *
 * The kernel clears the accessed bits of a whole process, and for each page it reads a
 * struct page through the TLBs of data. So a process does it that has nothing else.
 */
#ifndef PROBE_PHYS_MACHINE_HUGEPAGE_TOUCH_CHILD_H
#define PROBE_PHYS_MACHINE_HUGEPAGE_TOUCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/native/timer.h"
#include "machine/touch.h"

/** TOUCH_MOST_OFFSETS - of all touches of a plan */
#define TOUCH_MOST_OFFSETS 32768
/** TOUCH_MOST - touches of a plan, the test included */
#define TOUCH_MOST 8
/** TOUCH_BLOCK_BYTES - huge pages that are made small ones */
#define TOUCH_BLOCK_BYTES (UINT64_C(2) << 20)

/** TOUCH_WITNESSES - pages that are touched last before the bits are cleared, and last
 * of all: any TLB has them, unless it was flushed in between
 */
#define TOUCH_WITNESSES 4

/** enum touch_order - what the child does next */
enum touch_order {
	TOUCH_ORDER_FILL, /* give up all pages, take a huge one for each block */
	TOUCH_ORDER_SPLIT, /* keep the small pages of @sorted alone */
	TOUCH_ORDER_SHARE, /* map all pages of the plan to the page of zeros */
	TOUCH_ORDER_TOUCH, /* the plan */
};

/**
 * struct touch_orders - memory that both processes have
 * @base: of the view
 * @mapped: the view and what lies around it, @mapped_bytes long
 * @witnesses: TOUCH_WITNESSES pages, a mapping of their own
 * @page_bytes: of small pages
 * @executable: pages have code at each offset
 * @timer: clock of pauses
 * @order: to be done
 * @kinds, @rounds, @lengths: of each of @count touches; the last one is the test
 * @offsets: of all touches, one after the other
 * @sorted: all @offsets ascending, @total of them
 * @own, @own_count: of pages that have memory of their own, while others share one page
 * @error: (out) of the order
 * @disturbed: (out) as of struct touch_answer
 */
struct touch_orders {
	char *base;
	char *mapped;
	uint64_t mapped_bytes;
	char *witnesses;
	uint64_t page_bytes;
	bool executable;
	struct timer timer;
	enum touch_order order;
	size_t count;
	enum touch_kind kinds[TOUCH_MOST];
	unsigned int rounds[TOUCH_MOST];
	size_t lengths[TOUCH_MOST];
	size_t total;
	uint64_t offsets[TOUCH_MOST_OFFSETS];
	uint64_t sorted[TOUCH_MOST_OFFSETS];
	uint64_t own[TOUCH_MOST_OFFSETS];
	size_t own_count;
	int error;
	bool disturbed;
};

/** TOUCH_CLEAR_PATH - file that clears accessed bits */
#define TOUCH_CLEAR_PATH "/proc/self/clear_refs"

/**
 * touch_child_run() - follow orders until there are none
 * @in: a byte comes from here for each order; its end is the child's
 * @out: a byte goes there when it is done
 */
void __attribute__((noreturn))
touch_child_run(struct touch_orders *o, int in, int out);

#endif
