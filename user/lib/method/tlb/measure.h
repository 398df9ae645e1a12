/* SPDX-License-Identifier: GPL-2.0 */
/*
 * measure.h - translation arrays (X-Ray section 6), by page size and level, for
 * loads and for fetches.
 *
 * Uses views of a machine through method/probe; knows no kind of machine and no
 * report. Called by method/measure.c; amp/ uses search.h and view.h of this
 * folder alone. Findings become results in report.c. Functions return 0 or
 * -errno with @f set; an undecided array is no error.
 */
#ifndef PROBE_PHYS_METHOD_TLB_MEASURE_H
#define PROBE_PHYS_METHOD_TLB_MEASURE_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * tlb_measure() - measure every translation array
 * @h: results of xray_measure(): the first cache says where words may lie.
 *     Arrays are added, also when it ends early; without views none is.
 * Return: 0; -EINTR when stopped; another -errno with @f set.
 */
int tlb_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
