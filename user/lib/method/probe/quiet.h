/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quiet.h - looks at a test and its control while others use the core.
 *
 * Other threads of the core, also those of other guests, only add misses and time.
 * What does not fit misses in each round, whatever the order, so that the quietest of
 * several looks shows it too. Knows neither decisions nor levels. Called by prober.c
 * for the blocks of a trial. Errors: as prober_time().
 */
#ifndef PROBE_PHYS_METHOD_PROBE_QUIET_H
#define PROBE_PHYS_METHOD_PROBE_QUIET_H

#include "method/probe/prober.h"
#include "observe/trial.h"

/** enum comparison - what a sequence is compared with */
enum comparison {
	AGAINST_CONTROL,
	/* The same, less what translation costs. */
	AGAINST_CONTROL_AND_TWIN,
	/* The twin against words of one line: compact says that translation
	 * costs nothing.
	 */
	TWIN,
};

/**
 * struct placement - a sequence under test
 * @p: runs the tests
 * @w: its shape
 * @how: what it is compared with
 * @control: lines that hit
 * @r: hits and misses
 * @flags: of prober_time()
 * @counter: that decides, a bit; 0: time
 * @base: where the sequence lies now
 * @s: its addresses in order
 * @loads: of each sample
 * @hit: of code: what a control takes, 0: not known yet
 * @busy: of code: part of it by which a control that is no control is slower
 */
struct placement {
	struct prober *p;
	const struct shape *w;
	enum comparison how;
	struct shape control;
	const struct reference *r;
	unsigned int flags;
	unsigned int counter;
	uint64_t base;
	struct sequence s;
	unsigned int loads;
	double hit;
	double busy;
};

/** quiet_choose() - the control that is as long as the test, if there are two */
const struct shape *quiet_choose(const struct placement *a);

/** quiet_begin() - what a trial needs of @a, whose control and counter are set
 * @t: its most_gain is set
 */
void quiet_begin(struct placement *a, struct trial *t);

/**
 * quiet_control() - observe the control
 * @control: (out) no readings: it was never as quiet as before
 */
int quiet_control(struct placement *a, struct readings *control,
		  struct failure *f);

/**
 * quiet_test() - observe the test again, where it has to be
 * @b: both sides as observed once; (in, out)
 */
int quiet_test(struct placement *a, struct trial_block *b, struct failure *f);

#endif
