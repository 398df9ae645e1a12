/* SPDX-License-Identifier: GPL-2.0 */
/* bench.h - benchmarks that bench.c calls. */
#ifndef PROBE_PHYS_BENCH_H
#define PROBE_PHYS_BENCH_H

#include "base/error.h"

/** bench_growth() - loads of a measurement as a level grows
 * Return: 0, or -EINVAL with @f set when loads grow that must be constant
 */
int bench_growth(struct failure *f);

/** bench_evset() - tests and accesses of a search for an eviction set, and how
 * they grow with the candidates
 * Return: 0, or -EINVAL with @f set when they exceed the published numbers
 */
int bench_evset(struct failure *f);

/** bench_evset_accesses() - of one eviction set of 16 ways among 64 sets
 * @ours: (out) mean
 * @best: (out) published mean
 * Return: 0 or -EINVAL with @f set.
 */
int bench_evset_accesses(double *ours, double *best, struct failure *f);

/** bench_amp() - accesses of AMP's parameters beside X-Ray's
 * Return: 0, or -errno with @f set
 */
int bench_amp(struct failure *f);

/** bench_model() - speed of the simulated hierarchy */
void bench_model(void);

/** bench_index() - questions and loads that an index function takes
 * Return: 0, or -EINVAL with @f set when they are too many or the answer wrong
 */
int bench_index(struct failure *f);

#endif
