/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time.h - time per element of an array that is gone through again and
 * again, which is all that the baselines measure.
 *
 * How the programs do it, and what can be kept of that here:
 *
 * - They go through the array in order, so that prefetchers see what they see
 *   there. Kept; also where the array lies: wherever memory happens to be, whose
 *   frames need not be contiguous.
 * - They update: x[j] = x[j] + 1. That is a load, which brings the line, and a
 *   store to the line that it has brought. Here it is a load alone. A store by
 *   itself (WALK_STORES) would be further from it: it does not bring the line
 *   where writes do not allocate, and each is followed by a fence, which takes
 *   longer than what the second level adds. What writing lines back takes is lost.
 * - Their updates do not depend on each other, so that a processor overlaps some of
 *   them. Here each load waits for the one before it: what a level adds shows more
 *   clearly, not less.
 * - An element is an int of 4 bytes, a word that is walked one of 8. The stride of
 *   one element is not walked but calculated: of the two ints of a word, the
 *   second is found in the first level.
 * - They count milliseconds over seconds. Here it is some rounds until the caches
 *   have settled, then a few samples, of which the median counts, in cycles, so that
 *   a clock that changes its frequency cancels, which there it does not. Policies
 *   that seldom let a line in (BIP) take hundreds of rounds to settle: of large
 *   arrays they would get them there, and do not here.
 */
#ifndef PROBE_PHYS_METHOD_BASELINE_TIME_H
#define PROBE_PHYS_METHOD_BASELINE_TIME_H

#include "method/probe/prober.h"
#include "result/side_result.h"

/**
 * baseline_time() - cycles per load of a sequence <0, stride, count> in order
 * @stride_bytes: a multiple of 8
 * @count: elements, at least 1
 * @r: counts the loads
 * @cycles: (out) above 0; ticks where the machine cannot time a cycle
 * Return: 0; -EINTR; -ERANGE: it does not fit into the region; other -errno with
 * @f set.
 */
int baseline_time(struct prober *p, uint64_t stride_bytes, uint64_t count,
		  struct side_result *r, double *cycles, struct failure *f);

/** BASELINE_STRIDES - of get_line_size(): 1 to 128 ints */
#define BASELINE_STRIDES 8

/**
 * baseline_first_stride() - the time at a stride of one int
 * @words: the time at a stride of two
 * @r, @cycles, Return: as of baseline_time()
 */
int baseline_first_stride(struct prober *p, double words, struct side_result *r,
			  double *cycles, struct failure *f);

#endif
