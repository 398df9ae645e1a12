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
 * @remote: it is of another NUMA node than the CPU that measures
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
 * enum machine_counter - events that show what time can only hint at
 *
 * Roles, not names of events; each counts what the loads (or jumps) of a walk
 * have caused on the CPU that walked.
 */
enum machine_counter {
	COUNTER_CYCLES,	   /* core cycles */
	COUNTER_LOADS,	   /* retired loads */
	COUNTER_L1D_MISS,  /* loads that missed the first level */
	COUNTER_L2_MISS,   /* ... and the second */
	COUNTER_L3_MISS,   /* ... and the third */
	COUNTER_DTLB_MISS, /* loads that missed the first-level data TLB */
	COUNTER_STLB_MISS, /* translations that had to walk the page tables */
	COUNTER_ITLB_MISS, /* fetches that missed the first-level TLB */
	COUNTER_L1I_MISS,  /* fetches that missed the first level */
	COUNTER_INSTRUCTIONS,	/* retired instructions */
	COUNTER_L1D_WRITE_MISS, /* stores that missed the first level */
	COUNTER_L2_WRITE_MISS,	/* ... and the second */
	COUNTER_L3_WRITE_MISS,	/* ... and the third */
	MACHINE_COUNTERS,
};

/** machine_counter_name() - "cycles", "l1d_miss", ... */
const char *machine_counter_name(enum machine_counter counter);

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
	/* The elements are stored to, each finished before the next one begins,
	 * instead of loaded; a sample is one round then, whose "loads" are
	 * stores. Steps may come before it; other flags do not.
	 */
	WALK_STORES = 1 << 2,
	/* What a walk finds is what others have left: nothing is walked before
	 * the first sample, not even to bring back what the tool itself has
	 * pushed out. Only in views; where nothing but their own translations
	 * lead to the memory, laying the sequence out brings these back.
	 */
	WALK_AT_ONCE = 1 << 3,
};

/** enum step_kind - what is done to the lines of a step */
enum step_kind {
	STEP_FLUSH, /* they leave all caches */
	STEP_LOAD,
	STEP_STORE,
};

/**
 * struct walk_step - something done to lines before a sample
 * @kind: what
 * @lines: their offsets, in order, each finished before the next one begins. A
 *         store overwrites the word at the offset, so it is not one that is
 *         walked: other words of its line are
 * @other: who does it: 0: the CPU that measures, n: machine.others[n - 1]
 */
struct walk_step {
	enum step_kind kind;
	const struct sequence *lines;
	size_t other;
};

/**
 * struct walk_flush - a line that is flushed from all caches on the way
 * @at: before the load of this number, in each round; the length of the
 *      sequence: at the end of a round
 * @offset: any byte of the line
 */
struct walk_flush {
	size_t at;
	uint64_t offset;
};

struct view;

/** WALK_EACH_BYTES - room that an element takes where each load is timed by itself;
 * its offset is a multiple of it
 */
#define WALK_EACH_BYTES 16

/**
 * struct walk_each - what each load takes by itself
 * @most_ticks: what one load counts at most: one that is interrupted is not to
 *              outweigh the others
 * @ticks: (out) of each element of the sequence, the mean of all its loads; with
 *         what reading the timer takes, which is the same for all, and no finer
 *         than many readings of the timer make it
 */
struct walk_each {
	double most_ticks;
	double *ticks;
};

/**
 * struct walk_plan - how to walk a sequence
 * @flags: enum walk_flags
 * @warm_rounds: rounds before the first sample
 * @loads: dependent loads of each sample, at least; rounded up to the unit of
 *         the machine; ignored with WALK_COLD
 * @samples: how many samples
 * @counters: what to count during each sample: bits 1 << enum machine_counter,
 *            a subset of those that the machine has
 * @flushes: lines that are flushed in each round, warm-up included, in the
 *           order of @at; @flush_count of them, 0 where the machine does not
 *           flush_lines and with WALK_COLD. A sample is whole rounds then, and
 *           what a flush takes is part of its time
 * @steps: @step_count of them, done before each sample, which is one round
 *         then; without flags but WALK_STORES, and @warm_rounds and @loads are
 *         ignored. None in views. Real machines do them in user space: an interrupt in between
 *         disturbs the sample
 * @between: counters are read between the steps and the loads, which pushes out
 *           some lines that the steps have brought, instead of counting the
 *           steps, too, and taking them off, where these differ each time
 * @seldom: walks are compared with others of the same pages, whatever the size of
 *          these: whether it has changed is looked at now and then, not each time
 * @code: only with steps: after them, what was last walked in this executable
 *        view is jumped through once more. Its frames are not what is walked
 * @each: where machine.times_each: loads are timed one by one, each finished
 *        before the next one begins. One sample, of whole rounds; without flags,
 *        flushes, steps and counters. None in views
 */
struct walk_plan {
	unsigned int flags;
	unsigned int warm_rounds;
	unsigned int loads;
	unsigned int samples;
	unsigned int counters;
	const struct walk_flush *flushes;
	size_t flush_count;
	const struct walk_step *steps;
	size_t step_count;
	bool between;
	bool seldom;
	struct view *code;
	const struct walk_each *each;
};

/**
 * struct sample - what one stretch of loads took, raw
 * @ticks: of the machine's timer, its own overhead subtracted, not below 0
 * @loads: dependent loads done
 * @disturbed: the thread was moved or interrupted meanwhile
 * @counted: the counters that are valid, bits 1 << enum machine_counter; one
 *           that was asked for but multiplexed is not
 * @counts: what they counted, the cost of reading them subtracted
 */
struct sample {
	double ticks;
	uint64_t loads;
	bool disturbed;
	unsigned int counted;
	double counts[MACHINE_COUNTERS];
};

/**
 * struct timer_info - the timer that was chosen, and why
 * @name: "rdtscp", "rdtsc", "cntvct", "CLOCK_MONOTONIC_RAW", "model"
 * @ticks_per_ns: against CLOCK_MONOTONIC_RAW
 * @resolution_ticks: smallest difference seen
 * @overhead_ticks: of one start-stop pair: sampler_overhead()
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
 * @resized: walks under which pages changed their size; their samples count as
 *           disturbed
 * @accesses: loads, stores and jumps that walks were asked for, warming and
 *            steps included, and what was disturbed
 */
struct machine_conditions {
	uint64_t samples;
	uint64_t disturbed;
	uint64_t resized;
	uint64_t accesses;
};

struct machine;

/**
 * struct view_request - a way of mapping the machine's memory, made to order
 * @page_bytes: size of the page-table entries, one of machine.view_page_bytes
 * @pages: virtual pages, not 0
 * @frames: pages of physical memory behind them, 1 to @pages, consecutive
 *          where the machine knows its frames: page i shows frame
 *          view_frame(). With few of them the data stays in the first level
 *          of cache, and translations are the only scarce thing
 * @executable: the elements of a walk are jumped to instead of loaded
 * @descending: page i + 1 shows the frame before that of page i, so that no
 *              array can enter neighbours as one; @frames is 3 at least
 */
struct view_request {
	uint64_t page_bytes;
	uint64_t pages;
	uint64_t frames;
	bool executable;
	bool descending;
};

/** view_frame() - the frame that a page of a view shows */
static inline uint64_t view_frame(const struct view_request *r, uint64_t page)
{
	uint64_t frame = page % r->frames;

	return r->descending ? r->frames - 1 - frame : frame;
}

/**
 * struct view - virtual pages that can be walked
 * @m: the machine
 * @request: as it was granted
 * @contiguous: frames are physically consecutive; otherwise nothing is known
 *              of their order
 */
struct view {
	struct machine *m;
	struct view_request request;
	bool contiguous;
};

/** VIEW_SLOT_BYTES - room that one element of an executable walk takes; its
 * offset is a multiple of it. Elements that are loaded take 8 bytes.
 */
#define VIEW_SLOT_BYTES 16

/** MACHINE_OTHERS - most CPUs that can do something beside the measured one */
#define MACHINE_OTHERS 64

struct load;
struct load_request;

/** enum register_type - what a program can keep in registers (X-Ray 7) */
enum register_type {
	REGISTER_INT,	 /* general purpose */
	REGISTER_DOUBLE, /* scalar floating point */
	REGISTER_MMX,	 /* 64-bit vectors of their own */
	REGISTER_SSE,	 /* 128-bit vectors: SSE, NEON */
	REGISTER_AVX,	 /* 256-bit vectors */
	REGISTER_AVX512, /* 512-bit vectors */
	REGISTER_TYPES,
};

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
 * @view_open: map memory as @request says. NULL: the machine has no views.
 *             Return: 0 with *@view; -EOPNOTSUPP: no such views, however
 *             short (page size, executable pages); -ENOSPC, -ENOMEM: too long,
 *             fewer pages may do; or another -errno; with the text in @f.
 * @view_walk: walk() in the virtual pages of a view: offset is page number
 *             times page_bytes plus offset in the page. No two elements may
 *             lie in the same physical word (executable: slot), whichever
 *             pages show it: -EINVAL. WALK_COLD is not offered.
 * @view_close: unmap; NULL is allowed
 * @register_chain: time the sequence of X-Ray figure 11 with @variables
 *                  variables of @type: ticks of one operation, the least of
 *                  several. NULL: not offered. Return: a value <= 0 where the
 *                  machine lacks such registers or no code for so many
 *                  variables was compiled.
 * @load_start: have other CPUs walk until load_stop(); see ../machine/load.h,
 *              which is what to call. NULL: not offered. Return: 0 with *@load,
 *              whose CPUs have all begun; or -errno with the text in @f and
 *              nothing left running.
 * @load_loads: loads that the @i-th CPU of the request has done so far
 * @load_stop: end them
 */
struct machine_ops {
	const char *kind;
	int (*walk)(struct machine *m, const struct sequence *s,
		    const struct walk_plan *plan, struct sample *samples,
		    struct failure *f);
	double (*add_chain)(struct machine *m, unsigned int adds);
	void (*pause)(struct machine *m, unsigned int ms);
	void (*close)(struct machine *m);
	int (*view_open)(struct machine *m, const struct view_request *request,
			 struct view **view, struct failure *f);
	int (*view_walk)(struct view *view, const struct sequence *s,
			 const struct walk_plan *plan, struct sample *samples,
			 struct failure *f);
	void (*view_close)(struct view *view);
	double (*register_chain)(struct machine *m, enum register_type type,
				 unsigned int variables);
	int (*load_start)(struct machine *m, const struct load_request *request,
			  struct load **load, struct failure *f);
	uint64_t (*load_loads)(const struct load *load, size_t i);
	void (*load_stop)(struct load *load);
};

/** MACHINE_PREFETCHERS - most prefetchers that a switch can name */
#define MACHINE_PREFETCHERS 8

/**
 * struct machine_prefetchers - what became of the CPU's hardware prefetchers
 * @off: names of those that are off while the machine is open, and given back
 *       what they had when it is closed, however the process ends;
 *       @off_count of them
 * @why: why there are none or not all, in words; empty: nothing to add. The
 *       order of accesses has to defeat those that are on.
 */
struct machine_prefetchers {
	const char *off[MACHINE_PREFETCHERS];
	size_t off_count;
	char why[128];
};

/** MACHINE_PAGE_SIZES - most page sizes that views can have */
#define MACHINE_PAGE_SIZES 4

/**
 * struct machine - a machine that is open
 * @ops: what it can do
 * @region: its memory
 * @timer: its timer
 * @conditions: running totals
 * @name: of the profile that is simulated; empty for real machines
 * @cpu: CPU that measures, -1: none in particular
 * @others: CPUs that steps can be done by as well; @other_count of them
 * @unasked: online ones that cannot: not allowed for this process, or too many
 * @counters: what it can count, bits 1 << enum machine_counter; 0: time only
 * @counter_names: whose events they are, for the report: "PMU/event/"; empty:
 *                 nothing to add
 * @counter_overhead: what reading one adds to its count, by role; it is
 *                    subtracted from samples. Known of those that were counted
 * @times_each: walks can time each load by itself (struct walk_each)
 * @flushes_lines: walks can flush single lines on the way
 * @flush_counters: what it can count in such walks, of @counters
 * @view_counters: what walks of views count that need not prove itself, of
 *                 @counters: a model's. Others are counted there when they are
 *                 asked for
 * @view_page_bytes: page sizes of views, smallest first;
 *                   @view_page_count of them, 0: no views
 * @view_executable: views can be executable
 * @view_shares_frames: views may have fewer frames than pages, by page size,
 *                      bits 1 << index of view_page_bytes
 * @prefetchers: those that were switched off
 * @load: what other CPUs do meanwhile, NULL: nothing
 * @virtual_machine: addresses are guest-physical
 * @neon: its 128-bit vectors are NEON's, not SSE's
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
	int others[MACHINE_OTHERS];
	size_t other_count;
	size_t unasked;
	unsigned int counters;
	char counter_names[MACHINE_COUNTERS][64];
	double counter_overhead[MACHINE_COUNTERS];
	bool times_each;
	bool flushes_lines;
	unsigned int flush_counters;
	unsigned int view_counters;
	uint64_t view_page_bytes[MACHINE_PAGE_SIZES];
	size_t view_page_count;
	bool view_executable;
	unsigned int view_shares_frames;
	struct machine_prefetchers prefetchers;
	struct load *load;
	bool virtual_machine;
	bool neon;
	char notes[8][160];
	size_t note_count;
};

/**
 * walk_check_flushes() - whether a plan's flushes are in order, within the
 * sequence and the region
 * Return: 0, or -ERANGE with @f set.
 */
int walk_check_flushes(const struct machine *m, const struct sequence *s,
		       const struct walk_plan *plan, struct failure *f);

/** machine_count_accesses() - of a walk of @length elements that has ended */
void machine_count_accesses(struct machine *m, size_t length,
			    const struct walk_plan *plan,
			    const struct sample *samples);

/**
 * struct machine_request - what the user asks for
 * @cpu: CPU to measure, -1: the last one that the process may run on
 * @bytes: memory wanted
 * @seed: of what a simulated machine does at random; real ones ignore it
 * @prefetch: leave the hardware prefetchers as they are
 * @events: by role, the names of events that are to play it (see
 *          module_event_named()); NULL: the machine finds one
 */
struct machine_request {
	int cpu;
	uint64_t bytes;
	uint64_t seed;
	bool prefetch;
	const char *events[MACHINE_COUNTERS];
};

/** machine_note() - add a remark, printf-like; dropped when it is there already
 * or there are too many
 */
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

/** machine_close() - release everything, and end its load; NULL is allowed */
void machine_close(struct machine *m);

#endif
