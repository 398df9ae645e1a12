/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sharing.h - which CPUs use the same array of a level.
 *
 * The measured CPU loads lines that hit in the level; another one loads as many
 * others of their sets as push them out, if it uses the same array. Then they
 * miss. (Digest of published methods: "p loads x; q runs an eviction set of x;
 * p's x missing at level k means that k is shared".)
 */
#ifndef PROBE_PHYS_METHOD_SHARING_SHARING_H
#define PROBE_PHYS_METHOD_SHARING_SHARING_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * sharing_measure() - of every level whose sets are known by stride, and hashed
 * ones of which enough lines of a set are listed
 *
 * Decided for each other CPU against lines of other sets that it loads, and only
 * where the measured CPU itself pushes its lines out so: above a level that may
 * be inclusive and lose what is loaded, also after each CPU that does not. Not
 * decided: exclusive levels, and those above a level that may be inclusive where
 * no lines leave it alone; of listed lines nothing is known there.
 *
 * @h: caches with their geometry, latencies and inclusion; sharing is filled in
 * Return: 0; -EINTR; other -errno with @f set.
 */
int sharing_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
