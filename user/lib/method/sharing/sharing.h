/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sharing.h - what uses a level: which CPUs load into the same array, and whether
 * it holds code as well as data. Knows nothing of how a level's geometry was
 * found. Called by method/measure.c and AMP's bench, once caches have geometry,
 * latencies and inclusion. Fills in parameters, each measured or undecided with a
 * reason. Functions return 0; -EINTR; another -errno with @f set.
 */
#ifndef PROBE_PHYS_METHOD_SHARING_SHARING_H
#define PROBE_PHYS_METHOD_SHARING_SHARING_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * sharing_measure() - of every level whose sets are known by stride, and hashed
 * ones of which enough lines of a set are listed
 *
 * The measured CPU loads lines that hit in the level; another CPU loads as many
 * others of their sets as evict them, if it uses the same array. Then they miss.
 * (Digest of published methods: "p loads x; q runs an eviction set of x; p's x
 * missing at level k means that k is shared".)
 *
 * Decided for each other CPU against lines of other sets that it loads, and only
 * where the measured CPU itself evicts its lines so. A CPU that does not is apart
 * where the measured one evicts most of them, whatever levels below lose: one that
 * shares the level shares those, too, and would fare as the measured CPU does,
 * which is tried again afterwards. One that does shares the level only where no
 * level below can have lost the lines. Not decided: exclusive levels.
 *
 * @h: caches with their geometry, latencies and inclusion; sharing is filled in
 */
int sharing_measure(struct prober *p, struct hierarchy *h, struct failure *f);

/**
 * unified_measure() - does each level of data hold code as well? (unified.c)
 * @h: as measured so far; cache_result.unified is filled in, undecided where @h
 *     lacks something
 */
int unified_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
