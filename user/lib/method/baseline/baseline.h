/* SPDX-License-Identifier: GPL-2.0 */
/*
 * baseline.h - common methods as published, errors included, for comparison.
 *
 * Knows the time of strides alone, no answer of other methods. Called by
 * cmd/compare. Results are in result/side_result.h, and are often wrong.
 * Functions return 0 or -errno with @f set; an undecided parameter is no error.
 */
#ifndef PROBE_PHYS_METHOD_BASELINE_BASELINE_H
#define PROBE_PHYS_METHOD_BASELINE_BASELINE_H

#include "method/probe/prober.h"
#include "result/side_result.h"

/**
 * breaking_cache_measure() - the student program "breaking-cache"
 *
 * Sizes: where the time of an update grows by more than 14 % from one array to
 * the next. Line size: where it grows most from one stride to the next. Ways:
 * where it grows most at a stride of the cache's size.
 * @r: (out) results so far, also when it ends early; initialised here, to be
 *     freed by side_result_free() in any case
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int breaking_cache_measure(struct prober *p, struct side_result *r,
			   struct failure *f);

/**
 * saavedra_measure() - strides through arrays (Saavedra, Smith; X-Ray section
 * 2, figure 1), evaluated by the rules of breaking_cache_measure()
 * @r, Return: as there
 */
int saavedra_measure(struct prober *p, struct side_result *r,
		     struct failure *f);

#endif
