/* SPDX-License-Identifier: GPL-2.0 */
/* whole_pages.h - whole pages of memory, whose lines were not sorted. */
#ifndef PROBE_PHYS_METHOD_EVSET_ORACLE_WHOLE_PAGES_H
#define PROBE_PHYS_METHOD_EVSET_ORACLE_WHOLE_PAGES_H

#include "method/evset/oracle/session.h"

/** evset_whole_pages_fit() - has the window room for @count pages, and are they
 * enough?
 */
bool evset_whole_pages_fit(const struct evset_machine *e, size_t count,
			   uint64_t line_bytes);

/**
 * evset_whole_pages() - do @count pages of e->window.low_bytes fit?
 * @count: of pages, other ones each time
 * @sparse: as of evset_random_places(); 1: consecutive pages
 * @line_bytes: of the level
 * @misses: (out) per load of all of their lines, above those of few lines in
 *          each page; in ticks while e->scale.penalty is 1. Not finite: too few
 *          pages for the levels above, too many for the window, or always
 *          disturbed
 *
 * Few lines of each page fit, need as many translations and miss as often
 * above.
 *
 * Return: 0 or -errno with @f set.
 */
int evset_whole_pages(struct evset_machine *e, size_t count, size_t sparse,
		      uint64_t line_bytes, double *misses, struct failure *f);

#endif
