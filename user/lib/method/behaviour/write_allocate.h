/* SPDX-License-Identifier: GPL-2.0 */
/* write_allocate.h - what the files of write-allocate share. */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_ALLOCATE_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_ALLOCATE_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * write_allocate_by_steps() - of a level below the first (write_allocate_steps.c)
 * @h: caches with their geometry, latencies and inclusion
 * @level: index
 * @to: (out) measured or undecided
 * Return: 0; -EINTR; other -errno with @f set.
 */
int write_allocate_by_steps(struct prober *p, const struct hierarchy *h,
			    size_t level, struct parameter *to,
			    struct failure *f);

#endif
