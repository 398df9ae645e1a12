/* SPDX-License-Identifier: GPL-2.0 */
/* power.h - powers of two. */
#ifndef PROBE_PHYS_BASE_POWER_H
#define PROBE_PHYS_BASE_POWER_H

#include <stdint.h>

/** power_below() - the largest one that is no more than @x; 0 of 0 */
static inline uint64_t power_below(uint64_t x)
{
	while (x & (x - 1))
		x &= x - 1;
	return x;
}

#endif
