/* SPDX-License-Identifier: GPL-2.0 */
/*
 * simcache.h - a small simulated machine with known answers, for tests of the
 * methods: a few levels, a TLB, noise. Time is in cycles.
 */
#ifndef PROBE_PHYS_UNIT_KIT_SIMCACHE_H
#define PROBE_PHYS_UNIT_KIT_SIMCACHE_H

#include "machine/machine.h"

#define SIM_LEVELS 3
#define SIM_MASKS 16

enum sim_policy {
	SIM_LRU,
	SIM_FIFO,
	SIM_RANDOM,
	SIM_TREE_PLRU,
	SIM_BIT_PLRU,
};

/**
 * struct sim_level - one cache
 * @ways: 0: no such level
 * @sets: power of two
 * @line_bytes: power of two
 * @latency: cycles, load-to-use
 * @policy: replacement
 * @exclusive: holds only what the level above has evicted
 * @masks: when the first is not 0, set bit i is the parity of address & mask i
 */
struct sim_level {
	unsigned int ways;
	unsigned int sets;
	unsigned int line_bytes;
	unsigned int latency;
	enum sim_policy policy;
	bool exclusive;
	uint64_t masks[SIM_MASKS];
};

/**
 * struct sim_config - a machine
 * @levels: nearest first
 * @memory_latency: cycles
 * @tlb_entries: fully associative, LRU, 4 KiB pages; 0: translation is free
 * @tlb_penalty: cycles of a miss
 * @jitter: most cycles that are added to a sample, uniformly distributed
 * @burst: probability that a sample is hit by an interruption
 * @burst_cycles: cycles of an interruption
 * @thief: probability per load that another program evicts a random line of L1
 * @thief_leaves_ms: time spent in pauses after which that stops; 0: never
 * @own_lines: lines of the measuring program, 1 KiB apart, which it uses in
 *             each round of a sample
 * @times_each: walks can time each load by itself
 * @no_flush: flushing does nothing, as in an emulator
 * @region_bytes: memory, physically contiguous; 0: 512 MiB
 * @seed: of the noise and of random replacement
 */
struct sim_config {
	struct sim_level levels[SIM_LEVELS];
	unsigned int memory_latency;
	unsigned int tlb_entries;
	unsigned int tlb_penalty;
	double jitter;
	double burst;
	double burst_cycles;
	double thief;
	unsigned int thief_leaves_ms;
	unsigned int own_lines;
	bool times_each;
	bool no_flush;
	uint64_t region_bytes;
	uint64_t seed;
};

/** sim_open() - a machine; aborts when out of memory. machine_close() frees. */
struct machine *sim_open(const struct sim_config *config);

#endif
