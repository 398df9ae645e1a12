/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk.h - how a machine is asked to walk a sequence, and what a sample of it is.
 */
#ifndef PROBE_PHYS_MACHINE_WALK_H
#define PROBE_PHYS_MACHINE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sequence/sequence.h"

struct view;

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

/** WALK_EACH_BYTES - room that an element takes where each load is timed by itself;
 * its offset is a multiple of it
 */
#define WALK_EACH_BYTES 16

/**
 * struct walk_each - what each load takes by itself
 * @most_ticks: what one load counts at most: one that is interrupted is not to
 *              outweigh the others; that of all rounds is less than 2^32
 * @timed: by element: it is one of those that are timed, of which there is one at
 *         least; others are only loaded, which takes a fraction of that. NULL: all
 * @ticks: (out) of each element of the sequence, the mean of all its loads; with
 *         what reading the timer takes, which is the same for all, and no finer
 *         than many readings of the timer make it. 0 where it is not timed
 */
struct walk_each {
	double most_ticks;
	const bool *timed;
	double *ticks;
};

/** walk_each_times() - is that element timed? */
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

#endif
