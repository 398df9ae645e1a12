/* SPDX-License-Identifier: GPL-2.0 */
/* icachekit.h - what is measured of an instruction cache, and what it has to be. */
#ifndef PROBE_PHYS_UNIT_ICACHEKIT_H
#define PROBE_PHYS_UNIT_ICACHEKIT_H

#include "method/probe/prober.h"
#include "result/result.h"

/** icache_kit_know() - a first level of data, and an L2 whose hits take @ns */
void icache_kit_know(struct hierarchy *h, double ns);

/** icache_kit_measure() - below a first level of data and an L2
 * @l2_ns: what a hit in L2 takes
 */
void icache_kit_measure(struct machine *m, enum prober_by by, double l2_ns,
			uint64_t seed, struct hierarchy *h);

/** icache_kit_decided() - all of it is, or nothing, each with a reason */
bool icache_kit_decided(const struct hierarchy *h);

void icache_kit_expect(const struct hierarchy *h, unsigned int ways,
		       unsigned int sets, unsigned int line, uint64_t seed);

/** icache_kit_expect_miss() - what a miss has to add, core cycles */
void icache_kit_expect_miss(const struct hierarchy *h, double wanted,
			    uint64_t seed);

#endif
