/* SPDX-License-Identifier: GPL-2.0 */
/* wilson.h - bounds on a rate of errors, by how many were counted. */
#ifndef PROBE_PHYS_BASE_WILSON_H
#define PROBE_PHYS_BASE_WILSON_H

#include <stddef.h>

/**
 * wilson_bounds() - 95 % interval of a rate (Wilson, JASA 22, 1927)
 * @hits: of @trials; none: any rate is possible
 * @low: (out) 0 to 1
 * @high: (out) 0 to 1
 */
void wilson_bounds(size_t hits, size_t trials, double *low, double *high);

/**
 * rate_most() - upper bound of a rate
 * @hits: of @trials independent ones, not 0
 * @alpha: bound on the probability that the rate is higher, above 0
 *
 * The rate at which as few hits have that probability by Chernoff's bound,
 * exp(-trials * D(hits / trials || rate)), D being relative entropy (Chernoff,
 * Ann. Math. Stat. 23, 1952; Hoeffding, JASA 58, 1963, theorem 1). Of no hits it is
 * exact.
 */
double rate_most(double hits, double trials, double alpha);

#endif
