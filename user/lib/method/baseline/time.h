/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time.h - time per element of an array that is walked repeatedly: all that the
 * baselines measure.
 *
 * How the programs do it, and what is kept of it here:
 *
 * - They walk the array in order, and prefetchers see that. Kept. The array
 *   lies anywhere in memory; its frames need not be contiguous. Kept.
 * - They update: x[j] = x[j] + 1, a load, which brings the line, and a store to
 *   it. Here it is a load alone. A store alone (WALK_STORES) would differ more:
 *   without write-allocate it does not bring the line, and the fence after it
 *   takes longer than a hit in the second level. The cost of writing lines back
 *   is lost.
 * - Their updates are independent, so a processor overlaps some of them. Here
 *   each load depends on the one before it: levels show more clearly, not less.
 * - An element is an int of 4 bytes, a walked word one of 8. The stride of one
 *   element is calculated: of the two ints of a word, the second hits in the
 *   first level.
 * - They count milliseconds over seconds. Here the median of a few samples
 *   counts, in cycles, after some rounds in which the caches settle. So a clock that
 *   changes its frequency cancels out, which it does not there. Policies that
 *   seldom let a line in (BIP) take hundreds of rounds to settle: there they do
 *   for large arrays, here they do not.
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
 * Return: 0; -EINTR; -ERANGE: it does not fit into the region; other -errno
 * with @f set.
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
