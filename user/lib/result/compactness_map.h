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
 * struct compact_cell - whether one sequence <m0, S, N> is compact
 * @tested: the sequence was tested. Others are longer than the memory, may hit
 *         in a level above, or cost too much time
 * @verdict: the result of the test
 */
struct compact_cell {
	bool tested;
	enum verdict verdict;
};

/**
 * struct compactness_map - the compact sequences of one level
 * @level: from 1
 * @strides: S in bytes, ascending powers of two; @stride_count of them
 * @counts: N, ascending powers of two; @count_count of them
 * @cells: indexed by stride, then by number of elements
 * @ways: A, as X-Ray found it; 0: not known, so no boundary is drawn
 * @way_bytes: T. A sequence is compact if N <= A * ceil(T / S)
 * @complete: every cell that can be tested was tested
 * @reason: why cells are missing; empty if none is
 * @loads: loads that the map cost
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

/** compact_map_boundary() - A * ceil(T / S): the largest N for which elements
 * @stride bytes apart are compact; 0: not known
 */
size_t compact_map_boundary(const struct compactness_map *map, uint64_t stride);

#endif
