/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inclusion.h - whether a level holds what the first level holds.
 *
 * A line x is read so often that the first level always keeps it; the levels
 * below never see those reads. Meanwhile other lines come into x's set of the
 * level in question, more than it has ways, and push x out there. An inclusive
 * level then takes x out of the first level as well, so that x misses; any
 * other leaves it. (Digest of published methods: Yan et al., "Attack
 * Directories, Not Caches", S&P 2019, on why a level has to be inclusive for
 * that; the sequence is ours.)
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_INCLUSION_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_INCLUSION_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * inclusion_measure() - of every level below the first whose lines are known
 *
 * Exclusive is a level that adds its ways to those above (effective ways,
 * X-Ray); otherwise lines that conflict are walked as above. Decided against
 * the same walk with a line of another set in the place of x, by the first
 * level's counter where it is trusted, else by time. What that leaves
 * open inclusion_steps.h asks.
 *
 * @h: caches with their geometry and latencies; inclusion is filled in
 * Return: 0; -EINTR; other -errno with @f set.
 */
int inclusion_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
