/* SPDX-License-Identifier: GPL-2.0 */
/*
 * documented.h - what the kernel's sysfs says of the caches, for comparison
 * beside what was measured. Never an input of a measurement.
 */
#ifndef PROBE_PHYS_DOCUMENTED_H
#define PROBE_PHYS_DOCUMENTED_H

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
 * struct documented - everything documented of one CPU
 * @caches: in the kernel's order
 * @cache_count: their number
 * @cpu_model: name of the processor
 * @kernel: release of the running kernel
 */
struct documented {
	struct documented_cache caches[8];
	size_t cache_count;
	char cpu_model[80];
	char kernel[80];
};

/**
 * documented_read() - read it
 * @sysfs_cpu: directory of the CPU, "/sys/devices/system/cpu/cpu0"
 * @cpuinfo: "/proc/cpuinfo"
 *
 * What cannot be read stays unknown.
 */
void documented_read(struct documented *d, const char *sysfs_cpu,
		     const char *cpuinfo);

/** documented_find() - the level that data accesses see, or NULL */
const struct documented_cache *documented_find(const struct documented *d,
					       int level);

#endif
