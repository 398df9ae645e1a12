/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_allocate_steps.h - write-allocate of an exclusive level: is a line that
 * no level had there after a store to it, once the levels above have let it go?
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_ALLOCATE_STEPS_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_WRITE_ALLOCATE_STEPS_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * stores_by_steps() - of a level below the first
 *
 * Lines that nobody has are stored to, or not, and others push them out of the
 * levels above: they hit here then, like lines that were loaded, or miss. That
 * they hit is a sign test on placements; that they miss has reasons above, so
 * what is decided is that the level has them.
 *
 * @h: caches with their geometry, latencies and inclusion; @k: index of the
 *     level
 * @to: (out) measured or undecided
 * Return: 0; -EINTR; other -errno with @f set.
 */
int stores_by_steps(struct prober *p, const struct hierarchy *h, size_t k,
		    struct parameter *to, struct failure *f);

#endif
