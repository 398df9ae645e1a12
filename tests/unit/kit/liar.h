/* SPDX-License-Identifier: GPL-2.0 */
/* liar.h - a simulated machine whose counters are not to be trusted. */
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
	LEVEL_ABOVE,  /* L2's is L1's */
	LEVEL_BELOW,  /* L2's is L3's */
	FALSE_COUNTS, /* now and then some more */
	COLD_READS,   /* after other lines reading it misses, more or less */
};

/**
 * open_liar() - a machine of 64 MiB that lies
 * @text: its profile
 * @seed: of the machine and of false counts
 */
struct machine *open_liar(const char *text, enum lie lie, uint64_t seed);

#endif
