/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile.h - a machine described by one JSON file.
 *
 * The hierarchy, and the answers that a correct measurement gives. Knows no
 * model that runs it and no machine. Called by model/, machine/sim and what
 * compares answers. Functions return a profile, or NULL with @f set.
 */
#ifndef PROBE_PHYS_MODEL_PROFILE_PROFILE_H
#define PROBE_PHYS_MODEL_PROFILE_PROFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PROFILE_MAX_CACHES 8
#define PROFILE_MAX_TLBS 12
#define PROFILE_MAX_PREFETCHERS 8
#define PROFILE_MAX_CPUS 64
#define PROFILE_MAX_MASKS 24
#define PROFILE_MAX_PAGE_SIZES 4
#define PROFILE_MAX_LEADERS 128
#define PROFILE_MAX_CORE_TYPES 4

enum profile_type {
	PROFILE_DATA,
	PROFILE_INSTRUCTION,
	PROFILE_UNIFIED,
};

enum profile_index_kind {
	PROFILE_INDEX_LINEAR,
	PROFILE_INDEX_MODULO,
	PROFILE_INDEX_XOR,
	PROFILE_INDEX_SLICED,
};

/**
 * struct profile_permutation - effect of an address bit on the position in a
 * slice table
 * @bit: address bit
 * @value: XORed onto the position when the bit is set
 */
struct profile_permutation {
	unsigned int bit;
	uint64_t value;
};

/**
 * struct profile_index - how an address selects a set
 * @kind: linear, modulo, xor, sliced
 * @masks: xor: mask of each set bit, lowest bit first
 * @mask_count: their number
 * @fold: xor for TLBs: page number bits [fold-1:0] ^ [2*fold-1:fold]; 0: none
 * @slices: sliced: number of slices
 * @slice_masks: sliced: mask of each bit of the slice number
 * @slice_mask_count: their number
 * @slice_table: sliced: slice of each line of a block, or NULL
 * @slice_block_lines: its length, a power of two
 * @permutations: sliced: effects of bits above the block
 * @permutation_count: their number
 * @inner: sliced: kind of index within a slice: linear, modulo or xor (with
 *         @masks)
 */
struct profile_index {
	enum profile_index_kind kind;
	uint64_t masks[PROFILE_MAX_MASKS];
	size_t mask_count;
	unsigned int fold;
	unsigned int slices;
	uint64_t slice_masks[PROFILE_MAX_MASKS];
	size_t slice_mask_count;
	unsigned int *slice_table;
	size_t slice_block_lines;
	struct profile_permutation permutations[64];
	size_t permutation_count;
	enum profile_index_kind inner;
};

enum profile_policy_name {
	PROFILE_LRU,
	PROFILE_FIFO,
	PROFILE_TREE_PLRU,
	PROFILE_BIT_PLRU,
	PROFILE_NRU,
	PROFILE_RANDOM,
	PROFILE_LIP,
	PROFILE_BIP,
	PROFILE_SRRIP,
	PROFILE_BRRIP,
	PROFILE_DRRIP,
	PROFILE_QLRU,
	PROFILE_LRU3PLRU4,
	PROFILE_MRU3PLRU4,
};

/**
 * struct profile_policy - replacement
 * @name: which
 * @epsilon: bip, brrip, drrip: probability of the rare insertion
 * @seed: of randomised ones
 * @variant: qlru: "H11_M1_R0_U0" and so on; drrip: the first policy, empty:
 *           SRRIP
 * @second: drrip: the second policy where there is a first one; else BRRIP
 * @leaders: drrip: sets that always play the first (even entries) or the
 *           second (odd entries) policy; empty: every 32nd and 33rd
 * @leader_count: their number
 * @allocation_mask: ways that new lines may take; 0: all
 */
struct profile_policy {
	enum profile_policy_name name;
	double epsilon;
	uint64_t seed;
	char variant[24];
	char second[24];
	unsigned int leaders[PROFILE_MAX_LEADERS];
	size_t leader_count;
	uint64_t allocation_mask;
};

enum profile_inclusion {
	PROFILE_NINE,
	PROFILE_INCLUSIVE,
	PROFILE_EXCLUSIVE,
};

/**
 * struct profile_cache - one cache array
 *
 * Fields as in the profile format; @shared_by[cpu] is the number of the
 * instance that a CPU uses, @instances their number. @same_set_miss_cycles is
 * what a miss takes more right after a miss of the same set. @memory_side: it
 * belongs to memory: flushes of lines do not reach it, and no counter of a CPU.
 * @absent_on: CPUs that do not have it, being of another type.
 */
struct profile_cache {
	int level;
	enum profile_type type;
	uint64_t capacity_bytes;
	unsigned int ways;
	unsigned int line_bytes;
	uint64_t sets; /* of one slice times slices */
	bool physical;
	struct profile_index index;
	struct profile_policy policy;
	enum profile_inclusion inclusion;
	bool write_allocate;
	bool write_back;
	double latency_cycles;
	double same_set_miss_cycles;
	unsigned int shared_by[PROFILE_MAX_CPUS];
	unsigned int instances;
	unsigned int reserved_lines_per_set;
	bool memory_side;
	uint64_t absent_on;
};

/** struct profile_tlb - one translation array; fields as in the format
 * @paired_pages: an entry has an even page and the odd one after it
 * @absent_on: CPUs that do not have it, being of another type
 */
struct profile_tlb {
	int level;
	enum profile_type type;
	uint64_t page_bytes[PROFILE_MAX_PAGE_SIZES];
	size_t page_size_count;
	unsigned int entries;
	unsigned int ways;
	struct profile_index index;
	struct profile_policy policy;
	double latency_cycles;
	unsigned int coalesce_pages;
	bool paired_pages;
	uint64_t absent_on;
	enum profile_inclusion inclusion;
};

/** PROFILE_TABLE_ENTRY_SHIFT - log2 of the bytes of an entry of a page table; a table
 * is a base page
 */
#define PROFILE_TABLE_ENTRY_SHIFT 3

/** enum profile_table - levels of page tables above that of base pages, by the names
 * of their entries on x86-64 with pages of 4 KiB
 */
enum profile_table {
	PROFILE_PDE,
	PROFILE_PDPTE,
	PROFILE_PML4E,
	PROFILE_TABLES,
};

/** struct profile_walk_cache - a cache of page walks; fields as in the format
 * @tables: levels whose entries it holds, bits 1 << enum profile_table
 */
struct profile_walk_cache {
	unsigned int tables;
	unsigned int entries;
	unsigned int ways;
	struct profile_index index;
	struct profile_policy policy;
};

enum profile_prefetcher_kind {
	PROFILE_ADJACENT_LINE,
	PROFILE_NEXT_LINE,
	PROFILE_STRIDE,
	PROFILE_STREAM,
};

struct profile_prefetcher {
	enum profile_prefetcher_kind kind;
	int level;
	bool switchable;
};

/* Counters that a machine may have; bits of struct profile.counters. */
enum profile_counter {
	PROFILE_COUNTER_CYCLES,
	PROFILE_COUNTER_LOADS,
	PROFILE_COUNTER_L1D_MISS,
	PROFILE_COUNTER_L2_MISS,
	PROFILE_COUNTER_L3_MISS,
	PROFILE_COUNTER_DTLB_MISS,
	PROFILE_COUNTER_STLB_MISS,
	PROFILE_COUNTER_ITLB_MISS,
	PROFILE_COUNTER_L1I_MISS,
	PROFILE_COUNTER_INSTRUCTIONS,
	PROFILE_COUNTER_L1D_WRITE_MISS,
	PROFILE_COUNTER_L2_WRITE_MISS,
	PROFILE_COUNTER_L3_WRITE_MISS,
	PROFILE_COUNTERS,
};

/**
 * struct profile_counter_fault - how far a counter is from the truth
 * @faulty: it is at all
 * @factor: counts per event; 1: right, 0: dead
 * @per_load: further counts per load
 * @overhead: further counts per reading
 * @busy: share of the samples in which it does not run, since others have it
 */
struct profile_counter_fault {
	bool faulty;
	double factor;
	double per_load;
	double overhead;
	double busy;
};

/** struct profile_core_type - CPUs whose caches and TLBs are alike; bits of @cpus */
struct profile_core_type {
	char name[12];
	uint64_t cpus;
};

enum profile_placement {
	PROFILE_CONTIGUOUS,
	PROFILE_RANDOM_4K,
	PROFILE_RANDOM_2M,
};

struct profile_noise {
	uint64_t seed;
	double jitter_cycles;
	double tail_probability;
	double tail_cycles;
	double interrupts_per_million_loads;
	unsigned int lines_evicted_per_interrupt;
	double frequency_drift;
};

/**
 * struct profile - a whole machine
 *
 * Fields as in the profile format, with its defaults filled in.
 * @cpus: number of CPUs that any "shared_by" or core type names, at least 1
 * @core_types: none: all cores are alike
 * @counters: bit mask of enum profile_counter
 * @faults: of each of them, "counter_faults" by its name
 * @misprediction_cycles: what a mispredicted return takes besides its fetch
 * @host_page_bytes: pages of the hypervisor, 0: no page splintering
 * @expect: the answers, a JSON object (owned), or NULL
 */
struct profile {
	char name[128];
	char source[256];
	double cycle_ns;
	unsigned int phys_bits;
	uint64_t page_bytes;
	uint64_t huge_page_bytes[PROFILE_MAX_PAGE_SIZES];
	size_t huge_page_count;
	enum profile_placement placement;
	struct profile_cache caches[PROFILE_MAX_CACHES];
	size_t cache_count;
	struct profile_tlb tlbs[PROFILE_MAX_TLBS];
	size_t tlb_count;
	struct profile_walk_cache walk_caches[PROFILE_TABLES];
	size_t walk_cache_count;
	double walk_latency_cycles;
	bool walk_touches_caches;
	double memory_latency_cycles;
	struct profile_prefetcher prefetchers[PROFILE_MAX_PREFETCHERS];
	size_t prefetcher_count;
	unsigned int counters;
	struct profile_counter_fault faults[PROFILE_COUNTERS];
	double timer_resolution_ns;
	double timer_overhead_cycles;
	double misprediction_cycles;
	struct profile_noise noise;
	bool virtual_machine;
	uint64_t host_page_bytes;
	bool accessed_bits;
	unsigned int registers_int, registers_double, registers_mmx,
		registers_sse;
	unsigned int cpus;
	struct profile_core_type core_types[PROFILE_MAX_CORE_TYPES];
	size_t core_type_count;
	json_t *expect;
};

/**
 * profile_load() - read and check a profile
 * @path: file
 * Return: a profile for profile_free(), or NULL with @f set (STATUS_USAGE; the
 * text names the key's path, and the line where the parser knows it).
 */
struct profile *profile_load(const char *path, struct failure *f);

/** profile_parse() - the same from JSON in memory; @name for messages */
struct profile *profile_parse(const char *text, size_t size, const char *name,
			      struct failure *f);

void profile_free(struct profile *p);

/** profile_all_cpus() - a bit for each CPU */
static inline uint64_t profile_all_cpus(const struct profile *p)
{
	return p->cpus < 64 ? (UINT64_C(1) << p->cpus) - 1 : UINT64_MAX;
}

/** profile_has() - does a CPU have what is absent on some? */
static inline bool profile_has(uint64_t absent_on, unsigned int cpu)
{
	return !(absent_on >> cpu & 1);
}

/** profile_shares() - do two CPUs use the same instance of a cache? */
static inline bool profile_shares(const struct profile_cache *c, unsigned int a,
				  unsigned int b)
{
	return profile_has(c->absent_on, a) && profile_has(c->absent_on, b) &&
	       c->shared_by[a] == c->shared_by[b];
}

/** profile_table_name() - "pde", "pdpte" or "pml4e" */
const char *profile_table_name(enum profile_table table);

/** profile_table_shift() - log2 of the bytes that an entry of a level spans; 63 where
 * they are more
 */
unsigned int profile_table_shift(const struct profile *p,
				 enum profile_table table);

#endif
