/* SPDX-License-Identifier: GPL-2.0 */
/*
 * touch_child.h - the process that touches pages.
 *
 * The kernel clears the accessed bits of a whole process, and for each page it reads a
 * struct page through the TLBs of data. So a process does it that has nothing else.
 */
#ifndef PROBE_PHYS_MACHINE_HUGEPAGE_TOUCH_CHILD_H
#define PROBE_PHYS_MACHINE_HUGEPAGE_TOUCH_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/native/timer.h"
#include "machine/touch.h"

/** TOUCH_MOST_OFFSETS - of all touches of a plan */
#define TOUCH_MOST_OFFSETS 32768
/** TOUCH_MOST - touches of a plan, the test included */
#define TOUCH_MOST 8
/** TOUCH_MOST_RUNS - of one test: each takes two mappings, of 65,530 by default
 * (vm.max_map_count)
 */
#define TOUCH_MOST_RUNS 16384

/** TOUCH_WITNESSES - pages that are touched last before the bits are cleared, and last
 * of all: any TLB has them, unless it was flushed in between
 */
#define TOUCH_WITNESSES 4

/** enum touch_order - what the child does next */
enum touch_order {
	TOUCH_ORDER_MAP,   /* map the pages of the plan, give up others */
	TOUCH_ORDER_TOUCH, /* the plan */
};

/**
 * struct touch_run - neighbouring pages
 * @offset: of the first one
 * @bytes: of all
 */
struct touch_run {
	uint64_t offset;
	uint64_t bytes;
};

/**
 * struct touch_orders - memory that both processes have
 * @base: of the view
 * @mapped: the view and what lies around it, @mapped_bytes long
 * @witnesses: TOUCH_WITNESSES pages, a mapping of their own
 * @page_bytes: of small pages
 * @executable: pages have code at each offset
 * @file: that pages are of which are not tested: bits of a file's pages are not cleared
 * @timer: clock of pauses
 * @helper_cpu: where a helper clears bits, -1: nowhere
 * @wake: wakes it
 * @slow: how often it was too slow, less how often it was not
 * @turn: of the helper
 * @cleared: (out) it has cleared the bits
 * @order: to be done
 * @kinds, @rounds, @lengths: of each of @count touches; the last one is the test
 * @offsets: of all touches, one after the other
 * @runs, @run_count: pages that are tested, ascending
 * @own, @own_count: of pages that have memory of their own, which is no file's
 * @meanwhile: as of struct touch_plan
 * @present: pages that were mapped for touches and not given up, or more
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
	int file;
	struct timer timer;
	int helper_cpu;
	int wake;
	int slow;
	_Atomic int turn;
	bool cleared;
	enum touch_order order;
	size_t count;
	enum touch_kind kinds[TOUCH_MOST];
	unsigned int rounds[TOUCH_MOST];
	size_t lengths[TOUCH_MOST];
	size_t total;
	uint64_t offsets[TOUCH_MOST_OFFSETS];
	struct touch_run runs[TOUCH_MOST_RUNS];
	size_t run_count;
	struct touch_run own[TOUCH_MOST_RUNS];
	size_t own_count;
	bool meanwhile;
	size_t present;
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
