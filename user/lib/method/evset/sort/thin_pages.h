/* SPDX-License-Identifier: GPL-2.0 */
/* thin_pages.h - fewer lines of each page, which distinguish pages as well. */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_THIN_PAGES_H
#define PROBE_PHYS_METHOD_EVSET_SORT_THIN_PAGES_H

#include "method/evset/oracle/page_oracle.h"

/**
 * evset_thin_pages() - walk fewer lines of each page from now on
 * @set: lines of one set, one more than it has ways, each in a page of its own
 * @pages: offsets of @count pages
 * @prefix: number of pages of which some set overflows
 * @good: (out) false: no pages share all sets that their lines of @set share
 *
 * Lines that differ only in bits of the offset that are not folded onto others
 * share their sets with the same pages: one choice of such bits is enough. A
 * class of pages, found by all lines, shows which bits are folded: if its pages
 * share sets at other offsets, they fit when half of the offsets are left out.
 * A bit is kept if that is not clear.
 * Return: 0 or the oracle's -errno.
 */
int evset_thin_pages(struct evset_page_oracle *b, const struct evset_set *set,
		     const uint64_t *pages, size_t count, size_t prefix,
		     bool *good, struct failure *f);

#endif
