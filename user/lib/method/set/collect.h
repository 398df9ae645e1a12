/* SPDX-License-Identifier: GPL-2.0 */
/*
 * collect.h - the lines that questions about a set are made of, for a
 * level of which no stride says where its sets are.
 */
#ifndef PROBE_PHYS_METHOD_SET_COLLECT_H
#define PROBE_PHYS_METHOD_SET_COLLECT_H

#include "method/set/open_set.h"
#include "result/result.h"

/**
 * level_collect() - lines of one set of a level, and such as clear the levels
 * above, by eviction sets alone
 * @h: what was found; sets of all levels above are known by stride, and the
 *     level's ways and line size are decided
 * @level: from 1
 * @lines: (out) of a set that chance has chosen
 * @why: (out) in words, why there are none; else empty
 *
 * Nothing is known of addresses but that lines of one offset in blocks as long
 * as a way of the levels above share their sets there. A minimal eviction set is
 * found, lines that may take the place of one of its own are collected, and all
 * of them are checked together. An exclusive level, to which a visit is a line
 * taken out, is refused.
 * Return: 0; -EINTR; or another -errno with @f set. level_lines_free() in any
 * case.
 */
int level_collect(struct level_lines *lines, struct prober *p,
		  const struct hierarchy *h, size_t level, char *why,
		  size_t size, struct failure *f);

#endif
