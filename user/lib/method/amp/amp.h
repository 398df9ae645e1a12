/* SPDX-License-Identifier: GPL-2.0 */
/*
 * amp.h - the hierarchy by miss counters alone (Coleman, Davidson: Automatic
 * Memory Hierarchy Characterization).
 *
 * Section numbers in these files are those of the paper. Its sequences are
 * asked; whether one misses is told by the project's sequential test ("any
 * miss after warm-up", algorithms 1.3 and 8.2) and, from the same samples, by
 * the paper's minimum of eight against 80 % of the misses expected.
 */
#ifndef PROBE_PHYS_METHOD_AMP_AMP_H
#define PROBE_PHYS_METHOD_AMP_AMP_H

#include "method/probe/prober.h"
#include "result/amp_result.h"

/** struct amp_wanted - what is to be measured
 * @caches: levels of cache, 0: none
 * @tlbs: translations too
 * @decision: what decides
 */
struct amp_wanted {
	size_t caches;
	bool tlbs;
	enum amp_decision decision;
};

/**
 * amp_measure() - every level that has a counter to be believed: all of data, the
 * first ones of code
 * @r: (out) results so far, also when it ends early. Levels without a counter
 *     are there as unavailable (the paper's N/C).
 *
 * The counters are tested first (counters_selftest()).
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int amp_measure(struct prober *p, const struct amp_wanted *wanted,
		struct amp_result *r, struct failure *f);

#endif
