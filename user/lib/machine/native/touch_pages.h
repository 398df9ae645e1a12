/* SPDX-License-Identifier: GPL-2.0 */
/* touch_pages.h - touches of pages of this process, and what may disturb them. */
#ifndef PROBE_PHYS_MACHINE_NATIVE_TOUCH_PAGES_H
#define PROBE_PHYS_MACHINE_NATIVE_TOUCH_PAGES_H

#include "machine/native/mapped_view.h"
#include "machine/touch.h"

/**
 * touch_check() - whether a view can be touched so
 * Return: 0, or -EINVAL with @f: no page, no round, a page that is not in the view,
 *         or fetches from a view that is not executable
 */
int touch_check(const struct mapped_view *v, const struct touch *touch,
		struct failure *f);

/**
 * touch_pages() - load from pages, or run the code there
 * @base: what offsets are counted from
 * @touch: which have been checked
 */
void touch_pages(const char *base, const struct touch *touch);

/** touch_switches() - how often another thread took the CPU of this one, which takes
 * entries of its TLBs, too
 */
long touch_switches(void);

#endif
