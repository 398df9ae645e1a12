/* SPDX-License-Identifier: GPL-2.0 */
/*
 * decision.h - compact, non-compact or undecided: a truncated sequential
 * probability ratio test (Wald 1945) over blocks of observations.
 *
 * An observation is what one warmed-up round of a sequence missed, in units of
 * misses; a compact sequence misses nothing, N > A lines walked cyclically
 * miss at least once a round under any demand-fill policy. So values near 0
 * speak for compact, values of 1 and more for non-compact, and what lies
 * between speaks for neither. Disturbance only ever adds misses: how often it
 * does is taken from a control that is known to be compact and is observed in
 * the same block.
 */
#ifndef PROBE_PHYS_OBSERVE_DECISION_H
#define PROBE_PHYS_OBSERVE_DECISION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/verdict.h"

/**
 * struct decision_rules - how sure one has to be
 * @alpha: bound on either error of one decision
 * @min_blocks: blocks that must speak for compact; each is placed anew
 * @min_non_compact_blocks: blocks that must speak for non-compact
 * @max_blocks: after this many the test is undecided
 * @max_disturbed: control observations that may miss (share) before a block
 *                 counts for nothing
 * @many_misses: observations of as many are distinguished from disturbance that misses less than
 *               half of them, so that they show non-compact where single misses are not
 *               to be seen; 0: that is not looked at
 */
struct decision_rules {
	double alpha;
	unsigned int min_blocks;
	unsigned int min_non_compact_blocks;
	unsigned int max_blocks;
	double max_disturbed;
	double many_misses;
};

/** DECISION_ALTERNATIVES - how non-compact sequences may look */
#define DECISION_ALTERNATIVES 2

/**
 * struct decision - a test under way
 * @rules: as given
 * @llr: log likelihood ratios, positive for compact, against sequences of which
 *       half of all observations show a miss and against such of which nearly
 *       all do
 * @cautious_llr: the same if the control was no less disturbed in any block
 *                than in all of them together
 * @controls: observations of the control
 * @controls_disturbed: of them not near 0 misses
 * @compact_blocks: blocks whose observations speak for compact
 * @non_compact_blocks: blocks that speak for non-compact
 * @blocks: blocks seen, void ones included
 * @void_blocks: blocks that were too disturbed to count
 * @fast: observations near 0 misses
 * @slow: observations of at least half a miss
 * @observations: all that counted
 * @many_llr: as @llr, against sequences of which nearly all observations show many
 *            misses: negative for those
 * @many_blocks: blocks that speak for those
 * @many: observations of many misses
 * @many_controls: observations of the control that miss half as many
 * @many_observations: all observations, those of void blocks included
 */
struct decision {
	struct decision_rules rules;
	double llr[DECISION_ALTERNATIVES];
	double cautious_llr[DECISION_ALTERNATIVES];
	size_t controls;
	size_t controls_disturbed;
	unsigned int compact_blocks;
	unsigned int non_compact_blocks;
	unsigned int blocks;
	unsigned int void_blocks;
	size_t fast;
	size_t slow;
	size_t observations;
	double many_llr;
	unsigned int many_blocks;
	size_t many;
	size_t many_controls;
	size_t many_observations;
};

/** decision_default_rules() - alpha 1e-6 (algorithms budget: 1e-3 over 1,000
 * tests), 3 blocks of at most 24, 60 % disturbed
 */
struct decision_rules decision_default_rules(void);

void decision_begin(struct decision *d, const struct decision_rules *rules);

/**
 * decision_add_block() - one placement's observations
 * @test: misses per round of the sequence under test, @test_count values
 * @control: the same of the control, in the same unit
 * @exposure: how many times as long as an observation of the control one of the
 *            test takes while it misses nothing; less than 1 counts as 1
 */
void decision_add_block(struct decision *d, const double *test,
			size_t test_count, const double *control,
			size_t control_count, double exposure);

/**
 * decision_done() - whether to stop
 * @verdict: (out) the answer when it returns true
 */
bool decision_done(const struct decision *d, enum verdict *verdict);

#endif
