/* SPDX-License-Identifier: GPL-2.0 */
/*
 * touch_helper.h - a process on another CPU that clears accessed bits.
 *
 * The kernel takes entries of TLBs of the CPU where it clears: on a Zen 3 guest it took
 * 100 to 200 of 2,048 for data, and 60 of 512 for code. On another CPU it takes none of
 * those that are looked at.
 */
#ifndef PROBE_PHYS_MACHINE_HUGEPAGE_TOUCH_HELPER_H
#define PROBE_PHYS_MACHINE_HUGEPAGE_TOUCH_HELPER_H

#include <stdbool.h>

struct touch_orders;

/** TOUCH_CLEAR_ANONYMOUS - bits of memory of no file; that of the program and its
 * libraries, and of pages that are not tested, keeps its bits
 */
#define TOUCH_CLEAR_ANONYMOUS "2"

/**
 * touch_helper_start() - start it, for the calling process, with which it ends
 * @o: @helper_cpu says where; negative: there is none
 */
void touch_helper_start(struct touch_orders *o);

/** touch_helper_wake() - let it wait for touch_helper_clear(), in a loop */
void touch_helper_wake(struct touch_orders *o);

/**
 * touch_helper_clear() - clear the bits of the calling process
 * @wait: called again and again meanwhile; NULL: nothing
 * Return: false: there is none, or other programs keep it from its CPU
 */
bool touch_helper_clear(struct touch_orders *o,
			void (*wait)(struct touch_orders *o));

#endif
