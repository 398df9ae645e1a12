/* SPDX-License-Identifier: GPL-2.0 */
/* walk_help.h - walks, made short; for the tests of walks. */
#ifndef T_WALK_HELP_H
#define T_WALK_HELP_H

#include "kit/t.h"

/* A walk of @n offsets over @samples; one round, one sample wanted. */
struct probe_phys_walk w_walk(const uint64_t *offsets, uint32_t n,
			      struct probe_phys_sample *samples,
			      uint32_t max_samples);

/* Offsets 0, step, 2*step ...; malloc()ed. */
uint64_t *w_steps(uint32_t n, uint64_t step);

/* The same offsets in a pseudo-random order. */
void w_shuffle(uint64_t *offsets, uint32_t n, unsigned int seed);

/* Loads of all samples. */
uint64_t w_loads(const struct probe_phys_sample *samples, uint32_t n);

/* A walk of about @ns on @buffer; what the ioctl gave. Usable in children. */
int w_long_walk(int buffer, uint64_t ns);

#endif /* T_WALK_HELP_H */
