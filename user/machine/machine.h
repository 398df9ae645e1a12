/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machine.h - what an experiment may ask of a machine, whichever it is.
 *
 * A machine owns one region of memory and walks sequences on it. It measures
 * and judges nothing: samples are raw. Methods see only this interface.
 */
#ifndef PROBE_PHYS_MACHINE_H
#define PROBE_PHYS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../error.h"
#include "../sequence/sequence.h"

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
 * struct region - the memory of a machine, as it really came out
 * @bytes: length; valid offsets are below it
 * @page_bytes: size of the page-table entries that map it
 * @backing: "1 GiB hugetlb", "2 MiB transparent huge pages", "contiguous
 *           range", ... for the report
 * @extents: runs known to be physically contiguous, the longest first
 * @extent_count: their number
 * @phys_known: physical addresses were read (guest-physical ones in a VM)
 */
struct region {
	uint64_t bytes;
	uint64_t page_bytes;
	char backing[64];
	struct extent *extents;
	size_t extent_count;
	bool phys_known;
};

/* How a walk is to be done. */
enum walk_flags {
	/* The lines are flushed from all caches before every sample, and a
	 * sample is one round.
	 */
	WALK_COLD = 1 << 0,
	/* Nothing but the loads may be in the chain, even if that gives up
	 * protection from interrupts: for latencies.
	 */
	WALK_PLAIN_LOADS = 1 << 1,
};

/**
 * struct walk_plan - how to walk a sequence
 * @flags: enum walk_flags
 * @warm_rounds: rounds before the first sample
 * @loads: dependent loads of each sample, at least; rounded up to the unit of
 *         the machine; ignored with WALK_COLD
 * @samples: how many samples
 */
struct walk_plan {
	unsigned int flags;
	unsigned int warm_rounds;
	unsigned int loads;
	unsigned int samples;
};

/**
 * struct sample - what one stretch of loads took, raw
 * @ticks: of the machine's timer, its own overhead subtracted, not below 0
 * @loads: dependent loads done
 * @disturbed: the thread was moved or interrupted meanwhile
 */
struct sample {
	double ticks;
	uint64_t loads;
	bool disturbed;
};

/**
 * struct timer_info - the timer that was chosen, and why
 * @name: "rdtscp", "cntvct", "CLOCK_MONOTONIC_RAW", "model"
 * @ticks_per_ns: against CLOCK_MONOTONIC_RAW
 * @resolution_ticks: smallest difference seen
 * @overhead_ticks: of one start-stop pair, the median
 * @spread_ticks: how far 90 % of such pairs are spread
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
 * struct machine_conditions - what happened while measuring
 * @samples: samples taken
 * @disturbed: of them moved or interrupted, and repeated by the sampler
 */
struct machine_conditions {
	uint64_t samples;
	uint64_t disturbed;
};

struct machine;

/**
 * struct machine_ops - a kind of machine
 * @kind: "module", "hugepage", ...
 * @walk: walk @s as @plan says and fill @plan->samples samples; 0 or -errno
 *        with the text in @f. -ERANGE: the sequence leaves the region.
 * @add_chain: time @adds dependent one-cycle integer additions, in ticks of
 *             the machine's timer (X-Ray section 4.2 and 7: the unit of
 *             latency); a value <= 0 means that the machine cannot
 * @pause: let @ms milliseconds pass, for repetitions that should not share a
 *         disturbance
 * @close: release everything; the machine must not be used afterwards
 */
struct machine_ops {
	const char *kind;
	int (*walk)(struct machine *m, const struct sequence *s,
		    const struct walk_plan *plan, struct sample *samples,
		    struct failure *f);
	double (*add_chain)(struct machine *m, unsigned int adds);
	void (*pause)(struct machine *m, unsigned int ms);
	void (*close)(struct machine *m);
};

/**
 * struct machine - a machine that is open
 * @ops: what it can do
 * @region: its memory
 * @timer: its timer
 * @conditions: running totals
 * @name: of the profile that is simulated; empty for real machines
 * @cpu: CPU that measures, -1: none in particular
 * @virtual_machine: addresses are guest-physical
 * @notes: one-line remarks for the report, e.g. why a better backing was not
 *         to be had; @note_count of them
 */
struct machine {
	const struct machine_ops *ops;
	struct region region;
	struct timer_info timer;
	struct machine_conditions conditions;
	char name[128];
	int cpu;
	bool virtual_machine;
	char notes[8][160];
	size_t note_count;
};

/**
 * struct machine_request - what the user asks for
 * @cpu: CPU to measure, -1: the last one that the process may run on
 * @bytes: memory wanted
 * @seed: of what a simulated machine does at random; real ones ignore it
 */
struct machine_request {
	int cpu;
	uint64_t bytes;
	uint64_t seed;
};

/** machine_note() - add a remark, printf-like; dropped when there are too many */
void machine_note(struct machine *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * machine_open_hugepage() - user-space memory on huge pages
 *
 * 1 GiB hugetlb, else 2 MiB hugetlb, else transparent huge pages.
 * Return: a machine or NULL with @f set (STATUS_UNAVAILABLE where the
 * computer cannot).
 */
struct machine *machine_open_hugepage(const struct machine_request *request,
				      struct failure *f);

/**
 * machine_open_module() - memory of probe_phys.ko through /dev/probe_phys
 * Return: a machine or NULL with @f set (STATUS_UNAVAILABLE where the module
 * is not loaded).
 */
struct machine *machine_open_module(const struct machine_request *request,
				    struct failure *f);

/** machine_close() - release everything; NULL is allowed */
void machine_close(struct machine *m);

#endif
