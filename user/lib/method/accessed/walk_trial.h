/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_trial.h - trials of what caches of page walks keep. Private to this folder.
 *
 * All TLBs and caches of page walks are emptied; a page below each of some entries is
 * touched, in rounds with other pages each; the accessed bits of these entries and of
 * further pages are cleared; and such a page is touched below some of the entries. No
 * TLB can have it, so page tables are walked, and an entry whose bit stays clear was in
 * a cache. Empty ways are filled first, so all of the entries are kept if they fit.
 * If there are more of them than a cache holds, one at least is not kept, under any
 * replacement policy.
 */
#ifndef PROBE_PHYS_METHOD_ACCESSED_WALK_TRIAL_H
#define PROBE_PHYS_METHOD_ACCESSED_WALK_TRIAL_H

#include "method/probe/prober.h"

/**
 * struct walk_view - pages below entries of one level
 * @prober: machine and random numbers
 * @view: the pages
 * @span: bytes below each entry
 * @entries: their number
 */
struct walk_view {
	struct prober *prober;
	struct view *view;
	uint64_t span;
	size_t entries;
};

/**
 * walk_view_open() - below as many entries as the machine maps
 * @span: one of machine.table_bytes
 * Return: 0; or -errno with @f set.
 */
int walk_view_open(struct walk_view *w, struct prober *p, uint64_t span,
		   struct failure *f);
void walk_view_close(struct walk_view *w);

/**
 * struct walk_shape - entries that are touched
 * @entries: their number
 * @spread: they lie all over the view; else they are neighbours
 * @apart: as many as separate the two halves of neighbours, else 0
 * @tested: of these, drawn at random
 */
struct walk_shape {
	size_t entries;
	bool spread;
	size_t apart;
	size_t tested;
};

/**
 * walk_try() - one trial
 * @lost: (out) entries of those that were tested, not in a cache
 * Return: 0; -EAGAIN: disturbed, or a TLB had one of the pages; -EINTR; or another
 * -errno with @f set.
 */
int walk_try(const struct walk_view *w, const struct walk_shape *shape,
	     uint64_t *lost, struct failure *f);

#endif
