/* SPDX-License-Identifier: GPL-2.0 */
/*
 * survivors.h - ways that a program can use of the level below a hashed one, where no
 * address says which lines share a set: L3 in a guest.
 *
 * Lines that share a set of the level above reach the level below when others of that
 * set push them out. Which of them share a set there is found by random subsets: a line
 * is evicted more often by those that hold lines of its set. As many of these lines as
 * all stay at a time are the ways. Called by method/measure.c, after footprints.
 */
#ifndef PROBE_PHYS_METHOD_SURVIVORS_SURVIVORS_H
#define PROBE_PHYS_METHOD_SURVIVORS_SURVIVORS_H

#include "method/probe/prober.h"
#include "result/result.h"

/** SURVIVORS_METHOD - of parameters */
#define SURVIVORS_METHOD "survivors"

/**
 * survivors_measure() - effective ways of the first level whose sets are not known
 * @h: results so far; (out) effective_ways of that level, if eviction sets have found
 *     lines of a set of the one above, and the latencies of both and of memory are
 *     known
 * Return: 0; -EINTR; another -errno with @f set.
 */
int survivors_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
