/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_cache.h - caches of page walks by accessed bits: how many entries of each level
 * of page tables they hold.
 */
#ifndef PROBE_PHYS_METHOD_ACCESSED_WALK_CACHE_H
#define PROBE_PHYS_METHOD_ACCESSED_WALK_CACHE_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * walk_caches_measure() - measure those of all levels whose bits can be read
 *
 * Adds a result for each, also where nothing was found; where no bits can be read, one
 * that says so. Return: 0; -EINTR; or another -errno with @f set.
 */
int walk_caches_measure(struct prober *p, struct hierarchy *h,
			struct failure *f);

#endif
