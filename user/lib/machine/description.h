/* SPDX-License-Identifier: GPL-2.0 */
/*
 * description.h - where something was measured, and under which conditions.
 *
 * Pure data, which a report prints; nothing can be done with it.
 */
#ifndef PROBE_PHYS_MACHINE_DESCRIPTION_H
#define PROBE_PHYS_MACHINE_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/walk.h"

/**
 * struct extent - a run of the region whose physical addresses are consecutive
 * @offset: where it begins in the region, bytes
 * @phys: physical address of that byte; 0: unknown
 * @bytes: its length
 */
struct extent {
	uint64_t offset;
	uint64_t phys;
	uint64_t bytes;
};

/**
 * struct region - the memory that a machine got
 * @bytes: length; valid offsets are below it
 * @page_bytes: size of the page-table entries that map it
 * @backing: "1 GiB hugetlb", "2 MiB transparent huge pages", "contiguous
 *           range", ... for the report
 * @extents: runs known to be physically contiguous, the longest first
 * @extent_count: their number
 * @phys_known: physical addresses were read (guest-physical ones in a VM)
 * @remote: the memory is on another NUMA node than the CPU that measures
 */
struct region {
	uint64_t bytes;
	uint64_t page_bytes;
	char backing[64];
	struct extent *extents;
	size_t extent_count;
	bool phys_known;
	bool remote;
};

/**
 * region_list_extents() - join units of a region into runs
 * @phys: physical address of each unit, in order; 0: unknown, a run of its own
 * @count: units, not 0
 * @unit_bytes: their size
 *
 * Fills region->extents, the longest first, in place of what was there, and
 * region->phys_known. Return: 0 or -ENOMEM.
 */
int region_list_extents(struct region *region, const uint64_t *phys,
			size_t count, uint64_t unit_bytes);

/**
 * struct timer_info - the timer that was chosen, and why
 * @name: "rdtscp", "rdtsc", "cntvct", "CLOCK_MONOTONIC_RAW", "model"
 * @ticks_per_ns: against CLOCK_MONOTONIC_RAW
 * @resolution_ticks: smallest difference seen
 * @overhead_ticks: of one start-stop pair: statistics_overhead()
 * @spread_ticks: width of the interval that holds the middle 90 % of such pairs
 * @disagreement: largest relative deviation from the clock over the trials
 */
struct timer_info {
	const char *name;
	double ticks_per_ns;
	double resolution_ticks;
	double overhead_ticks;
	double spread_ticks;
	double disagreement;
};

/**
 * struct machine_conditions - totals over all walks
 * @samples: samples taken
 * @disturbed: of these, moved or interrupted; the sampler repeats them
 * @resized: walks during which pages changed their size; their samples count as
 *           disturbed
 * @accesses: loads, stores and jumps of all walks; warm-up rounds, steps and
 *            disturbed samples included
 */
struct machine_conditions {
	uint64_t samples;
	uint64_t disturbed;
	uint64_t resized;
	uint64_t accesses;
};

/** MACHINE_PREFETCHERS - most prefetchers that a switch can name */
#define MACHINE_PREFETCHERS 8

/**
 * struct machine_prefetchers - which hardware prefetchers of the CPU are off
 * @off: names of those that are off while the machine is open; closing it, or
 *       the end of the process, restores them; @off_count of them
 * @why: why none or not all are off; empty: nothing to add. The order of
 *       accesses has to defeat those that are on
 */
struct machine_prefetchers {
	const char *off[MACHINE_PREFETCHERS];
	size_t off_count;
	char why[128];
};

/** MACHINE_OTHERS - most CPUs that can work beside the measured one */
#define MACHINE_OTHERS 64

/** MACHINE_NOTE - bytes of a remark, with its end */
#define MACHINE_NOTE 160

/**
 * struct machine_description - where something was measured
 * @kind: "module", "hugepage", "sim"
 * @name: of the profile that is simulated; empty for real machines
 * @cpu: CPU that measured, -1: none in particular
 * @virtual_machine: addresses are guest-physical
 * @region: the memory
 * @timer: the timer
 * @counters: names of what could be counted; @counter_count of them
 * @prefetchers: those that were switched off
 * @conditions: totals so far
 * @notes: remarks of a line each; @note_count of them
 */
struct machine_description {
	const char *kind;
	const char *name;
	int cpu;
	bool virtual_machine;
	const struct region *region;
	const struct timer_info *timer;
	const char *counters[MACHINE_COUNTERS];
	size_t counter_count;
	const struct machine_prefetchers *prefetchers;
	const struct machine_conditions *conditions;
	const char (*notes)[MACHINE_NOTE];
	size_t note_count;
};

#endif
