/* SPDX-License-Identifier: GPL-2.0 */
/* thin_pages.h - as many lines of each block as tell blocks apart. */
#ifndef PROBE_PHYS_METHOD_EVSET_SORT_THIN_PAGES_H
#define PROBE_PHYS_METHOD_EVSET_SORT_THIN_PAGES_H

#include "method/evset/oracle/page_oracle.h"

/**
 * evset_thin_pages() - walk fewer lines of each block, where they tell as much
 * @set: lines of one set, one more than it has ways, each in a block of its own
 * @pages: offsets of some
 * @prefix: number of blocks of which some set overflows
 * @good: (out) false: no blocks were found that meet as the lines do
 *
 * Lines that differ only in bits of the offset that are not folded onto others
 * share their sets with the same blocks: one choice of such bits is enough. Which
 * bits are folded blocks of one class tell, that have been found by all lines:
 * where they meet at other offsets they fit when half of the offsets are left
 * out. Where that is not clear a bit is kept.
 * Return: 0 or the oracle's -errno.
 */
int evset_thin_pages(struct evset_page_oracle *b, const struct evset_set *set,
		     const uint64_t *pages, size_t count, size_t prefix,
		     bool *good, struct failure *f);

#endif
