/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.h - the core: registers that compiled code can use (X-Ray section 7),
 * and the clock that everything was timed with. Knows nothing of caches. Called by
 * method/measure.c. Fills in parameters of the hierarchy, each measured, undecided
 * with a reason, or unavailable. Functions return 0, -EINTR or another -errno.
 */
#ifndef PROBE_PHYS_METHOD_CORE_REGISTERS_H
#define PROBE_PHYS_METHOD_CORE_REGISTERS_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * registers_measure() - how many variables of each type stay in registers
 *
 * The largest n for which an operation of figure 11's sequence takes as long
 * as with one variable: n is doubled until it takes longer, then bisected. The
 * step has to be clear against how the time wanders below it, and three
 * searches have to find the same.
 * Return: 0 with @h->registers, -EINTR or another -errno with @f set.
 */
int registers_measure(struct prober *p, struct hierarchy *h, struct failure *f);

/** frequency_measure() - @h->frequency_hz, from integer additions
 *
 * Undecided when the clock changes while it is measured.
 * Return: 0 or -EINTR.
 */
int frequency_measure(struct prober *p, struct hierarchy *h);

#endif
