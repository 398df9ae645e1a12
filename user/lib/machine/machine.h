/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machine.h - what an experiment can do on a machine of any kind.
 *
 * A machine owns one region of memory and walks sequences on it. It knows no
 * method and judges nothing: samples are raw. Called by observe/ and methods,
 * which see this interface only. Functions return 0 or -errno with the text in
 * @f; predicates and counts return what they say.
 */
#ifndef PROBE_PHYS_MACHINE_MACHINE_H
#define PROBE_PHYS_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/description.h"
#include "machine/touch.h"
#include "machine/walk.h"
#include "sequence/sequence.h"

/** machine_counter_name() - "cycles", "l1d_miss", ... */
const char *machine_counter_name(enum machine_counter counter);

struct view;

struct machine;

/** enum view_code - what an element of an executable view is */
enum view_code {
	VIEW_JUMPS,	   /* a jump to the next one */
	VIEW_RETURNS,	   /* a mispredicted return to the next one: each step
			    * costs the same misprediction, then the fetch of
			    * its target, whatever predictors of jumps hold
			    */
	VIEW_FULL_RETURNS, /* the same, but longer: all elements of a walk are
			    * as long as the largest power of two that divides
			    * their offsets, VIEW_CODE_BYTES at most, and full of
			    * short instructions of many operations: what keeps
			    * decoded instructions has room for few of them
			    */
};

/** VIEW_CODE_BYTES - longest element: the line of all instruction caches of x86,
 * and of most of arm64
 */
#define VIEW_CODE_BYTES 64

/**
 * struct view_request - a way of mapping the machine's memory, made to order
 * @page_bytes: size of the page-table entries, one of machine.view_page_bytes
 * @pages: virtual pages, not 0
 * @frames: pages of physical memory behind them, 1 to @pages, consecutive
 *          where the machine knows its frames: page i shows frame
 *          view_frame(). With few frames the data stays in the first level of
 *          cache, and only translations miss
 * @executable: a walk fetches its elements instead of loading them
 * @descending: page i + 1 shows the frame before that of page i, so that no TLB
 *              can coalesce neighbours; @frames is 3 at least
 * @touched: for view_touch() alone. Pages are mapped when they are first touched,
 *           so that many may lie far apart, and may have a frame each instead of
 *           @frames
 * @code: executable: what its elements are
 */
struct view_request {
	uint64_t page_bytes;
	uint64_t pages;
	uint64_t frames;
	bool executable;
	bool descending;
	bool touched;
	enum view_code code;
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

struct load;
struct load_request;

/** enum register_type - kinds of registers (X-Ray section 7) */
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
 * @pause: wait @ms milliseconds, so that repetitions do not share a disturbance
 * @clock_ns: nanoseconds since some moment, pauses included: the user's waiting
 *            time. NULL: it has no such clock
 * @close: release everything; the machine must not be used afterwards
 * @view_open: map memory as @request says. NULL: the machine has no views.
 *             Return: 0 with *@view; -EOPNOTSUPP: no such views, however
 *             short (page size, executable pages); -ENOSPC, -ENOMEM: too long,
 *             fewer pages may do; or another -errno; with the text in @f.
 * @view_walk: walk() in the virtual pages of a view: offset is page number
 *             times page_bytes plus offset in the page. No two elements may
 *             lie in the same physical word (executable: slot), by whatever
 *             pages: -EINVAL. WALK_COLD is not offered.
 * @view_touch: touch pages of a view that was opened as @touched, and say which were
 *              walked for. NULL, or not machine.accessed_bits: not offered.
 *              Return: 0 with *@touched; -EINVAL, -ERANGE: as of view_walk();
 *              another -errno; with the text in @f.
 * @view_touch_tables: the same, but all TLBs and caches of page walks are emptied
 *              first, pages of the test need not have been touched before it, and no
 *              two of them lie below one entry that spans @table_bytes: of these
 *              entries, too, is said which were read. @table_bytes is one of
 *              machine.table_bytes, more than a page of the view. NULL, or no
 *              machine.table_count: not offered
 * @view_close: unmap; NULL is allowed
 * @register_chain: time the sequence of X-Ray figure 11 with @variables
 *                  variables of @type: ticks of one operation, the least of
 *                  several. NULL: not offered. Return: a value <= 0 where the
 *                  machine lacks such registers or no code for @variables
 *                  was compiled.
 * @load_start: let other CPUs walk until load_stop(); callers use load.h
 *              instead. NULL: not offered. Return: 0 with *@load,
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
	double (*clock_ns)(const struct machine *m);
	void (*close)(struct machine *m);
	int (*view_open)(struct machine *m, const struct view_request *request,
			 struct view **view, struct failure *f);
	int (*view_walk)(struct view *view, const struct sequence *s,
			 const struct walk_plan *plan, struct sample *samples,
			 struct failure *f);
	int (*view_touch)(struct view *view, const struct touch_plan *plan,
			  struct touch_answer *touched, struct failure *f);
	int (*view_touch_tables)(struct view *view,
				 const struct touch_plan *plan,
				 uint64_t table_bytes,
				 struct touch_answer *touched,
				 struct failure *f);
	void (*view_close)(struct view *view);
	double (*register_chain)(struct machine *m, enum register_type type,
				 unsigned int variables);
	int (*load_start)(struct machine *m, const struct load_request *request,
			  struct load **load, struct failure *f);
	uint64_t (*load_loads)(const struct load *load, size_t i);
	void (*load_stop)(struct load *load);
};

/** MACHINE_TABLES - most levels of page tables above that of base pages */
#define MACHINE_TABLES 3

/** MACHINE_PAGE_SIZES - most page sizes that views can have */
#define MACHINE_PAGE_SIZES 4

/**
 * struct machine - a machine that is open
 * @ops: its operations
 * @region: its memory
 * @timer: its timer
 * @conditions: running totals
 * @name: of the profile that is simulated; empty for real machines
 * @cpu: CPU that measures, -1: none in particular
 * @others: further CPUs that can do steps; @other_count of them
 * @unusable_cpus: online CPUs that steps cannot use: not allowed for this process, or
 *           too many
 * @counters: its counters, bits 1 << enum machine_counter; 0: time only
 * @counter_names: their events, for the report: "PMU/event/"; empty: nothing to
 *                 add
 * @counter_overhead: count of an empty sample, by role, which samples have
 *                    subtracted; known once a counter has been used
 * @times_each: walks can time each load by itself (struct walk_each)
 * @flushes_lines: walks can flush single lines on the way
 * @flush_counters: those of @counters that count in such walks
 * @view_counters: those of @counters that are exact in walks of views without a
 *                 self-test: a model's. Others are counted there if a plan
 *                 wants them
 * @view_page_bytes: page sizes of views, smallest first;
 *                   @view_page_count of them, 0: no views
 * @view_executable: views can be executable
 * @view_shares_frames: views may have fewer frames than pages, by page size,
 *                      bits 1 << index of view_page_bytes
 * @accessed_bits: views can be opened as @touched
 * @table_bytes: what entries span that point to tables and whose accessed bits touches
 *               can show, by level, smallest first; @table_count of them. Pages that
 *               are @touched begin at a multiple of the largest that they fill
 * @clearing_disturbs: clearing the accessed bits takes room in TLBs of data itself:
 *                     some translations are lost in between
 * @prefetchers: those that were switched off
 * @load: load on other CPUs, NULL: none
 * @virtual_machine: addresses are guest-physical
 * @neon: its 128-bit vectors are NEON's, not SSE's
 * @notes: one-line remarks for the report, e.g. why a better backing was not to
 *         be had; @note_count of them
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
	size_t unusable_cpus;
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
	bool accessed_bits;
	uint64_t table_bytes[MACHINE_TABLES];
	size_t table_count;
	bool clearing_disturbs;
	struct machine_prefetchers prefetchers;
	struct load *load;
	bool virtual_machine;
	bool neon;
	char notes[8][MACHINE_NOTE];
	size_t note_count;
};

/**
 * walk_check_offsets() - check that a sequence lies in the region
 * Return: 0; -EINVAL: an offset is no multiple of 8; -ERANGE: one is beyond the
 * region; with @f set.
 */
int walk_check_offsets(const struct machine *m, const struct sequence *s,
		       struct failure *f);

/**
 * walk_check_flushes() - check that a plan's flushes are in order, within the
 * sequence and the region
 * Return: 0, or -ERANGE with @f set.
 */
int walk_check_flushes(const struct machine *m, const struct sequence *s,
		       const struct walk_plan *plan, struct failure *f);

/**
 * walk_check_each() - check a plan that times single loads: one sample, plain or
 * after steps, whose elements have WALK_EACH_BYTES each
 * Return: 0, or -EINVAL with @f set.
 */
int walk_check_each(const struct sequence *s, const struct walk_plan *plan,
		    struct failure *f);

/** walk_each_loads() - loads of its sample: whole rounds of @length, not 0; one of
 * them after steps
 */
uint64_t walk_each_loads(size_t length, const struct walk_plan *plan);

/** machine_count_walk() - add a walk of @length elements that has ended, and
 * its samples, to m->conditions
 */
void machine_count_walk(struct machine *m, size_t length,
			const struct walk_plan *plan,
			const struct sample *samples);

/** machine_count_touch() - add the accesses of a plan that has ended */
void machine_count_touch(struct machine *m, const struct touch_plan *plan);

/** machine_void_samples() - mark all samples of a counted walk as disturbed */
void machine_void_samples(struct machine *m, const struct walk_plan *plan,
			  struct sample *samples);

/** machine_set_virtual() - mark the machine as virtual, with a note */
void machine_set_virtual(struct machine *m);

/**
 * machine_offers_pages() - whether views can have pages of a size
 * @index: (out) of machine.view_page_bytes; NULL: not wanted
 */
bool machine_offers_pages(const struct machine *m, uint64_t page_bytes,
			  size_t *index);

/**
 * struct machine_request - what the user wants
 * @cpu: CPU to measure, -1: the last one that the process may run on
 * @bytes: memory wanted
 * @seed: of all that is random in a simulated machine; real ones ignore it
 * @prefetch: leave the hardware prefetchers as they are
 * @events: by role, the name of the event to count (see
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
 * machine_describe() - what a report says of a machine, as it is now
 *
 * What it points to is the machine's, and goes with it.
 */
struct machine_description machine_describe(const struct machine *m);

/** machine_close() - release everything, and end its load; NULL is allowed */
void machine_close(struct machine *m);

#endif
