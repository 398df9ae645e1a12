/* SPDX-License-Identifier: GPL-2.0 */
/*
 * prefetch.h - lines that no access has used yet. A prefetch costs nothing
 * and stays within its 4 KiB page, as Intel's do (Disclosure of hardware
 * prefetcher control).
 */
#ifndef PROBE_PHYS_MODEL_PREFETCH_H
#define PROBE_PHYS_MODEL_PREFETCH_H

#include "model/levels.h"

#define PREFETCH_PAGES 16

/** struct prefetch_page - accesses seen in a 4 KiB page */
struct prefetch_page {
	uint64_t page;
	int64_t last;
	int64_t delta;
	unsigned int seen;
};

/** struct prefetcher - one of one CPU
 * @profile: its description
 * @level: its place in the data chain; none: >= chain.depth
 * @on: not switched off
 * @pages: stride, stream: recent pages
 */
struct prefetcher {
	const struct profile_prefetcher *profile;
	unsigned int level;
	bool on;
	struct prefetch_page pages[PREFETCH_PAGES];
};

void prefetch_init(struct prefetcher *p, const struct profile_prefetcher *what,
		   const struct chain *chain);

/** prefetch_remembers() - what it does depends on more than what the caches
 * hold
 */
static inline bool prefetch_remembers(const struct prefetcher *p)
{
	return p->profile->kind == PROFILE_STRIDE ||
	       p->profile->kind == PROFILE_STREAM;
}

/** prefetch_after() - a load or store was served by level @served */
void prefetch_after(struct prefetcher *p, struct levels *h,
		    const struct chain *chain, const struct place *at,
		    unsigned int served);

#endif
