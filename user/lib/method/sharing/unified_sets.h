/* SPDX-License-Identifier: GPL-2.0 */
/* unified_sets.h - which lines answer unified.h: those of some sets are enough. */
#ifndef PROBE_PHYS_METHOD_SHARING_UNIFIED_SETS_H
#define PROBE_PHYS_METHOD_SHARING_UNIFIED_SETS_H

#include "method/sharing/unified_ask.h"

/**
 * unified_sets_choose() - lines of some sets, where the index is known
 *
 * All lines of these sets: what a set gets stays the same, and so does what it
 * loses. Sets that keep to few sets of the levels above come first: there is as
 * little room above then.
 * @q: (in, out) its stride, its parities, and what is kept above
 * @h: what is known of the levels
 * Return: false: it is not known; anything may have been changed.
 */
bool unified_sets_choose(struct unified *q, const struct hierarchy *h);

/** unified_sets_stride() - the same without an index: some lines of each page */
void unified_sets_stride(struct unified *q, const struct hierarchy *h);

/** unified_sets_all() - all lines. Return: false where they were, or are too many */
bool unified_sets_all(struct unified *q, const struct hierarchy *h);

/** unified_sets_linear() - are they those of a stride, or of several? */
bool unified_sets_linear(const struct unified *q);

/** unified_sets_use() - is the line at @offset one of them? */
bool unified_sets_use(const struct unified *q, uint64_t offset);

#endif
