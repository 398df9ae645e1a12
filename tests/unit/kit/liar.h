/* SPDX-License-Identifier: GPL-2.0 */
/* liar.h - a simulated machine whose counters count wrongly. */
#ifndef PROBE_PHYS_UNIT_KIT_LIAR_H
#define PROBE_PHYS_UNIT_KIT_LIAR_H

#include "machine/machine.h"

/** enum lie - what a counter says instead of the truth */
enum lie {
	TRUTH,
	DEAD,	      /* always 0 */
	STUCK,	      /* the same in each sample */
	EVERY_LOAD,   /* another event */
	HALF,	      /* every other miss */
	MULTIPLEXED,  /* it did not run */
	LEVEL_ABOVE,  /* L2's counts L1's misses */
	LEVEL_BELOW,  /* L2's counts L3's misses */
	FALSE_COUNTS, /* sometimes too many */
	COLD_READS,   /* reading it adds misses after other lines */
};

/**
 * open_liar() - a machine of 64 MiB with wrong counters
 * @text: its profile
 * @seed: of the machine and of false counts
 */
struct machine *open_liar(const char *text, enum lie lie, uint64_t seed);

#endif
