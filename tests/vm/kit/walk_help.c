// SPDX-License-Identifier: GPL-2.0
/* walk_help.c - walks, made short; for the tests of walks. */
#include <stdlib.h>

#include "kit/walk_help.h"

struct probe_phys_walk w_walk(const uint64_t *offsets, uint32_t n,
			      struct probe_phys_sample *samples,
			      uint32_t max_samples)
{
	T_ARG(walk, w, .offsets = (uintptr_t)offsets, .nr_offsets = n,
	      .samples = (uintptr_t)samples, .max_samples = max_samples,
	      .rounds = 1, .cpu = -1, .counters_fd = -1);

	return w;
}

uint64_t *w_steps(uint32_t n, uint64_t step)
{
	uint64_t *offsets = malloc(n * sizeof(*offsets));

	ck_assert_ptr_nonnull(offsets);
	for (uint32_t i = 0; i < n; i++)
		offsets[i] = i * step;
	return offsets;
}

void w_shuffle(uint64_t *offsets, uint32_t n, unsigned int seed)
{
	for (uint32_t i = n - 1; i > 0; i--) {
		uint32_t j = (uint32_t)rand_r(&seed) % (i + 1);
		uint64_t swap = offsets[i];

		offsets[i] = offsets[j];
		offsets[j] = swap;
	}
}

uint64_t w_loads(const struct probe_phys_sample *samples, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += samples[i].loads;
	return sum;
}

int w_long_walk(int buffer, uint64_t ns)
{
	static struct probe_phys_sample samples[PROBE_PHYS_MAX_WALK_SAMPLES];
	static const uint64_t offsets[] = { 0, 64, 128, 192 };
	struct probe_phys_walk w =
		w_walk(offsets, T_LENGTH(offsets), samples, T_LENGTH(samples));

	/* Neither rounds nor samples run out in a minute: time ends it. */
	w.rounds = 1ULL << 50;
	w.budget_ns = ns;
	return t_do(buffer, PROBE_PHYS_IOC_WALK, &w);
}
