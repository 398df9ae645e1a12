/* SPDX-License-Identifier: GPL-2.0 */
/* footkit.h - machines below whose last known level something lies. */
#ifndef PROBE_PHYS_UNIT_FOOTKIT_H
#define PROBE_PHYS_UNIT_FOOTKIT_H

#include "kit/simcache.h"
#include "result/result.h"

/**
 * struct foot_example - a machine
 * @known: levels that are measured before
 * @latency: that has to be found; 0: open
 * @usable_kib: most that may be found, and half of it at least; 0: open
 */
struct foot_example {
	const char *name;
	struct sim_config config;
	size_t known;
	double latency;
	double usable_kib;
};

/** foot_know() - what is measured of the levels above
 * @foreign: lines of the hashed one that do not share the set
 */
void foot_know(struct hierarchy *h, const struct foot_example *e,
	       size_t foreign);

void foot_expect_latency(const struct foot_example *e,
			 const struct parameter *p);
void foot_expect_room(const struct foot_example *e, const struct parameter *p);

/** foot_measure() - @found: the level below
 * @times_each: the machine times single loads
 */
void foot_measure(const struct foot_example *e, size_t foreign, bool times_each,
		  struct cache_result *found);

#endif
