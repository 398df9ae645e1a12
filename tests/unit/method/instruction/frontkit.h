/* SPDX-License-Identifier: GPL-2.0 */
/*
 * frontkit.h - a machine whose jumps pass a predictor of targets and an array of
 * decoded jumps before the instruction cache. For tests that these arrays are
 * not taken for the cache.
 */
#ifndef PROBE_PHYS_UNIT_METHOD_INSTRUCTION_FRONTKIT_H
#define PROBE_PHYS_UNIT_METHOD_INSTRUCTION_FRONTKIT_H

#include "base/rng.h"
#include "machine/machine.h"

#define FRONT_BYTES (UINT64_C(64) << 20)
#define FRONT_L2_CYCLES 14
/* Bytes of the shortest instructions that one entry of what is decoded holds:
 * with most ways and sets, 6,144 instructions, the most that is known (Zen 5).
 */
#define FRONT_PART 8
#define FRONT_MISPREDICTED_CYCLES 20
#define FRONT_MOST_SETS 4096
#define FRONT_MOST_WAYS 16

/** struct array - of least recently used keys: addresses without low bits */
struct array {
	unsigned int ways;
	unsigned int sets;
	unsigned int key_shift;
	unsigned int set_shift;
	uint64_t keys[FRONT_MOST_SETS][FRONT_MOST_WAYS];
};

/**
 * struct front - a machine whose jumps pass more than a cache
 * @machine: what the method sees
 * @code: the first level
 * @targets: where predicted jumps lead
 * @decoded: what has been decoded; what hits there does not fetch from @code
 * @has_decoded: there is one
 * @inclusive: it has nothing that @code does not have
 * @target_cycles: what a jump costs that is not known
 * @decode_cycles: what decoding costs
 * @in_vain: lines behind each one that are fetched with it, at no cost
 * @unused: those that are there are not used by that
 * @missed: jumps that have missed @code
 */
struct front {
	struct machine machine;
	struct array code;
	struct array targets;
	struct array decoded;
	bool has_decoded;
	bool inclusive;
	unsigned int target_cycles;
	unsigned int decode_cycles;
	unsigned int in_vain;
	bool unused;
	uint64_t missed;
};

/** front_empty() - an array of @sets times @ways without keys */
void front_empty(struct array *a, unsigned int ways, unsigned int sets,
		 unsigned int key_shift, unsigned int set_shift);

/** front_begin() - a machine without arrays and counters */
void front_begin(struct front *t);

/** front_draw() - predictors with an entry for a jump, or for one or two */
void front_draw(struct front *t, struct rng *rng);

#endif
