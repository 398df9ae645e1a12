/* SPDX-License-Identifier: GPL-2.0 */
/*
 * selftest.h - may anything be decided on what a counter says? Makes a machine cause
 * events whose number is known, and knows nothing of caches' geometry. Called by
 * the command "counters", by AMP, and for code by method/instruction. Fills in a
 * check for each counter: believed, rejected or untested, with the numbers.
 * Functions return 0; -EINTR; another -errno with @f set.
 *
 * Each counter has to report events whose number is known beforehand: none over
 * lines that are there, each line that was flushed, most of what cannot fit.
 * Names of events are wrong, processors have errata, hypervisors return
 * constants, and others use the counters at the same time (AMP, sections 2.2
 * and 3.1). A counter that is off by more than about a fifth is found out. Which
 * level a lone counter belongs to is not: two counters are compared for that.
 */
#ifndef PROBE_PHYS_METHOD_COUNTER_SELFTEST_H
#define PROBE_PHYS_METHOD_COUNTER_SELFTEST_H

#include "method/probe/prober.h"

/** enum counter_state - what the test has come to */
enum counter_state {
	COUNTER_MISSING,  /* the machine has none (AMP: N/C) */
	COUNTER_UNTESTED, /* nothing of known number can be done here */
	COUNTER_REJECTED,
	COUNTER_BELIEVED,
};

/** counter_state_name() - "missing", "untested", "rejected", "believed" */
const char *counter_state_name(enum counter_state state);

/** COUNTER_TRIALS - most trials of one counter */
#define COUNTER_TRIALS 6

/**
 * struct counter_trial - events whose number is known, and what was counted
 * @what: "96 flushed lines"
 * @least: count that is right at least
 * @most: ... and at most
 * @counted: median of the samples, the cost of reading subtracted
 */
struct counter_trial {
	char what[48];
	double least;
	double most;
	double counted;
};

/**
 * struct counter_check - one counter
 * @state: may anything be decided on it?
 * @reason: why not, with the numbers; empty when believed
 * @overhead: what reading it adds to a count; it is subtracted
 * @trials: @trial_count of them, in the order in which they were made
 * @samples: that were not disturbed
 * @unread: of them, those in which it did not run all the time: it is
 *          multiplexed, and what it says is not exact
 * @substitute: a believed one that counts stores, where this one counts loads
 *              and is not believed; MACHINE_COUNTERS: none
 */
struct counter_check {
	enum counter_state state;
	char reason[160];
	double overhead;
	struct counter_trial trials[COUNTER_TRIALS];
	size_t trial_count;
	size_t samples;
	size_t unread;
	enum machine_counter substitute;
};

/** struct counter_checks - all of them, by role */
struct counter_checks {
	struct counter_check role[MACHINE_COUNTERS];
};

/** counters_selftest() - try all counters of a machine
 * @checks: (out)
 */
int counters_selftest(struct prober *p, struct counter_checks *checks,
		      struct failure *f);

/** counter_selftest() - try one of them, by itself */
int counter_selftest(struct prober *p, enum machine_counter role,
		     struct counter_check *check, struct failure *f);

/** counters_believed() - bits 1 << enum machine_counter */
unsigned int counters_believed(const struct counter_checks *checks);

#endif
