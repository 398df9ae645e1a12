/* SPDX-License-Identifier: GPL-2.0 */
/* rng.h - seeded random numbers (splitmix64; Steele, Lea, Flood 2014). */
#ifndef PROBE_PHYS_BASE_RNG_H
#define PROBE_PHYS_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/** struct rng - one stream, repeatable from its seed */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/** rng_below() - uniform in [0, bound), bound > 0 */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	return (uint64_t)(((__extension__(unsigned __int128) rng_next(rng)) *
			   bound) >>
			  64);
}

/** rng_uniform() - uniform in [0, 1) */
static inline double rng_uniform(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

/** rng_order() - the numbers 0 to @count - 1 in random order */
static inline void rng_order(struct rng *rng, size_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t j = rng_below(rng, i + 1);

		/* Before it is read, where j is i. */
		order[i] = i;
		order[i] = order[j];
		order[j] = i;
	}
}

#endif
