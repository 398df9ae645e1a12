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
 * rate_most() - upper bound of a small rate
 * @hits: of @trials; 0: the rule of three, less one trial
 *
 * About two standard deviations above the rate that was seen.
 */
double rate_most(double hits, double trials);

#endif
