/* SPDX-License-Identifier: GPL-2.0 */
/*
 * levelkit.h - simulated machines of three levels, and the results that a
 * method of stores or inclusion starts from
 */
#ifndef PROBE_PHYS_UNIT_KIT_LEVELKIT_H
#define PROBE_PHYS_UNIT_KIT_LEVELKIT_H

#include "base/rng.h"
#include "machine/machine.h"
#include "result/result.h"

#define LEVELS 3

/**
 * struct level - one cache of a machine
 * @ways: lines per set
 * @sets: a power of two
 * @policy: name in the profile
 * @kind: inclusion; without meaning for the first level
 * @bypassed: stores do not allocate
 * @through: it writes through
 * @shared: groups of CPUs, as in the profile; NULL: private
 */
struct level {
	unsigned int ways;
	unsigned int sets;
	const char *policy;
	enum inclusion kind;
	bool bypassed;
	bool through;
	const char *shared;
};

#define NINE INCLUSION_NINE
#define INCLUSIVE INCLUSION_INCLUSIVE
#define EXCLUSIVE INCLUSION_EXCLUSIVE

#define TIMED ",\"cycle_ns\":0.5"
#define COUNTED TIMED ",\"counters\":[\"l1d_miss\",\"l2_miss\",\"l3_miss\"]"
#define NOISY                                                   \
	TIMED ",\"noise\":{\"jitter_cycles\":20,"               \
	      "\"tail_probability\":0.01,\"tail_cycles\":2000," \
	      "\"interrupts_per_million_loads\":10,"            \
	      "\"lines_evicted_per_interrupt\":16}"
#define COARSE TIMED ",\"timer\":{\"resolution_ns\":70}"
#define ALL_COUNTERS \
	(1U << COUNTER_L1D_MISS | 1U << COUNTER_L2_MISS | 1U << COUNTER_L3_MISS)

/**
 * levelkit_open() - open it; @more: rest of the profile, begins with a comma
 */
struct machine *levelkit_open(const struct level *levels, const char *more,
			      uint64_t seed);

/** levelkit_know() - (out) @h: the results of X-Ray and of the kept line */
void levelkit_know(struct hierarchy *h, const struct level *levels);

/** levelkit_stores() - measure write-allocate and write-back
 * @counters: bits of the counters that passed their test; 0: decide by time
 * @h: known results; (out) both parameters
 */
void levelkit_stores(const struct level *levels, const char *more,
		     uint64_t seed, unsigned int counters, struct hierarchy *h);

/**
 * levelkit_random() - a random private level, the @i-th of a machine, from 0
 */
struct level levelkit_random(struct rng *rng, int i);

/**
 * struct levelkit_drawn - a random machine, and how it is measured
 * @levels: private ones
 * @more: of the profile
 * @counters: that are believed
 * @seed: of the machine
 */
struct levelkit_drawn {
	struct level levels[LEVELS];
	const char *more;
	unsigned int counters;
	uint64_t seed;
};

/** levelkit_draw() - the @round-th machine: timed, counted and noisy in turn */
struct levelkit_drawn levelkit_draw(struct rng *rng, int round);

/** levelkit_sweep() - random machines of PROBE_PHYS_SEED, or of the day
 * @right: measures a machine, which it may change first, and checks that
 *         nothing is wrong. Return: parameters that were decided
 * Return: decided parameters of all.
 */
int levelkit_sweep(const char *suite, int rounds,
		   int (*right)(struct levelkit_drawn *d, struct rng *rng,
				int round));

/**
 * levelkit_check() - a decided parameter of a drawn machine is as it should be
 */
void levelkit_check(const struct levelkit_drawn *d, int level,
		    bool as_it_should, const char *found);

/** levelkit_seed() - PROBE_PHYS_SEED, else the number of the day */
uint64_t levelkit_seed(void);

#endif
