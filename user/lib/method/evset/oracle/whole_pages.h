/* SPDX-License-Identifier: GPL-2.0 */
/*
 * whole_pages.h - whole blocks of memory, in all of whose lines nobody looked
 * for sets.
 */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_WHOLE_PAGES_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_WHOLE_PAGES_H

#include "method/evset/oracle/session.h"

/** evset_whole_pages_fit() - can it be asked of so many? */
bool evset_whole_pages_fit(const struct evset_machine *e, size_t count,
			   uint64_t line_bytes);

/**
 * evset_whole_pages() - do so many blocks of e->window.low_bytes fit?
 * @count: of blocks, other ones each time
 * @sparse: as above; 1: they follow each other
 * @line_bytes: of the level
 * @misses: (out) per load of all of their lines, above those of few lines in each
 *          block; in ticks while e->scale.penalty is 1. Not finite: too few blocks for the
 *          levels above, too many for the window, or always disturbed.
 *
 * Few lines of each block fit, need as many translations and miss as often above.
 *
 * Return: 0 or -errno with @f set.
 */
int evset_whole_pages(struct evset_machine *e, size_t count, size_t sparse,
		      uint64_t line_bytes, double *misses, struct failure *f);

#endif
