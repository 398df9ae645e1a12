/* SPDX-License-Identifier: GPL-2.0 */
/*
 * baseline.h - what is commonly done, as published, warts included: what the
 * other methods improve on. Nobody should believe these.
 */
#ifndef PROBE_PHYS_METHOD_BASELINE_BASELINE_H
#define PROBE_PHYS_METHOD_BASELINE_BASELINE_H

#include "method/probe/prober.h"
#include "result/side_result.h"

/**
 * breaking_cache_measure() - the student program "breaking-cache"
 *
 * Sizes where the time of an update grows by more than 14 % from one array to the
 * next, the line size where it grows most from one stride to the next, ways where
 * it grows most at a stride of the cache's size.
 * @r: (out) results so far, also when it ends early; begun by this function, to
 *     be freed by side_result_free() in any case
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int breaking_cache_measure(struct prober *p, struct side_result *r,
			   struct failure *f);

/**
 * saavedra_measure() - strides through arrays (Saavedra, Smith; X-Ray section 2,
 * figure 1), read by the same rules as breaking_cache_measure()'s
 * @r, Return: as there
 */
int saavedra_measure(struct prober *p, struct side_result *r,
		     struct failure *f);

#endif
