/* SPDX-License-Identifier: GPL-2.0 */
/* reuse_lines.h - where the lines lie that reuse.c uses again. */
#ifndef PROBE_PHYS_METHOD_STRIDE_REUSE_LINES_H
#define PROBE_PHYS_METHOD_STRIDE_REUSE_LINES_H

#include "method/level/level.h"

/**
 * struct reuse - A + 1 lines of a set, and lines around them
 * @x: the measurement of the level
 * @level: which has A ways, as it seems
 * @count: A + 1
 * @lines: they
 * @neighbours: another line of the page of each
 * @above: lines of other sets that leave none of them in the levels above
 * @above_count: of those
 * @between: two uses of a line: these and more. What seems to be a level may be
 *           one that an inclusive level below takes lines away from, and is
 *           larger then; no line comes back to that level that was not pushed
 *           out of it
 * @between_count: of those
 * @row: all lines of the set, as far as there are; to be flushed
 * @row_count: of those; 0: not worth it
 * @rounds: that are counted; 1: by time, once
 */
struct reuse {
	struct xray *x;
	const struct xray_level *level;
	size_t count;
	uint64_t *lines;
	uint64_t *neighbours;
	uint64_t *above;
	size_t above_count;
	uint64_t *between;
	size_t between_count;
	uint64_t *row;
	size_t row_count;
	size_t rounds;
};

/** reuse_stride_above() - so far apart lines share a set of all levels above; 0: no
 * such stride is known
 */
uint64_t reuse_stride_above(const struct xray *x);

/** reuse_begin() - room for the lines; free(@a->lines) ends it
 * @a: its counts are set
 * Return: 0 or -ENOMEM with @f set.
 */
int reuse_begin(struct reuse *a, struct failure *f);

/** reuse_place() - choose all lines at a random place
 * @stride: as of reuse_stride_above()
 * Return: false: memory is too short, or there are no such lines.
 */
bool reuse_place(struct reuse *a, uint64_t stride);

#endif
