/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flush_lines.h - levels as if unused: lines that earlier tests
 * left there is flushed.
 *
 * A full level takes lines in by driving others out, and one that takes those
 * away above as well (inclusive) does so whatever those levels would keep. How
 * often depends on what it has seen before: DRRIP that lets few lines stay has
 * one place in each set for all new ones to fight for. Where its sets are not
 * known no lines that spare each other can be chosen, but all find room there.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_FLUSH_LINES_H
#define PROBE_PHYS_METHOD_LEVEL_FLUSH_LINES_H

#include "method/probe/prober.h"

/**
 * struct room - what is flushed
 * @from, @to: bytes of the region, all that were used
 * @step: bytes from one place to the next, from the first of these on
 * @lines: at each place, offsets in bytes, less than @step
 * @count: of @lines
 */
struct room {
	uint64_t from;
	uint64_t to;
	uint64_t step;
	const uint64_t *lines;
	size_t count;
};

/** level_flush() - flush them. Return: 0, -EINTR, other -errno with @f set */
int level_flush(const struct prober *p, const struct room *r,
		struct failure *f);

/** level_flush_sequence() - flush a list of lines. Return: as above */
int level_flush_sequence(const struct prober *p, const struct sequence *lines,
			 struct failure *f);

#endif
