/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unified.h - which levels hold code as well as data (AMP section 3.6).
 *
 * Lines that fit into a level are loaded, far more code than it has room for is
 * run, and they are loaded again: where they miss as they do when as much data
 * came in between, and not as when nothing did, code takes their place.
 */
#ifndef PROBE_PHYS_METHOD_SHARING_UNIFIED_H
#define PROBE_PHYS_METHOD_SHARING_UNIFIED_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * unified_measure() - cache_result.unified of each level of data
 * @h: as measured so far; what it lacks leaves levels open
 * Return: 0, -EINTR when stopped, or another -errno with @f set.
 */
int unified_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
