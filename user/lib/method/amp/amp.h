/* SPDX-License-Identifier: GPL-2.0 */
/*
 * amp.h - the hierarchy by miss counters alone (Coleman, Davidson: Automatic
 * Memory Hierarchy Characterization).
 *
 * Knows counters, shapes and views, no answer of X-Ray. Called by cmd/
 * (measure, compare). Results are in result/amp_result.h; functions return 0 or
 * -errno with @f set, and an undecided parameter is no error.
 *
 * Section numbers in these files are those of the paper. Its sequences are
 * measured; the project's sequential test ("any miss after warm-up", algorithms
 * 1.3 and 8.2) decides whether one misses and, from the same samples, the
 * paper's rule: the minimum of eight against 80 % of the expected misses.
 */
#ifndef PROBE_PHYS_METHOD_AMP_AMP_H
#define PROBE_PHYS_METHOD_AMP_AMP_H

#include "method/probe/prober.h"
#include "result/amp_result.h"

/**
 * struct amp_wanted - the parts to measure
 * @caches: number of levels of cache; 0: none
 * @tlbs: TLBs too
 * @decision: rule that decides
 */
struct amp_wanted {
	size_t caches;
	bool tlbs;
	enum amp_decision decision;
};

/**
 * amp_measure() - measure every level with a believed counter: all levels of
 * data, the first ones of code
 * @r: (out) results so far, also when it ends early. Levels without a counter
 *     are unavailable (the paper's N/C).
 *
 * The counters are tested first (counters_selftest()).
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int amp_measure(struct prober *p, const struct amp_wanted *wanted,
		struct amp_result *r, struct failure *f);

#endif
