/* SPDX-License-Identifier: GPL-2.0 */
/* resident_lines.h - lines that miss above a level and hit there, from what was
 * found of the levels.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_RESIDENT_LINES_H
#define PROBE_PHYS_METHOD_LEVEL_RESIDENT_LINES_H

#include "method/probe/prober.h"
#include "result/result.h"

/** RESIDENT_LINES_PAGE - the smallest page: what lines of the first level are laid by */
#define RESIDENT_LINES_PAGE 4096

/** resident_lines_way_bytes() - of a level whose sets are known */
uint64_t resident_lines_way_bytes(const struct cache_result *c);

/** resident_lines_evictor() - distance of line @i that shares a line's set in a level of
 * ways of @way bytes and not in the next one, of ways of @below bytes, a larger
 * multiple
 */
uint64_t resident_lines_evictor(uint64_t way, uint64_t below, size_t i);

/** resident_lines_first() - where @count lines @stride bytes apart begin, at random
 * @stride: a multiple of pages
 * Return: the first one's offset, some pages into the prober's memory; UINT64_MAX: there
 * is no room.
 */
uint64_t resident_lines_first(struct prober *p, uint64_t stride, size_t count);

/** resident_lines_sets_known() - whether a stride keeps to one set */
bool resident_lines_sets_known(const struct cache_result *c);

/**
 * resident_lines_choose() - a shape for a level
 * @k: index of the level. Of the first one: lines of different sets, @apart
 *     lines apart. Of lower levels: X-Ray's control, with no more lines in a set than
 *     fit
 * @shape: (out)
 * Return: why there is none, or NULL.
 */
const char *resident_lines_choose(struct prober *p, const struct hierarchy *h,
				  size_t k, uint64_t apart,
				  struct shape *shape);

#endif
