/* SPDX-License-Identifier: GPL-2.0 */
/*
 * touch.h - pages that are touched, and how many of them had to be walked for.
 *
 * Processors set the accessed bit of a page-table entry when they read the entry
 * into a TLB (Intel SDM 3A 4.8; AMD APM 2 5.4.2; Arm ARM D8.4.6). A bit that was
 * cleared without a flush of TLBs, and is set after a touch, means that no TLB had
 * the translation: no timer, no counter, no threshold.
 *
 * Entries that point to tables have such bits as well. One that was cleared, and is
 * clear after a page below it was walked for, means that a cache of page walks had the
 * entry (Intel SDM 3A 4.10.3; AMD APM 2 5.5.1).
 */
#ifndef PROBE_PHYS_MACHINE_TOUCH_H
#define PROBE_PHYS_MACHINE_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sequence/sequence.h"

/** enum touch_kind - how a page is touched */
enum touch_kind {
	TOUCH_LOADS,
	TOUCH_FETCHES, /* executable views only */
};

/**
 * struct touch - pages that are touched one after the other
 * @pages: offsets of a view, multiples of VIEW_SLOT_BYTES
 * @kind: how
 * @rounds: how many times all of them, not 0
 */
struct touch {
	const struct sequence *pages;
	enum touch_kind kind;
	unsigned int rounds;
};

/**
 * struct touch_plan - a question about pages
 * @before: @before_count touches in this order, then the accessed bits of the
 *          view are cleared
 * @test: after that; one round, no two elements in one page. All elements are of those
 *        that were touched before
 * @soon: pages that plans to come will test, and those of @test; they are made ready at
 *        once where that takes time. NULL: not known
 * @meanwhile: touch what was touched before again and again while the bits are cleared,
 *             where another CPU clears them: others have less time to take entries
 */
struct touch_plan {
	const struct touch *before;
	size_t before_count;
	struct touch test;
	const struct sequence *soon;
	bool meanwhile;
};

/**
 * struct touch_answer - the answer
 * @walked: elements of the test whose page has its accessed bit set
 * @read: of the entries above them that point to tables, and that the question was
 *        about, those with theirs set
 * @disturbed: the thread was moved or interrupted meanwhile
 */
struct touch_answer {
	uint64_t walked;
	uint64_t read;
	bool disturbed;
};

#endif
