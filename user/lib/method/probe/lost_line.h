/* SPDX-License-Identifier: GPL-2.0 */
/* lost_line.h - a line, timed after other lines of its set have come. */
#ifndef PROBE_PHYS_METHOD_PROBE_LOST_LINE_H
#define PROBE_PHYS_METHOD_PROBE_LOST_LINE_H

#include "method/probe/prober.h"

/**
 * struct lost_line - a line that others push out
 * @line: it, bytes from the begin of the region
 * @neighbour: another line of its page, which brings the translation back
 * @others: of its set
 * @count: of @others
 */
struct lost_line {
	uint64_t line;
	uint64_t neighbour;
	uint64_t *others;
	size_t count;
};

/**
 * lost_line_time() - what a load of it takes after the first @after of the others
 *
 * All of them are flushed before each sample, and its translation is there.
 * @loaded: before the others; else it is in memory
 * @r: (out) by time
 * Return: as prober_observe().
 */
int lost_line_time(const struct prober *p, const struct lost_line *l,
		   size_t after, bool loaded, unsigned int samples,
		   struct readings *r, struct failure *f);

#endif
