/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spread.h - a control in several sets, so that no load misses in the set in
 * which the one before it has missed.
 *
 * Lines of one set of the level above miss one right after the other, for which
 * some processors take longer (a Zen 3's L1 by more than three cycles).
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_SPREAD_H
#define PROBE_PHYS_METHOD_LEVEL_SPREAD_H

#include "method/probe/prober.h"

/** SPREAD_MOST - most controls in the same pages */
#define SPREAD_MOST 32

/**
 * struct spread - controls in the same pages
 * @w: one of them
 * @apart: how far from the first one each lies, bytes, in sets of their own and no
 *         neighbours of each other's lines; @count of them
 * @mixed: loads of them in a random order, instead of in turn
 */
struct spread {
	struct shape w;
	uint64_t apart[SPREAD_MOST];
	size_t count;
	bool mixed;
};

/**
 * spread_begin() - as many controls as have room in a page, @most of them
 * @line_bytes: of the levels above, the longest
 * Return: 0 or -ENOMEM with @f set; a count of 1: there is no room.
 */
int spread_begin(struct prober *p, const struct shape *w, uint64_t line_bytes,
		 size_t most, struct spread *s, struct failure *f);

/**
 * spread_build() - at a random place, each control in a random order of its own
 * Return: 0; -ERANGE when there is too little memory, or lines fall onto each
 * other; -ENOMEM with @f set.
 */
int spread_build(struct prober *p, const struct spread *s, struct sequence *q,
		 struct failure *f);

#endif
