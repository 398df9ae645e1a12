/* SPDX-License-Identifier: GPL-2.0 */
/*
 * neighbour.h - somebody else who keeps room in a level all the time, and may
 * leave when nobody expects it.
 */
#ifndef PROBE_PHYS_UNIT_KIT_NEIGHBOUR_H
#define PROBE_PHYS_UNIT_KIT_NEIGHBOUR_H

#include "method/probe/prober.h"

/** enum neighbour - when he holds his room */
enum neighbour {
	NEIGHBOUR_LEAVES,  /* until a later look, and never again */
	NEIGHBOUR_RETURNS, /* all the time but during later looks */
	NEIGHBOUR_COMES,   /* during later looks only */
};

/**
 * neighbour_begin() - beside a measurement, of one machine in a process
 * @p: what it says of its progress tells when it looks
 * @less: the same machine as that of @p without the room that he holds
 */
void neighbour_begin(struct prober *p, struct machine *less,
		     enum neighbour when);

/** neighbour_interrupts() - the measurement ends early, as it says so for the
 * @message'th time what it does; @p of neighbour_begin()
 */
void neighbour_interrupts(struct prober *p, unsigned int message);

/** neighbour_looks() - so often he has seen a later look */
unsigned int neighbour_looks(void);

#endif
