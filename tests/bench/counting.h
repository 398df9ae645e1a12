/* SPDX-License-Identifier: GPL-2.0 */
/* counting.h - a machine around a machine that counts the loads of a method. */
#ifndef PROBE_PHYS_COUNTING_H
#define PROBE_PHYS_COUNTING_H

#include "machine/machine.h"

/** enum counting_part - the parameter that loads were for */
enum counting_part {
	COUNTING_LATENCY,
	COUNTING_WAYS, /* and the size of a way */
	COUNTING_LINE,
	COUNTING_CAPACITY, /* whether all of it fits */
	COUNTING_OTHER,	   /* memory */
	COUNTING_PARTS,
};

/** COUNTING_LEVELS - levels that are counted apart, numbered from 1 */
#define COUNTING_LEVELS 4

/**
 * struct counting - the machine and its counts
 * @machine: the machine that a method uses
 * @inner: the machine that walks
 * @level: being measured now, 0: none
 * @part: being measured now
 * @loads: by level and part, warming included
 */
struct counting {
	struct machine machine;
	struct machine *inner;
	unsigned int level;
	enum counting_part part;
	uint64_t loads[COUNTING_LEVELS][COUNTING_PARTS];
};

/** counting_begin() - around @inner, which must live longer */
void counting_begin(struct counting *c, struct machine *inner);

/** counting_progress() - struct prober.progress, of a struct counting */
void counting_progress(void *context, const char *what, double done);

#endif
