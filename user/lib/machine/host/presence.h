/* SPDX-License-Identifier: GPL-2.0 */
/* presence.h - did this thread lose its CPU meanwhile? */
#ifndef PROBE_PHYS_MACHINE_HOST_PRESENCE_H
#define PROBE_PHYS_MACHINE_HOST_PRESENCE_H

#include "machine/machine.h"

/**
 * struct presence - what tells that the thread lost the CPU
 * @cpu: where it runs
 * @switches: how often it had to make room for another one so far
 */
struct presence {
	int cpu;
	long switches;
};

/** presence_now() - by system calls, which use lines themselves */
struct presence presence_now(void);

/**
 * presence_mark() - mark samples as disturbed during which it did
 * @before: when they began
 * @samples: @count of them in a row: all are disturbed when one may be. They are
 *           counted in m->conditions
 */
void presence_mark(struct machine *m, const struct presence *before,
		   struct sample *samples, unsigned int count);

#endif
