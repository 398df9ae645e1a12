/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hypotheses.h - means_of of several cycles, asked in turn.
 *
 * One answer to each cycle and one to a control, in an order that is tossed,
 * then the next of each: what drifts meanwhile drifts for all of them, and no
 * answer begins where the last one to the same cycle has ended.
 */
#ifndef PROBE_PHYS_METHOD_POLICY_HYPOTHESES_H
#define PROBE_PHYS_METHOD_POLICY_HYPOTHESES_H

#include "base/rng.h"
#include "method/set/ask.h"

/** CYCLE_MEANS_MOST - of a panel, at most */
#define CYCLE_MEANS_MOST 24
/** CYCLE_MEANS_ANSWERS - of each cycle, at most */
#define CYCLE_MEANS_ANSWERS 96

/**
 * struct cycle_samples - a cycle and what was answered
 * @cycle: what is asked
 * @number: what the caller knows it by
 * @answers: of it, @count of them
 */
struct cycle_samples {
	const struct cycle *cycle;
	size_t number;
	double answers[CYCLE_MEANS_ANSWERS];
	unsigned int count;
};

/**
 * struct cycle_means - the cycles
 * @asker: asks, and counts the answers
 * @rng: of the order
 * @cycles: of the panel, @count of them
 * @stray: misses per access to lines that fit, of all controls together;
 *         @controls of them
 * @stray_squares: the same, squared
 */
struct cycle_means {
	struct set_asker *asker;
	struct rng rng;
	struct cycle_samples cycles[CYCLE_MEANS_MOST];
	size_t count;
	double stray;
	double stray_squares;
	unsigned int controls;
};

/**
 * struct cycle_mean - what a cycle misses on average
 * @low: least that it may be, but for @error
 * @high: most
 * @error: standard error
 * @freedom: degrees of freedom of it
 */
struct cycle_mean {
	double low;
	double high;
	double error;
	double freedom;
};

/**
 * cycle_means_ask() - until each cycle has so many answers
 * Return: 0; -EAGAIN: no answers any more; -EINTR; or another -errno with @f
 * set.
 */
int cycle_means_ask(struct cycle_means *p, unsigned int answers,
		    struct failure *f);

/** cycle_means_of() - of a cycle with two answers at least */
void cycle_means_of(const struct cycle_means *p, size_t at,
		    struct cycle_mean *mean);

/** cycle_means_are_disturbed() - controls miss so often that nothing can be compared */
bool cycle_means_are_disturbed(const struct cycle_means *p);

/** cycle_means_drift() - the answers of the second half are others than the first's
 */
bool cycle_means_drift(const struct cycle_means *p);

#endif
