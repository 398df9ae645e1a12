/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trial.h - the one place where sequence -> machine -> observation -> decision
 * exists as code.
 *
 * A trial decides whether a sequence is compact. Each of its blocks places the
 * test and the control anew, observes both, by a counter or by time, converts
 * what was read to misses and adds them to the decision (decision.h), until that
 * has ended. A method says how sequences are placed and walked, and what a hit
 * and a miss look like; it sees neither the loop nor the decision's arithmetic.
 */
#ifndef PROBE_PHYS_OBSERVE_TRIAL_H
#define PROBE_PHYS_OBSERVE_TRIAL_H

#include "observe/budget.h"
#include "observe/decision.h"
#include "observe/sampler.h"

/** enum trial_side - what is observed */
enum trial_side {
	TRIAL_TEST,    /* the sequence in question */
	TRIAL_CONTROL, /* one that hits */
	TRIAL_SIDES,
};

/**
 * struct trial_block - one placement
 * @of: what was read of each side, in the unit of the counter or in ticks
 * @hit: what a hit reads; 0 until a method or trial.hit_by_control sets it
 * @added: what a hit of the test reads beyond that, as for its translations
 * @exposure: how many times as long a sample of the test takes as one of the
 *            control, trial_exposure(); 1 until a method sets it
 */
struct trial_block {
	struct readings of[TRIAL_SIDES];
	double hit;
	double added;
	double exposure;
};

/**
 * struct trial_ops - how a method puts its question; 0 or -errno, which ends the
 * trial
 * @place: lay out the test and the control at a new place. NULL: @observe does
 * @observe: read one side. What has to happen between the two is done before the
 *           side that is observed second is walked. NULL: @place has read both
 * @after: both sides have been read and not yet been converted: note what they
 *         show, convert what the trial does not. May be NULL
 * @release: give back what @place has allocated, whatever it and what came after
 *           it returned. May be NULL
 */
struct trial_ops {
	int (*place)(void *context, struct trial_block *b, struct failure *f);
	int (*observe)(void *context, enum trial_side side,
		       struct trial_block *b, struct failure *f);
	int (*after)(void *context, struct trial_block *b, struct failure *f);
	void (*release)(void *context);
};

/**
 * struct trial - one question
 * @ops: how the question is put
 * @context: their argument
 * @rules: how sure the decision has to be
 * @loads: of a round: a reading of one load times these is one of a round
 * @miss: what a miss adds to the reading of a round
 * @hit_by_control: the lower quartile of the control is what a hit reads
 * @most_gain: the test can have no fewer misses than the control. What shows less
 *             than minus that number differs from it otherwise, and counts for neither
 *             side; 0: that is not looked at
 * @test_first: the test is observed before the control
 * @unanimous: no block may speak for non-compact where the verdict is compact
 * @least_blocks: blocks are taken beyond the end of the decision until there are
 *                this many; those are observed but not added
 * @tests: counts tests; NULL: the caller does
 * @budget: rules.alpha, or less where less is left for each of many tests
 *          (budget_take()), is drawn from it before the first block, and is what the
 *          decision may err. Where nothing is left the verdict is undecided, and no
 *          block is placed. NULL: none
 * @failed_counts: a trial that an error has ended is counted, too
 * @decision: (out) the state of the decision when it ended
 * @least_misses: (out) of a round, the least median of a block; a block whose test
 *                had no undisturbed sample says nothing. INFINITY: none had one
 * @most_misses: (out) the most of these
 */
struct trial {
	const struct trial_ops *ops;
	void *context;
	struct decision_rules rules;
	double loads;
	double miss;
	bool hit_by_control;
	double most_gain;
	bool test_first;
	bool unanimous;
	size_t least_blocks;
	uint64_t *tests;
	struct budget *budget;
	bool failed_counts;
	struct decision decision;
	double least_misses;
	double most_misses;
};

/**
 * trial_run() - decide
 * @t: whose first members are set; may be run again
 * @verdict: (out) VERDICT_UNDECIDED after a block that ended nothing; not set by a
 *           trial that fails before
 * Return: 0, or what an operation returned.
 */
int trial_run(struct trial *t, enum verdict *verdict, struct failure *f);

/** trial_exposure() - of samples of at least @loads of sequences so long */
double trial_exposure(size_t test_length, size_t control_length,
		      unsigned int loads);

/** trial_split() - were there clear blocks of either kind?
 * The sequence is compact at some places, then, and not at others, or the machine
 * has changed meanwhile.
 */
bool trial_split(const struct trial *t, enum verdict verdict);

#endif
