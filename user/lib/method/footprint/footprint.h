/* SPDX-License-Identifier: GPL-2.0 */
/*
 * footprint.h - latency and effective capacity of the level below one that is
 * known, where nothing is known of its sets: by footprints.
 *
 * Lines of random pages, several times what the level above has room for, miss it
 * whatever its index is. What they take is the next level's latency as long as a
 * footprint twice as long takes no more, and the level ends where loads begin to come
 * from memory. Called by method/measure.c.
 */
#ifndef PROBE_PHYS_METHOD_FOOTPRINT_FOOTPRINT_H
#define PROBE_PHYS_METHOD_FOOTPRINT_FOOTPRINT_H

#include "method/probe/prober.h"
#include "result/result.h"

/** FOOTPRINT_METHOD - of parameters */
#define FOOTPRINT_METHOD "footprints"

/**
 * footprint_measure() - the first level of which other methods know nothing
 * @h: results so far; (out) latency and effective capacity of that level, if it is
 *     reported and the one above is known
 * Return: 0; -EINTR; another -errno with @f set.
 */
int footprint_measure(struct prober *p, struct hierarchy *h, struct failure *f);

#endif
