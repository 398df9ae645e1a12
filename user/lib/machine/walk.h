/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk.h - plans of walks over sequences, and their samples.
 */
#ifndef PROBE_PHYS_MACHINE_WALK_H
#define PROBE_PHYS_MACHINE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sequence/sequence.h"

struct view;

/**
 * enum machine_counter - events that show directly what time only suggests
 *
 * Roles, not names of events; each counts events that the loads (or jumps) of a
 * walk caused on the CPU that walked.
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
	/* Nothing is walked before the first sample, so that it finds what
	 * other walks have left. Only in views; where only the view's own
	 * translations lead to the memory, laying the sequence out enters them.
	 */
	WALK_AT_ONCE = 1 << 3,
	/* Before each sample all elements are loaded once, without waiting for one
	 * another where the machine can: what other load takes away meanwhile is
	 * little. Without steps; not in views.
	 */
	WALK_REFRESHED = 1 << 4,
};

/** enum step_kind - action on the lines of a step */
enum step_kind {
	STEP_FLUSH, /* they leave all caches */
	STEP_LOAD,
	STEP_STORE,
	/* Loaded with no wait in between, so in no certain order: from memory in
	 * a tenth of the time, in which others that share the core or its caches
	 * do as much less.
	 */
	STEP_LOAD_TOGETHER,
};

/**
 * struct walk_step - an action on lines before a sample
 * @kind: the action
 * @lines: their offsets, in order, each finished before the next one begins, but
 *         for STEP_LOAD_TOGETHER. A store overwrites the word at the offset, so
 *         it is not one that is walked: other words of its line are
 * @other: CPU that acts: 0: the one that measures, n: machine.others[n - 1]
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

/** WALK_EACH_BYTES - bytes of an element where single loads are timed; its
 * offset is a multiple
 */
#define WALK_EACH_BYTES 16

/**
 * struct walk_each - times of single loads
 * @most_ticks: cap on the time of one load, so that an interrupted load does
 *              not outweigh the others; times all rounds it is below 2^32
 * @timed: by element: whether its loads are timed; at least one is. Others are
 *         only loaded, which is much faster. NULL: all are timed
 * @ticks: (out) by element, mean time of its loads, including the timer's
 *         overhead, which is the same for all; 0 where it is not timed
 */
struct walk_each {
	double most_ticks;
	const bool *timed;
	double *ticks;
};

/** walk_each_times() - whether an element is timed */
static inline bool walk_each_times(const struct walk_each *each, size_t element)
{
	return !each->timed || each->timed[element];
}

/**
 * struct walk_plan - how to walk a sequence
 * @flags: enum walk_flags
 * @warm_rounds: rounds before the first sample
 * @loads: dependent loads of each sample, at least; rounded up to the unit of
 *         the machine; ignored with WALK_COLD
 * @samples: how many samples
 * @counters: counters of each sample: bits 1 << enum machine_counter,
 *            a subset of those that the machine has
 * @flushes: lines that are flushed in each round, warm-up included, in the
 *           order of @at; @flush_count of them, 0 where the machine does not
 *           flush_lines and with WALK_COLD. A sample is whole rounds then, and
 *           the time of flushes is part of its time
 * @steps: @step_count of them, done before each sample, which is one round
 *         then; without flags but WALK_STORES, and @warm_rounds and @loads are
 *         ignored. None in views. Real machines do them in user space: an
 *         interrupt in between disturbs the sample
 * @between: counters are read between the steps and the loads, which evicts
 *           some lines that the steps have loaded. Default: the steps are
 *           counted alone and subtracted, which needs steps that cost the same
 *           each time
 * @seldom: the page size is checked now and then instead of after each walk:
 *          for walks that are compared with others of the same pages
 * @code: only with steps: after them, the last walk of this executable view is
 *        done once more. Its frames are not those that are walked
 * @after_code: of the steps, the last ones that come after the code
 * @cycle_ticks: not 0: the core's clock is timed before and after each sample,
 *               whose ticks are those that it would have taken where a cycle takes so
 *               many; where the clock changed meanwhile, the sample is disturbed.
 *               For what takes cycles of the core alone, and hardly more of them
 *               when it misses. Without flags, flushes and steps
 * @each: where machine.times_each: loads are timed one by one, each finished
 *        before the next one begins. One sample, of whole rounds, or of one round
 *        after steps; without flags, flushes and counters. None in views
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
	size_t after_code;
	double cycle_ticks;
	const struct walk_each *each;
};

/**
 * struct sample - time and counts of consecutive loads, raw
 * @ticks: of the machine's timer, its own overhead subtracted, not below 0
 * @loads: dependent loads done
 * @disturbed: the thread was moved or interrupted meanwhile
 * @counted: the counters that are valid, bits 1 << enum machine_counter; one
 *           that the plan wanted but that was multiplexed is not
 * @counts: what they counted, the cost of reading them subtracted
 */
struct sample {
	double ticks;
	uint64_t loads;
	bool disturbed;
	unsigned int counted;
	double counts[MACHINE_COUNTERS];
};

#endif
