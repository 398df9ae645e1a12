/* SPDX-License-Identifier: GPL-2.0 */
/*
 * neighbour.h - another program that occupies ways of a level, and may leave or
 * come while a method measures.
 */
#ifndef PROBE_PHYS_UNIT_KIT_NEIGHBOUR_H
#define PROBE_PHYS_UNIT_KIT_NEIGHBOUR_H

#include "method/probe/prober.h"

/** enum neighbour - when it occupies its ways */
enum neighbour {
	NEIGHBOUR_LEAVES,  /* until a later look, then no more */
	NEIGHBOUR_RETURNS, /* always except during later looks */
	NEIGHBOUR_COMES,   /* during later looks only */
};

/**
 * neighbour_begin() - start beside the measurement of one machine of this
 * process
 * @p: the measurement; its progress messages show when it looks
 * @less: the machine of @p without the occupied ways
 */
void neighbour_begin(struct prober *p, struct machine *less,
		     enum neighbour when);

/**
 * neighbour_interrupts() - end the measurement early
 * @p: that of neighbour_begin()
 * @message: number of the progress message at which it ends
 */
void neighbour_interrupts(struct prober *p, unsigned int message);

/** neighbour_looks() - number of later looks so far */
unsigned int neighbour_looks(void);

#endif
