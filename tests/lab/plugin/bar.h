/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bar.h - the memory that the emulated computer's guest and the plugin share:
 * BAR 2 of an ivshmem-plain device, on the host an ordinary file.
 *
 * The guest writes a request, the plugin answers. A read of counters is a store
 * to @request: the plugin sees it like any other access and writes the values
 * before the next instruction.
 */
#ifndef LAB_BAR_H
#define LAB_BAR_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#define LAB_BAR_MAGIC 0x6c616231U /* "lab1" */
#define LAB_BAR_BYTES (1U << 20)
#define LAB_BAR_CPUS 64
#define LAB_BAR_VALUES 16

/* The register that switches prefetchers, a bit each to turn one off. */
#define LAB_MSR_PREFETCH 0x1a4

/**
 * struct lab_cpu - one CPU's page of the BAR
 * @request: (guest) a new value requests counters
 * @reply: (plugin) the value of @request that @values answer
 * @values: (plugin) by enum profile_counter
 * @prefetch: (plugin) what was last written to LAB_MSR_PREFETCH
 */
struct lab_cpu {
	u64 request;
	u64 reply;
	u64 values[LAB_BAR_VALUES];
	u64 prefetch;
	u64 padding[512 - 3 - LAB_BAR_VALUES];
};

/**
 * struct lab_bar - all of it
 * @magic: (plugin) LAB_BAR_MAGIC
 * @counters: (plugin) bit mask of the counters that the machine has
 * @cpus: (guest) bit mask of the CPUs whose accesses are modelled, 0: none
 * @accesses: (plugin) accesses modelled so far, for the log
 * @cpu: one page each
 */
struct lab_bar {
	u32 magic;
	u32 counters;
	u64 cpus;
	u64 accesses;
	u64 padding[512 - 3];
	struct lab_cpu cpu[LAB_BAR_CPUS];
};

#endif
