/* SPDX-License-Identifier: GPL-2.0 */
/*
 * levels.h - every data cache level, nearest first, and memory. Chooses for each
 * level a strategy (strides, eviction sets, lines evicted one by one) and turns the
 * findings of these into results. Called by method/measure.c and by commands; knows
 * no other method that rests on its results (inclusion, stores, sharing).
 * Errors: 0, -EINTR when stopped, another -errno with the failure set.
 */
#ifndef PROBE_PHYS_METHOD_LEVELS_LEVELS_H
#define PROBE_PHYS_METHOD_LEVELS_LEVELS_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * xray_measure() - every data cache level that can be found, and memory
 *
 * Levels that turn out to have more room later are measured once more, with
 * those below them, and are undecided when it happens again.
 * @h: (out) results so far, also when it ends early; then ways of a level that are
 *     not known to be all of its ways are open
 * Return: 0, -EINTR when stopped, other -errno with @f set.
 */
int xray_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
