/* SPDX-License-Identifier: GPL-2.0 */
/* taker.h - another program that takes the counters while they are in use. */
#ifndef PROBE_PHYS_UNIT_KIT_TAKER_H
#define PROBE_PHYS_UNIT_KIT_TAKER_H

#include "machine/machine.h"

/**
 * struct taker - when it takes them
 * @after: counted walks that are left alone
 * @every: afterwards it takes them from one walk in @every; 0: from all
 * @walks: (out) counted walks so far
 */
struct taker {
	size_t after;
	unsigned int every;
	size_t walks;
};

/**
 * taker_begin() - start beside the only machine of a process; @t outlives it
 */
void taker_begin(struct taker *t, struct machine *m);

#endif
