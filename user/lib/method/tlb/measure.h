/* SPDX-License-Identifier: GPL-2.0 */
/*
 * measure.h - translation arrays (X-Ray section 6), by page size and level,
 * for loads and for fetches.
 */
#ifndef PROBE_PHYS_METHOD_TLB_MEASURE_H
#define PROBE_PHYS_METHOD_TLB_MEASURE_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * xray_measure_tlbs() - every translation array that can be told
 * @h: what xray_measure() left: the first cache tells where words may lie.
 *     Arrays are added, also when it ends early; without views none is.
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int xray_measure_tlbs(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
