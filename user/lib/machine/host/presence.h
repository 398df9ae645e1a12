/* SPDX-License-Identifier: GPL-2.0 */
/* presence.h - whether this thread lost its CPU during a sample. */
#ifndef PROBE_PHYS_MACHINE_HOST_PRESENCE_H
#define PROBE_PHYS_MACHINE_HOST_PRESENCE_H

#include "machine/walk.h"

/**
 * struct presence - state that changes when the thread loses its CPU
 * @cpu: where the thread runs
 * @switches: involuntary context switches so far
 */
struct presence {
	int cpu;
	long switches;
};

/** presence_now() - read it, by system calls, which use cache lines themselves
 */
struct presence presence_now(void);

/**
 * presence_mark() - set, where it is to be, sample.disturbed of samples taken since @before
 * @cpu: where the thread should have run
 * @before: presence_now() when the first sample began
 * @samples: @count of them in a row: all are disturbed when one may be
 */
void presence_mark(int cpu, const struct presence *before,
		   struct sample *samples, unsigned int count);

#endif
