/* SPDX-License-Identifier: GPL-2.0 */
/* measure.h - run X-Ray's searches and the methods that depend on them, in
 * order.
 */
#ifndef PROBE_PHYS_METHOD_MEASURE_H
#define PROBE_PHYS_METHOD_MEASURE_H

#include "method/probe/prober.h"
#include "result/result.h"

/** enum everything_part - what may be left out; bits */
enum everything_part {
	/* Ways, capacity, line and latency of the data side: all levels, or the
	 * first p->most_levels. All other parts except registers need them.
	 */
	EVERYTHING_CACHES = 1 << 0,
	/*
	 * Their behaviour: inclusion, stores, sharing, whether they hold code.
	 */
	EVERYTHING_BEHAVIOUR = 1 << 1,
	EVERYTHING_CODE = 1 << 2, /* the first-level instruction cache */
	EVERYTHING_TLBS = 1 << 3,
	EVERYTHING_REGISTERS = 1 << 4, /* registers and the clock */
};

/**
 * measure_everything() - by X-Ray
 *
 * What each step cost is added to the costs of @h, also of the one that failed.
 * @parts: enum everything_part
 * @h: (out) results so far, also when it ends early; begun by the caller
 * Return: 0; -EINTR when stopped; other -errno with @f set.
 */
int measure_everything(struct prober *p, unsigned int parts,
		       struct hierarchy *h, struct failure *f);

#endif
