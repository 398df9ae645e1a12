/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cooper.h - effective parameters (Cooper, Sandoval: Portable Techniques to
 * Find Effective Memory Hierarchy Parameters).
 *
 * Knows the time of reference strings alone: no counters, no answers of X-Ray.
 * Called by cmd/ (effective, compare). Results are in result/side_result.h;
 * functions return 0 or -errno with @f set, and an undecided parameter is no
 * error. Section numbers in these files are those of the paper.
 */
#ifndef PROBE_PHYS_METHOD_COOPER_COOPER_H
#define PROBE_PHYS_METHOD_COOPER_COOPER_H

#include "method/probe/prober.h"
#include "result/side_result.h"

/**
 * struct cooper_wanted - the parts to measure
 * @most_bytes: longest footprint; 0: as long as the memory allows, at most 128
 *              MiB, because each trial of longer ones takes seconds
 * @tlbs: TLBs too
 * @patience: a sweep ends after this many trials without an improvement
 *            anywhere; 0: the paper's 100
 */
struct cooper_wanted {
	uint64_t most_bytes;
	bool tlbs;
	unsigned int patience;
};

/**
 * cooper_measure() - the gap test, C(k), L(n,s) and T(n,k)
 * @r: (out) results so far, also when it ends early; begun by this function, to
 *     be freed by side_result_free() in any case. Its seconds are the caller's
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int cooper_measure(struct prober *p, const struct cooper_wanted *wanted,
		   struct side_result *r, struct failure *f);

#endif
