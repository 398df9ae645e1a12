/* SPDX-License-Identifier: GPL-2.0 */
/*
 * behaviour.h - what levels of cache do with lines: inclusion, write-allocate,
 * write-back, flushes. Knows nothing of how a level's geometry was found. Called by
 * method/measure.c and AMP's bench, once the caches have geometry and latencies.
 * Fills in parameters of the hierarchy, each measured or undecided with a reason.
 * Functions return 0; -EINTR; another -errno with @f set.
 */
#ifndef PROBE_PHYS_METHOD_BEHAVIOUR_BEHAVIOUR_H
#define PROBE_PHYS_METHOD_BEHAVIOUR_BEHAVIOUR_H

#include "method/probe/prober.h"
#include "result/result.h"

/**
 * inclusion_measure() - of every level below the first whose lines are known
 *
 * Exclusive is a level that adds its ways to those above (effective ways,
 * X-Ray); of others lines are pinned above (inclusion.c). By counters where they
 * are trusted, else by time.
 *
 * @h: caches with their geometry and latencies; inclusion is filled in
 */
int inclusion_measure(struct prober *p, struct hierarchy *h, struct failure *f);

/**
 * write_allocate_measure() - write-allocate, of every level (write_allocate.c)
 *
 * A level allocates when a line that no level had is there after a store to it,
 * once the levels above have lost it again. By the level's counter where it is
 * trusted, else by time. Of an exclusive level, and of one below a level whose
 * sets are not known by stride, it may only be decided that it has the line.
 *
 * @h: caches with their geometry, latencies and inclusion; write_allocate is
 *     filled in
 */
int write_allocate_measure(struct prober *p, struct hierarchy *h,
			   struct failure *f);

/**
 * write_back_measure() - of the first level (write_back.c)
 *
 * Above a second level that is not exclusive. Of the other levels it is not
 * available.
 *
 * @h: caches with their geometry, latencies and inclusion; write_back is filled
 *     in
 */
int write_back_measure(struct prober *p, struct hierarchy *h,
		       struct failure *f);

/**
 * memory_side_measure() - whether a cache that no flush reaches lies before memory
 * (memory_side.c)
 *
 * Lines at one place of their pages are flushed and timed, and again after all others at
 * that place. Where that takes far longer, the latency of memory is undecided: it is
 * that cache's. A cache that has room for all of the machine's memory is not seen.
 *
 * @h: memory_latency_cycles and memory_latency_ns
 */
int memory_side_measure(struct prober *p, struct hierarchy *h,
			struct failure *f);

#endif
