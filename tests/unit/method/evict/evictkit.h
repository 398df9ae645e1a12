/* SPDX-License-Identifier: GPL-2.0 */
/*
 * evictkit.h - simulated machines of three levels, and the start of a
 * measurement of L3 by lines that L2 evicts.
 */
#ifndef PROBE_PHYS_UNIT_METHOD_EVICT_EVICTKIT_H
#define PROBE_PHYS_UNIT_METHOD_EVICT_EVICTKIT_H

#include "method/evict/evict.h"
#include "method/levels/levels.h"

#define KIB UINT64_C(1024)
#define MEMORY_CYCLES 300

/** enum evict_inclusion - which lines of L2 are in L3, too */
enum evict_inclusion {
	EVICT_NINE,
	EVICT_INCLUSIVE,
	EVICT_EXCLUSIVE,
};

/**
 * struct evict_machine - L1 of 4 ways and 16 KiB, a hashed L2 of 8 ways and 64
 * KiB, and L3
 * @name: its peculiarity, for messages
 * @policies: of L2 and L3
 * @inclusion: of L3
 * @ways: of L3
 * @kib: capacity of L3
 * @folded: the top bit of the range that looks like the set of L3 is XORed onto
 *	another bit, so that L3 has half as many sets
 * @conflict: cycles that a miss of L1 takes longer right after one of its set
 * @noisy: interrupts disturb the measurement
 * @open: L3 may be undecided
 */
struct evict_machine {
	const char *name;
	const char *policies[2];
	enum evict_inclusion inclusion;
	unsigned int ways;
	unsigned int kib;
	bool folded;
	double conflict;
	bool noisy;
	bool open;
};

/** evict_kit_way_bytes() - capacity of one way of L3 */
uint64_t evict_kit_way_bytes(const struct evict_machine *b);

/** evict_kit_open() - the simulated machine; machine_close() frees it */
struct machine *evict_kit_open(const struct evict_machine *b, uint64_t seed);

/**
 * struct evict_levels - what is known before L3 is measured
 * @upper: L1 and L2
 * @masks: masks of L2
 * @p: the prober, with a window that is aligned to its length
 * @x: the measurement of L3
 * @ev: evicts lines from L2
 */
struct evict_levels {
	struct xray_level upper[2];
	struct index_function masks;
	struct prober p;
	struct xray x;
	struct evictor ev;
};

/** evict_kit_begin() - start the measurement of L3 on machine @m */
void evict_kit_begin(struct evict_levels *l, struct machine *m, uint64_t seed);

#endif
