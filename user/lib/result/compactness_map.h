/* SPDX-License-Identifier: GPL-2.0 */
/* compactness_map.h - which <m0, S, N> are compact in a level, as data. */
#ifndef PROBE_PHYS_RESULT_COMPACTNESS_MAP_H
#define PROBE_PHYS_RESULT_COMPACTNESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/verdict.h"

/** COMPACT_MAP_STRIDES - most strides of a map */
#define COMPACT_MAP_STRIDES 16
/** COMPACT_MAP_COUNTS - most numbers of elements of a map */
#define COMPACT_MAP_COUNTS 16

/**
 * struct compact_cell - one question
 * @tested: it was tested; otherwise memory is too short for it, a level above might
 *         have hit, or it would have cost too much
 * @verdict: the answer
 */
struct compact_cell {
	bool tested;
	enum verdict verdict;
};

/**
 * struct compactness_map - the answers of one level
 * @level: from 1
 * @strides: S in bytes, ascending powers of two; @stride_count of them
 * @counts: N, ascending powers of two; @count_count of them
 * @cells: by stride, then by number
 * @ways: A, as X-Ray found it; 0: not known, and then there is no line to draw
 * @way_bytes: T. N <= A * ceil(T / S) is compact, any more elements are not
 * @complete: every cell was tested that can be
 * @reason: in words, why there are none, or not all; else empty
 * @loads: done for it
 */
struct compactness_map {
	int level;
	uint64_t strides[COMPACT_MAP_STRIDES];
	size_t stride_count;
	size_t counts[COMPACT_MAP_COUNTS];
	size_t count_count;
	struct compact_cell cells[COMPACT_MAP_STRIDES][COMPACT_MAP_COUNTS];
	size_t ways;
	uint64_t way_bytes;
	bool complete;
	char reason[256];
	double loads;
};

/** compact_map_boundary() - A * ceil(T / S): the most elements @stride bytes
 * apart that are compact; 0: not known
 */
size_t compact_map_boundary(const struct compactness_map *map, uint64_t stride);

#endif
