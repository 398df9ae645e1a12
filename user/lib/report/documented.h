/* SPDX-License-Identifier: GPL-2.0 */
/*
 * documented.h - caches as sysfs documents them, TLBs as the processor does.
 * Reports print them beside the measured values; no measurement uses them.
 */
#ifndef PROBE_PHYS_REPORT_DOCUMENTED_H
#define PROBE_PHYS_REPORT_DOCUMENTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct documented_cache - one level as documented; 0 and "" are unknown
 * @level: 1 is nearest to the core
 * @type: "data", "instruction" or "unified"
 * @capacity_bytes: capacity
 * @ways: associativity
 * @line_bytes: coherency line
 * @sets: number of sets
 * @shared_cpus: CPUs that share it, as a list
 */
struct documented_cache {
	int level;
	char type[16];
	uint64_t capacity_bytes;
	uint64_t ways;
	uint64_t line_bytes;
	uint64_t sets;
	char shared_cpus[64];
};

/**
 * struct documented_tlb - one array as documented, for one page size
 * @level: 1 is nearest to the core
 * @type: "data", "instruction" or "unified"
 * @page_bytes: page size
 * @entries: translations that it holds
 * @ways: associativity; @entries where it is fully associative
 */
struct documented_tlb {
	int level;
	const char *type;
	uint64_t page_bytes;
	uint64_t entries;
	uint64_t ways;
};

/** DOCUMENTED_TLBS - most arrays that are listed */
#define DOCUMENTED_TLBS 16

/**
 * struct documented - all documents of one CPU
 * @caches: in the kernel's order
 * @cache_count: their number
 * @tlbs: by level, as the processor lists them; none if it lists none
 * @tlb_count: number of TLBs
 * @cpu_model: name of the processor
 * @kernel: release of the running kernel
 */
struct documented {
	struct documented_cache caches[8];
	size_t cache_count;
	struct documented_tlb tlbs[DOCUMENTED_TLBS];
	size_t tlb_count;
	char cpu_model[80];
	char kernel[80];
};

/**
 * documented_read() - read the documents of the current CPU
 * @sysfs_cpu: directory of the CPU, "/sys/devices/system/cpu/cpu0"
 * @cpuinfo: "/proc/cpuinfo"
 *
 * What cannot be read is left unknown. The calling thread must run on that CPU:
 * an instruction documents TLBs.
 */
void documented_read(struct documented *d, const char *sysfs_cpu,
		     const char *cpuinfo);

/**
 * typedef documented_cpuid - the x86 instruction, or a test's stand-in
 * @registers: (out) eax, ebx, ecx, edx
 * Return: false when there is no such leaf.
 */
typedef bool documented_cpuid(unsigned int leaf, unsigned int subleaf,
			      unsigned int registers[4]);

/** documented_decode_tlbs() - fill @d->tlbs from the leaves of @cpuid: 0x18 of
 * Intel, those of AMD, or else leaf 2
 */
void documented_decode_tlbs(struct documented *d, documented_cpuid *cpuid);

/** documented_descriptor() - what a descriptor of leaf 2 stands for
 * @at: it may stand for several arrays, from 0
 * Return: NULL where there are no more.
 */
const struct documented_tlb *documented_descriptor(unsigned int byte,
						   size_t at);

/** documented_read_tlbs() - documented_decode_tlbs() with this processor's CPUID; x86 only */
void documented_read_tlbs(struct documented *d);

/** documented_find_tlb() - the array that serves such accesses, or NULL */
const struct documented_tlb *documented_find_tlb(const struct documented *d,
						 int level, const char *type,
						 uint64_t page_bytes);

/** documented_find() - the documented cache of a level that serves "data" or
 * "instruction" accesses, or NULL
 */
const struct documented_cache *documented_find(const struct documented *d,
					       int level, const char *type);

#endif
