/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chase_loop.h - a sequence laid out in memory, and the loop that follows it.
 *
 * Each element holds the address of the next, so no two loads overlap (X-Ray
 * section 4.2). Called by files that take samples; knows neither plans nor
 * views.
 */
#ifndef PROBE_PHYS_MACHINE_NATIVE_CHASE_LOOP_H
#define PROBE_PHYS_MACHINE_NATIVE_CHASE_LOOP_H

#include "machine/machine.h"
#include "machine/native/code/pace.h"
#include "machine/native/step_helpers.h"
#include "machine/native/step_lines.h"
#include "machine/native/timer.h"

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
 * @follow: do @loads loads (or jumps) from @p on; returns the next @p
 * @start: the first @p
 * @unit: loads of a sample are a multiple of it, or one round
 * @round: loads of one round
 * @base: address of offset 0; with @sequence only needed for WALK_COLD and
 *        steps
 * @sequence: the sequence
 * @flushes: of the plan, for whole rounds; @flush_count of them, 0: none
 * @steps: lines of each step of the plan
 * @meter: counters, NULL: none
 * @pace: of code, about each sample where the clock is timed; NULL: it is not
 * @helpers: take steps of other CPUs; NULL: the thread moves to them
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
	struct pace *pace;
	struct step_helpers *helpers;
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

/** chase_path_follow() - @loads loads from @p on, and the flushes on the way
 * Return: where to go on.
 */
void *chase_path_follow(const struct chase_path *path, void *p, uint64_t loads);

/** chase_timed() - time @loads loads of a path
 * @p: where to go on
 * @sample: (out) its time and loads
 * Return: where to go on then.
 */
void *chase_timed(void *p, const struct timer *timer,
		  const struct chase_path *path, uint64_t loads,
		  struct sample *sample);

/**
 * chase_rehearse() - do as chase_timed() will, in a line that nothing evicts
 *
 * After steps the processor predicts the branches of a timed round by those of
 * the steps, and wrongly: one or two mispredictions add as much as a hit in the
 * second level to the round, more of them after many steps than after few. Of
 * rehearsed rounds the lines alone make the time.
 */
void chase_rehearse(const struct timer *timer, const struct chase_path *path,
		    uint64_t loads);

#endif
