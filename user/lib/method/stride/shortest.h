/* SPDX-License-Identifier: GPL-2.0 */
/* shortest.h - how many lines at one stride are not compact. Private to this folder. */
#ifndef PROBE_PHYS_METHOD_STRIDE_SHORTEST_H
#define PROBE_PHYS_METHOD_STRIDE_SHORTEST_H

#include "method/level/geometry.h"

/** STRIDE_CROSSED - copies reach into the next row; a longer stride has room for them */
#define STRIDE_CROSSED SIZE_MAX
/** STRIDE_DIFFERS - no number has the same verdict in each place and order */
#define STRIDE_DIFFERS (SIZE_MAX - 1)

/**
 * stride_find_shortest() - shortest non-compact sequence at a stride, by bisection
 *
 * Compactness is monotone in N under "no miss at all". By Theorem 1 it is as long as at
 * half the stride, or half as long, so these are tried first.
 * @high: a number that is slow
 * @before: the shortest at half the stride; 0: not known
 * @shortest: (out) its length; STRIDE_CROSSED; STRIDE_DIFFERS; or 0 when undecided (g->reason says why)
 * Return: as xray_find_geometry().
 */
int stride_find_shortest(struct xray *x, uint64_t stride, size_t high,
			 size_t before, size_t *shortest,
			 struct xray_geometry *g, struct failure *f);

#endif
