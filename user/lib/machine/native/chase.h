/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase.h - walk a sequence in mapped memory by following pointers: each
 * element holds the address of the next, so no two loads overlap (X-Ray
 * section 4.2).
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_H

#include "machine/machine.h"
#include "machine/native/timer.h"
#include "machine/step_lines.h"

/**
 * struct chase_meter - counters around the loads of a sample
 * @read: their values now by role; false: not valid
 * @context: its argument
 * @counted: roles, bits 1 << enum machine_counter
 */
struct chase_meter {
	bool (*read)(void *context, double *counts);
	void *context;
	unsigned int counted;
};

/** CHASE_UNIT - loads of a chase come in multiples of it, for speed */
#define CHASE_UNIT 16

/**
 * struct chase_path - a sequence that is laid out in memory
 * @follow: do so many loads (or jumps) from @p on; returns where to go on
 * @start: the first @p
 * @unit: what the loads of a sample are a multiple of, if not one round
 * @round: loads of one round
 * @base: address of offset 0; with @sequence only needed for WALK_COLD and
 *        steps
 * @sequence: what was laid out
 * @flushes: of the plan, for whole rounds; @flush_count of them, 0: none
 * @steps: lines of the plan's steps, as many
 * @meter: counters, NULL: none
 */
struct chase_path {
	void *(*follow)(void *p, uint64_t loads);
	void *start;
	uint64_t unit;
	uint64_t round;
	char *base;
	const struct sequence *sequence;
	const struct walk_flush *flushes;
	size_t flush_count;
	const struct step_lines *steps;
	const struct chase_meter *meter;
};

/** CHASE_FLUSHES - whether there is an instruction that flushes a line */
#if defined(__x86_64__) || defined(__aarch64__)
#define CHASE_FLUSHES true
#else
#define CHASE_FLUSHES false
#endif

/** chase_lay_out() - put into each element the address of the next */
void chase_lay_out(char *base, const struct sequence *s);

/** chase_follow() - chase_path.follow for what chase_lay_out() has made */
void *chase_follow(void *p, uint64_t loads);

/**
 * chase_sample() - warm up and take plan->samples samples of a path
 *
 * The calling thread must be pinned to m->cpu. A sample during which the
 * thread ran on another CPU or was switched out is marked disturbed.
 */
void chase_sample(struct machine *m, const struct timer *timer,
		  const struct chase_path *path, const struct walk_plan *plan,
		  struct sample *samples);

/**
 * chase_walk() - struct machine_ops.walk for memory mapped at @base
 * @m: its region bounds the offsets, its conditions are counted up
 * @base: address of offset 0
 * @timer: clock of the samples
 * @meter: counters, NULL: none
 *
 * Return: 0; -ERANGE, -EINVAL (empty or misaligned sequence) with @f set.
 */
int chase_walk(struct machine *m, char *base, const struct timer *timer,
	       const struct chase_meter *meter, const struct sequence *s,
	       const struct walk_plan *plan, struct sample *samples,
	       struct failure *f);

/**
 * chase_pin() - bind the calling thread to one CPU
 * @cpu: CPU, or -1 for the last one that the process may run on
 * Return: the CPU, or -errno with @f set.
 */
int chase_pin(int cpu, struct failure *f);

/** chase_others() - list in @m the CPUs that the process may run on beside @cpu,
 * -1: the last one; before chase_pin()
 */
void chase_others(struct machine *m, int cpu);

/** chase_pause() - struct machine_ops.pause of machines in real time */
void chase_pause(struct machine *m, unsigned int ms);

/** chase_clock_ns() - struct machine_ops.clock_ns of the same */
double chase_clock_ns(const struct machine *m);

#endif
