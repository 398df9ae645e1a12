/* SPDX-License-Identifier: GPL-2.0 */
/* collect.h - lines of one set, for a level whose sets no stride finds. */
#ifndef PROBE_PHYS_METHOD_SET_COLLECT_H
#define PROBE_PHYS_METHOD_SET_COLLECT_H

#include "method/set/open_set.h"
#include "result/result.h"

/**
 * set_collect() - lines of one set of a level, and lines that clear the
 * levels above, by eviction sets alone
 * @h: results; sets of all levels above are known by stride, ways and line size
 *     of the level are decided
 * @level: from 1
 * @lines: (out) of a random set; set_lines_free() in any case
 * @why: (out) why there are none; else empty
 *
 * The only assumption about addresses: lines at one offset in blocks as long as
 * a way of the levels above share their sets there. A minimal eviction set is
 * found, lines that can replace one of its lines are collected, and all of them
 * are checked together. An exclusive level is refused: a visit removes the line
 * from it.
 * Return: 0; -EINTR; or another -errno with @f set.
 */
int set_collect(struct set_lines *lines, struct prober *p,
		const struct hierarchy *h, size_t level, char *why, size_t size,
		struct failure *f);

#endif
