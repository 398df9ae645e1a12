// SPDX-License-Identifier: GPL-2.0
/* registers.c - registers of a simulated machine (X-Ray section 7). */
#include <math.h>

#include "machine/sim/walk.h"

/* Additions of one timing of registers, and timings of which the least counts.
 */
#define REGISTER_ADDS 8192
#define REGISTER_TRIALS 9

static unsigned int register_count(const struct profile *p,
				   enum register_type type)
{
	switch (type) {
	case REGISTER_INT:
		return p->registers_int;
	case REGISTER_DOUBLE:
		return p->registers_double;
	case REGISTER_MMX:
		return p->registers_mmx;
	case REGISTER_SSE:
		return p->registers_sse;
	default:
		return 0;
	}
}

/* A variable too many is written to the first level and read back. */
double sim_register_chain(struct machine *m, enum register_type type,
			  unsigned int variables)
{
	struct sim *s = sim_of(m);
	const struct profile *p = s->profile;
	unsigned int count = register_count(p, type);
	double spilled = 0, least = INFINITY;

	if (!count || !variables || !p->cache_count)
		return 0;
	if (variables > count)
		spilled = (double)(variables - count) / variables;
	for (int i = 0; i < REGISTER_TRIALS; i++) {
		double cycles = REGISTER_ADDS *
				(1 + spilled * 2 * p->caches[0].latency_cycles);

		least = fmin(least,
			     sim_without_overhead(s, sim_reading(s, cycles)));
		sim_wander(s);
	}
	return least / REGISTER_ADDS;
}
