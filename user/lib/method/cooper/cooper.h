/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cooper.h - effective parameters (Cooper, Sandoval: Portable Techniques to Find
 * Effective Memory Hierarchy Parameters).
 *
 * Section numbers in these files are those of the paper.
 */
#ifndef PROBE_PHYS_METHOD_COOPER_COOPER_H
#define PROBE_PHYS_METHOD_COOPER_COOPER_H

#include "method/probe/prober.h"
#include "result/side_result.h"

/** struct cooper_wanted - what is to be measured
 * @most_bytes: footprints up to so many; 0: as far as the memory reaches, but 128
 *              MiB at most, as longer ones take seconds for each trial
 * @tlbs: translations too
 * @patience: a sweep ends after so many trials that have brought no
 *            improvement anywhere; 0: the paper's 100
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
